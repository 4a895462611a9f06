"""Make the golden records of Museum: Pictura anew, from the root of the repository:

.venv/bin/python -m tests.pictura_env.make_golden

A golden record that changes makes a new version of the environment, see CONTRIBUTING.md: run this only for one.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from env_core import records
from env_core.files import write_whole
from pictura_env import pictura_v0
from tests.pictura_env.card_files import SHORT, as_toml

FOLDER = Path(__file__).parent / "golden"
CARDS = "changed_cards.toml"
"""A changed card file in the folder; records name it as seen from there."""
GAMES: dict[str, list[tuple[int, dict[str, Any]]]] = {
    "two_players": [
        (0, {}),
        (2**63 - 1, {"reward": "score", "cards": CARDS, "max_rounds": 12}),
    ],
    "three_players": [
        (1, {"num_players": 3, "reward": "margin", "exhibits_per_action": 2, "rearrange_limit": 1, "max_rounds": 6}),
    ],
    "four_players": [
        (2, {"num_players": 4, "max_rounds": 3}),
        (3, {"num_players": 4, "reward": "score", "cards": CARDS, "rearrange_limit": 0, "max_rounds": 2}),
    ],
}


def seen_while_playing(record: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Play a record's seed and actions; the record that comes out, and a hash of all that the seats saw and got."""
    env = pictura_v0.raw_env(**record["options"])
    env.reset(seed=record["seed"])
    digest = hashlib.sha256()

    def note() -> None:
        for agent in env.possible_agents:
            digest.update(env.observe(agent)["observation"].tobytes())
            digest.update(env.observe(agent)["action_mask"].tobytes())
            digest.update(np.float64(env.rewards[agent]).tobytes())
        digest.update(env.state().tobytes())

    note()
    for step in record["steps"]:
        if "action" in step:
            env.step(step["action"])
            note()
    return env.record(), digest.hexdigest()


def random_record(seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """The record of a game of random moves, of which few rearrange."""
    env = pictura_v0.raw_env(**options)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while legal := env.legal_actions():
        busy = [action for action in legal if not 180 <= action < 205]
        env.step(int(rng.choice(busy if busy and rng.random() < 0.9 else legal)))
    return env.record()


def main() -> None:
    """Write the records, and beside each file the hashes of what was seen in its games."""
    write_whole(FOLDER / CARDS, as_toml(SHORT))
    with contextlib.chdir(FOLDER):
        for name, games in GAMES.items():
            made = [random_record(seed, options) for seed, options in games]
            records.save(made, FOLDER / f"{name}.jsonl")
            hashes = [seen_while_playing(record)[1] for record in made]
            write_whole(FOLDER / f"{name}.sha256", "\n".join(hashes) + "\n")


if __name__ == "__main__":
    main()
