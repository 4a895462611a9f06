"""Keeps the tables of a game's page (its ``README.md``) equal to the code.

    python -m env_core.pages musee_env.musee_v0            # write the tables anew
    python -m env_core.pages musee_env.musee_v0 --check    # fail when the page has drifted

A page is prose by hand; each table stands between two comments, the first of which says what belongs there::

    <!-- begin: observation 3 -->
    <!-- end -->

``SECTIONS`` lists what there is. Everything is read from the game: docstrings, the feature tables, the dtype and the
comments beside its fields, and what ``describe`` says of each action in games that are played for the purpose.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from env_core.batch import BatchEnv
from env_core.features import Feature
from env_core.files import write_whole
from env_core.game import Game, load_game
from env_core.policies import RandomPolicy
from env_core.rendering import save_picture
from env_core.rewards import OUTCOME, REWARDS, outcome_rewards

BEGIN = "<!-- begin: "
END = "<!-- end -->"
_SECTION = re.compile(rf"^{BEGIN}(?P<what>.*?) -->\n(?P<body>.*?)^{END}$", re.MULTILINE | re.DOTALL)

GAMES_COUNTED = 200
FEWEST_GAMES_LOOKED_AT = 5
MOST_GAMES_LOOKED_AT = 100
"""Random games in which the meaning of each action number is looked up: until every number has had one."""

OPENINGS_LOOKED_AT = 40
DECISIONS_OF_AN_OPENING = 16
"""Where games are long, the first decisions of so many more are looked at too."""

ENOUGH_DECISIONS = 1000
"""In longer games so many decisions are looked at in full, and after them only numbers without a meaning."""


class PageError(ValueError):
    """A page asks for something that cannot be made."""


# --- Tables --------------------------------------------------------------------------------------------------------


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in its cells are escaped, double backticks become single ones."""
    lines = [list(heads), ["---"] * len(heads), *map(list, rows)]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(words: str) -> str:
    return " ".join(words.replace("``", "`").replace("|", r"\|").split())


def _code(words: object) -> str:
    return f"`{words}`"


def _by_players(game: Game) -> dict[int, BatchEnv]:
    return {players: BatchEnv(game, 1, num_players=players) for players in game.options.PLAYERS}


def _heads(game: Game) -> list[str]:
    return [f"{players} players" for players in game.options.PLAYERS]


def facts(game: Game) -> str:
    """Names, agents, render modes, and the sizes for each number of players."""
    package, _, module = game.face.rpartition(".")
    ids = sorted(spec.id for spec in gymnasium.registry.values() if str(spec.entry_point).startswith(f"{game.face}:"))
    batches = _by_players(game)
    modes = importlib.import_module(game.face).raw_env.metadata["render_modes"]
    one_by_one = [
        ("Import", _code(f"from {package} import {module}")),
        ("PettingZoo", _code(f'pettingzoo.make("aec", "gallery/{game.version}")')),
        ("Gymnasium, one game", ", ".join(_code(f'gymnasium.make("{name}")') for name in ids)),
        ("Gymnasium, N games", ", ".join(_code(f'gymnasium.make_vec("{name}", num_envs=N)') for name in ids)),
        ("Agents", ", ".join(_code(f"player_{seat}") for seat in range(max(batches)))),
        ("Render modes", ", ".join(map(_code, modes))),
        ("State version", str(game.state.STATE_VERSION)),
    ]
    by_players = [
        ("Sides", *(str(int(batch.states["num_sides"][0])) for batch in batches.values())),
        ("Action space", *(_code(f"Discrete({batch.num_actions})") for batch in batches.values())),
        ("Observation, int8", *(_code((batch.observation_features.size,)) for batch in batches.values())),
        ("Perfect information, int8", *(_code((batch.state_features.size,)) for batch in batches.values())),
        (f"Decisions a game, random play (mean of {GAMES_COUNTED})", *(_decisions_a_game(b) for b in batches.values())),
        ("State", *(f"{game.dtype.itemsize} bytes" for _ in batches)),
    ]
    return table(("Fact", game.title), one_by_one) + "\n\n" + table(("", *_heads(game)), by_players)


