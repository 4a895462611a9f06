"""What every game's page must hold to; a game's ``test_page.py`` calls these with its face."""

from __future__ import annotations

import re
from typing import Any

from env_core import pages
from env_core.batch import BatchEnv
from env_core.game import Game, load_game


def check_tables_are_fresh(face: str) -> None:
    """The tables are those that the code makes now."""
    game = load_game(face)
    page = pages.page_of(game).read_text(encoding="utf-8")
    assert pages.BEGIN in page
    stale = pages.drifted(page, pages.with_tables(game, page))
    assert not stale, f"out of date: {', '.join(stale)}; run python -m env_core.pages {face}"


def check_whole_surface_is_described(face: str) -> None:
    """Every option, and for each number of players observation, perfect information and actions, has its table.

    Where one layout serves all numbers of players, one table says it.
    """
    game = load_game(face)
    page = pages.page_of(game).read_text(encoding="utf-8")
    wanted = ["facts", "options", "outcomes", "state"]
    wanted += [
        f"{what} {players}"
        for players in _differing(game)
        for what in ("observation", "perfect_information", "actions")
    ]
    missing = [what for what in wanted if f"{pages.BEGIN}{what} -->" not in page]
    assert not missing, f"the page lacks {missing}"


def _differing(game: Game) -> list[int]:
    """Numbers of players, without those whose columns and number of actions are those of the first."""
    layouts = {}
    for players in game.options.PLAYERS:
        batch = BatchEnv(game, 1, num_players=players)
        tables = (batch.observation_features, batch.state_features)
        layouts[players] = ([list(table.values()) for table in tables], batch.num_actions)
    first, *others = layouts
    return [first, *(players for players in others if layouts[players] != layouts[first])]


def check_examples_run(face: str) -> None:
    """Each Python example of the page runs by itself."""
    page = pages.page_of(load_game(face)).read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert examples
    for number, example in enumerate(examples):
        names: dict[str, Any] = {"__name__": f"example_{number}"}
        exec(compile(example, f"{face} example {number}", "exec"), names)


def check_links_lead_somewhere(face: str) -> None:
    """Each link of the page to a file of the repository leads to one."""
    path = pages.page_of(load_game(face))
    links = re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert not missing, f"{path} links to {missing}"