def _decisions_a_game(like: BatchEnv) -> str:
    batch = BatchEnv.with_options(like.game, GAMES_COUNTED, like.options, auto_reset=False)
    batch.reset(seed=0)
    decisions = 0
    while running := int((batch.seat >= 0).sum()):
        batch.step(batch.sample_legal(seed=decisions))
        decisions += running
    return f"{decisions / GAMES_COUNTED:.0f}"


def options(game: Game) -> str:
    """The game's options: type, default and meaning."""
    meanings = attribute_meanings(game.options)
    rows = []
    for field in dataclasses.fields(game.options):
        if field.name not in meanings:
            raise PageError(f"the docstring of {game.options.__name__} does not say what {field.name} means.")
        rows.append((_code(field.name), _code(field.type), _code(repr(field.default)), meanings[field.name]))
    return table(("Option", "Type", "Default", "Meaning"), rows)


def attribute_meanings(described: type) -> dict[str, str]:
    """What the ``Attributes:`` of a class's docstring, and of its parents', say of each attribute."""
    meanings: dict[str, str] = {}
    for parent in reversed(described.__mro__):
        _, _, listed = inspect.cleandoc(parent.__doc__ or "").partition("Attributes:\n")
        listed = re.split(r"\n(?=\S)", listed)[0]
        for name, meaning in re.findall(r"^    (\w+):(.*(?:\n     +.*)*)", listed, re.MULTILINE):
            if name not in meanings or not re.fullmatch(r"See ``\w+``\.", meaning.strip()):
                meanings[name] = meaning
    return meanings


def observation(game: Game, players: str) -> str:
    """The features of an observation for a number of players."""
    return _features_table(_batch_for(game, players).observation_features.values())


def perfect_information(game: Game, players: str) -> str:
    """The features of ``state()`` for a number of players; those of seat 0's observation in one row."""
    batch = _batch_for(game, players)
    seen, features = batch.observation_features, batch.state_features
    leading = [(feature.name, feature.start, feature.shape) for feature in list(features.values())[: len(seen)]]
    if leading != [(feature.name, feature.start, feature.shape) for feature in seen.values()]:
        return _features_table(features.values())
    both = Feature("the observation of seat 0", 0, (seen.size,), "see its own table")
    return _features_table([both, *list(features.values())[len(seen) :]])


def _batch_for(game: Game, players: str) -> BatchEnv:
    if players not in map(str, game.options.PLAYERS):
        raise PageError(f"{game.title} has no game for {players!r} players.")
    return BatchEnv(game, 1, auto_reset=False, num_players=int(players))


def _features_table(features: Iterable[Feature]) -> str:
    rows = [
        (
            _span(feature.start, feature.start + feature.size - 1),
            _code(feature.name) if feature.name.isidentifier() else feature.name,
            _code(feature.shape),
            feature.meaning if feature.high == 1 else f"{feature.meaning} (0 to {feature.high})",
        )
        for feature in features
    ]
    return table(("Columns", "Feature", "Shape", "Meaning"), rows)


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}..{last}"


def actions(game: Game, players: str) -> str:
    """The action numbers for a number of players: kind, and the words with the values they take."""
    batch = _batch_for(game, players)
    kinds: dict[str, _Kind] = {}
    unknown = set(range(batch.num_actions))
    decisions = 0
    for game_number in range(MOST_GAMES_LOOKED_AT):
        batch.reset(seed=game_number)
        decisions = _look_at_actions(batch, kinds, unknown, decisions)
        if not unknown and (game_number + 1 >= FEWEST_GAMES_LOOKED_AT or decisions >= ENOUGH_DECISIONS):
            break
    else:
        raise PageError(f"random games for {players} players give the actions {_spans(unknown)} no meaning.")
    if decisions >= ENOUGH_DECISIONS:
        # In few long games not every card of a setup has come up.
        for game_number in range(OPENINGS_LOOKED_AT):
            batch.reset(seed=game_number)
            _look_at_actions(batch, kinds, unknown, 0, DECISIONS_OF_AN_OPENING)
    _share_numbers(kinds.values())
    rows = [
        (_spans(kind.numbers), _code(name), ", ".join(f"`{key}` {_values(found)}" for key, found in kind.words.items()))
        for name, kind in sorted(kinds.items(), key=lambda item: (min(item[1].numbers), item[0]))
    ]
    return table(("Actions", "Kind", "Further words"), rows)


@dataclasses.dataclass
class _Kind:
    """What is known of a kind of action.

    Attributes:
        numbers: Its action numbers.
        words: By key the values found.
        offsets: By key how far the action number was above the value, wherever that is an integer.
    """

    numbers: set[int] = dataclasses.field(default_factory=set)
    words: dict[str, list[Any]] = dataclasses.field(default_factory=dict)
    offsets: dict[str, set[int]] = dataclasses.field(default_factory=dict)

    def add(self, action: int, words: dict[str, Any]) -> None:
        self.numbers.add(action)
        for key, value in words.items():
            known = self.words.setdefault(key, [])
            if value not in known:
                known.append(value)
            if isinstance(value, int) and not isinstance(value, bool):
                self.offsets.setdefault(key, set()).add(action - value)


def _look_at_actions(
    batch: BatchEnv, kinds: dict[str, _Kind], unknown: set[int], decisions: int, at_most: int | None = None
) -> int:
    """Play the game of a batch's only row at random; note what each action means wherever it means something.

    Args:
        batch: The batch of one.
        kinds: What is found is added to these.
        unknown: Numbers without a meaning; those that get one are taken out.
        decisions: How many were looked at before.
        at_most: Stop when so many have been looked at; None plays to the end.

    Returns:
        How many have been looked at now.
    """
    policy, rng = RandomPolicy(), np.random.default_rng(0)
    while batch.seat[0] >= 0 and decisions != at_most:
        for action in range(batch.num_actions) if decisions < ENOUGH_DECISIONS else sorted(unknown):
            words = batch.describe(0, action)
            kind = words.pop("kind")
            if kind != "none":
                unknown.discard(action)
                kinds.setdefault(kind, _Kind()).add(action, words)
        batch.step(policy(batch.observation, batch.action_mask, batch.seat, rng))
        decisions += 1
    return decisions


def _share_numbers(kinds: Iterable[_Kind]) -> None:
    """Kinds in which the number itself names the same thing (a card to take, give, discard) have the same numbers.

    A few games do not show every card in every role.
    """
    alike: dict[tuple[str, int], list[_Kind]] = {}
    for kind in kinds:
        for key, offsets in kind.offsets.items():
            if len(offsets) == 1 and len(kind.numbers) > 1:
                alike.setdefault((key, next(iter(offsets))), []).append(kind)
    for (key, offset), group in alike.items():
        numbers = set().union(*(kind.numbers for kind in group))
        for kind in group:
            kind.numbers = set(numbers)
            kind.words[key] = sorted(number - offset for number in numbers)


def _values(found: list[Any]) -> str:
    if all(isinstance(value, bool) for value in found):
        return ", ".join(_code(value) for value in sorted(found))
    if all(isinstance(value, int) for value in found):
        # What lies between has just not come up.
        return _span(min(found), max(found))
    if all(isinstance(value, str) for value in found):
        return ", ".join(_code(value) for value in sorted(found))
    return " or ".join(sorted({type(value).__name__ for value in found}))


def _spans(numbers: Iterable[int]) -> str:
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(_span(first, last) for first, last in spans)


def outcomes(game: Game) -> str:
    """The outcome reward of winners and others for each number of sides."""
    rows = []
    for sides in sorted({int(batch.states["num_sides"][0]) for batch in _by_players(game).values()}):
        for winners in range(1, sides + 1):
            rewards = np.zeros(sides)
            outcome_rewards(np.arange(sides) < winners, sides, sides, rewards)
            loser = f"{rewards[-1]:.3g}" if winners < sides else ""
            rows.append((str(sides), str(winners), f"{rewards[0]:.3g}", loser))
    return table(("Sides", "Winning sides", f"Reward `{REWARDS[OUTCOME]}` of a winner", "Of another"), rows)


def turn_order(game: Game, games: str) -> str:
    """How often each place in turn order wins when light players play: shares in percent, with their standard error."""
    if not games.isdecimal() or int(games) < 2:
        raise PageError(f"turn_order needs a number of games, 2 or more, not {games!r}.")
    most = max(game.options.PLAYERS)
    rows = []
    for players in game.options.PLAYERS:
        batch = BatchEnv(game, int(games), auto_reset=False, num_players=players)
        batch.reset(seed=0)
        order = (batch.seat[:, None] + np.arange(players)) % players
        _, rewards = batch.playout(seed=0, policy="light")
        sides = int(batch.states["num_sides"][0])
        # The outcome reward says who won, and with how many others.
        shares = (np.take_along_axis(rewards, order, axis=1).astype(float) * (sides - 1) + 1) / sides
        errors = shares.std(axis=0) / np.sqrt(len(shares))
        cells = [
            f"{100 * share:.1f} ± {100 * error:.1f}" for share, error in zip(shares.mean(axis=0), errors, strict=True)
        ]
        rows.append((str(players), *cells, *[""] * (most - players)))
    return table(("Players", *(f"Place {place}" for place in range(1, most + 1))), rows)


def state(game: Game) -> str:
    """The fields of a state: type, shape, and the comment beside each in ``state.py``, or its name if that says all."""
    source = inspect.getsource(game.state)
    rows = []
    for name in game.dtype.names or ():
        comment = re.search(rf'^\s*\("{name}",.*#\s*(.+)$', source, re.MULTILINE)
        meaning = comment[1] if comment else name.replace("_", " ")
        field = game.dtype[name]
        shape = f" {field.shape}" if field.shape else ""
        rows.append((_code(name), _code(f"{field.base}{shape}"), meaning))
    return table(("Field", "Type", "Meaning"), rows)


def constants(game: Game, *names: str) -> str:
    """Constants of ``state.py``; those given for each number of players in a table of their own."""
    values = {name: _value(game, name) for name in names}
    by_players = [name for name in names if _is_by_players(game, values[name])]
    tables = []
    if len(by_players) < len(names):
        rows = [(_code(name), _constant(value)) for name, value in values.items() if name not in by_players]
        tables.append(table(("Constant", "Value"), rows))
    if by_players:
        rows_by_players = [
            (_code(name), *(_constant(values[name][players]) for players in game.options.PLAYERS))
            for name in by_players
        ]
        tables.append(table(("Constant", *_heads(game)), rows_by_players))
    return "\n\n".join(tables)


def _value(game: Game, name: str) -> Any:
    if not hasattr(game.state, name):
        raise PageError(f"{game.state.__name__} has no constant {name}.")
    return getattr(game.state, name)


def _is_by_players(game: Game, value: Any) -> bool:
    """Whether a constant has an entry for each number of players: as a dict, or as an array with zeros elsewhere."""
    if isinstance(value, np.ndarray):
        others = set(range(len(value))) - set(game.options.PLAYERS)
        return len(value) == max(game.options.PLAYERS) + 1 and not value[sorted(others)].any()
    return isinstance(value, dict)


def _constant(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list | np.ndarray) else str(value)


def grid(game: Game, name: str, row_names: str, column_names: str) -> str:
    """A constant of rows and columns, with the constants that name them."""
    rows, columns = _value(game, row_names), _value(game, column_names)
    values = _value(game, name)
    if np.shape(values) != (len(rows), len(columns)):
        raise PageError(f"{name} has the shape {np.shape(values)}, not that of {row_names} and {column_names}.")
    body = [(str(row), *map(str, cells)) for row, cells in zip(rows, values, strict=True)]
    return table((_code(name), *columns), body)


def example(game: Game, players: str, seed: str, moves: str) -> str:
    """The text that the seat to move sees after some random moves."""
    return f"```text\n{game.renderer().text(*_position(game, players, seed, moves))}\n```"


def _position(game: Game, players: str, seed: str, moves: str) -> tuple[np.void, int]:
    if not (seed.isdecimal() and moves.isdecimal()):
        raise PageError(f"an example needs players, seed and moves, not {players!r}, {seed!r}, {moves!r}.")
    batch = _batch_for(game, players)
    batch.reset(seed=int(seed))
    policy, rng = RandomPolicy(), np.random.default_rng(int(seed))
    for _ in range(int(moves)):
        batch.step(policy(batch.observation, batch.action_mask, batch.seat, rng))
        if batch.seat[0] < 0:
            raise PageError(f"the game of seed {seed} ends within {moves} moves.")
    return batch.states[0], int(batch.seat[0])


def _pictured(page: str) -> Sequence[str]:
    """Players, seed and moves of the page's first example, which ``--picture`` saves as a picture."""
    sections = (found["what"].split() for found in _SECTION.finditer(page))
    for name, *arguments in sections:
        if name == "example":
            return arguments
    raise PageError("the page has no example, so no position to picture.")


SECTIONS: dict[str, Callable[..., str]] = {
    "facts": facts,
    "options": options,
    "observation": observation,
    "perfect_information": perfect_information,
    "actions": actions,
    "outcomes": outcomes,
    "turn_order": turn_order,
    "state": state,
    "constants": constants,
    "grid": grid,
    "example": example,
}
"""What can stand behind ``begin:``, with the words that follow it as arguments."""


# --- Pages ---------------------------------------------------------------------------------------------------------


def with_tables(game: Game, page: str) -> str:
    """The page with every table made anew.

    Args:
        game: The game.
        page: The page's text.

    Raises:
        PageError: A section is unknown, lacks its end, or cannot be made.
    """
    if page.count(BEGIN) != len(_SECTION.findall(page)) or page.count(END) != page.count(BEGIN):
        raise PageError(f"each '{BEGIN}... -->' needs a line '{END}' behind it, each on a line of its own.")
    return _SECTION.sub(lambda found: f"{BEGIN}{found['what']} -->\n{_made(game, found['what'])}\n{END}", page)


def _made(game: Game, what: str) -> str:
    name, *arguments = what.split()
    if name not in SECTIONS:
        raise PageError(f"unknown section {name!r}; there are {', '.join(SECTIONS)}.")
    try:
        inspect.signature(SECTIONS[name]).bind(game, *arguments)
    except TypeError as error:
        raise PageError(f"section {what!r}: {error}.") from None
    return SECTIONS[name](game, *arguments)


def drifted(page: str, fresh: str) -> list[str]:
    """The sections in which a page differs from the one made anew."""
    pairs = zip(_SECTION.finditer(page), _SECTION.finditer(fresh), strict=True)
    return [old["what"] for old, new in pairs if old["body"] != new["body"]]


def page_of(game: Game) -> Path:
    """Where a game's page is: ``README.md`` in its package."""
    file = importlib.import_module(game.face).__file__
    assert file is not None
    return Path(file).with_name("README.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m env_core.pages", description="Keep a game's page equal to its code."
    )
    parser.add_argument("face", help="the game's face, musee_env.musee_v0")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a page has drifted")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="also save the page's first example as PNG")
    given = parser.parse_args(arguments)
    try:
        game = load_game(given.face)
        path = page_of(game)
        page = path.read_text(encoding="utf-8")
        fresh = with_tables(game, page)
        pictured = _pictured(page) if given.picture is not None else ()
    except (ImportError, AttributeError, OSError, PageError) as error:
        print(f"{given.face}: {error}", file=sys.stderr)
        return 2
    stale = drifted(page, fresh)
    if stale and given.check:
        print(f"{path}: out of date in {', '.join(stale)}; run python -m env_core.pages {given.face}", file=sys.stderr)
        return 1
    if stale:
        write_whole(path, fresh)
    print(f"{path}: {'made anew: ' + ', '.join(stale) if stale else 'up to date'}")
    if given.picture is not None:
        save_picture(game.renderer().picture(*_position(game, *pictured)), given.picture)
        print(f"{given.picture}: saved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
