"""Make Masters Gallery's golden records anew, from the root of the repository:

.venv/bin/python -m tests.masters_env.make_golden

A golden record that changes makes a new version of the environment, see CONTRIBUTING.md: run this only for one.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from env_core import records
from env_core.files import write_whole
from masters_env import masters_v0

FOLDER = Path(__file__).parent / "golden"
CHANGED = {"simultaneous_ender": "clockwise", "empty_artist_token": True, "extra_card": "any_artist"}
NAMES = {2: "two_players", 3: "three_players", 4: "four_players", 5: "five_players"}
GAMES: dict[str, list[tuple[int, dict[str, Any]]]] = {
    name: [
        (0, {"num_players": players}),
        (1, {"num_players": players, "reward": "margin", **CHANGED}),
        (2**63 - 1, {"num_players": players, "reward": "score", "extra_card": "any_artist"}),
    ]
    for players, name in NAMES.items()
}


def seen_while_playing(record: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Play a record's seed and actions; the record that comes out, and a hash of all that the seats saw and got."""
    env = masters_v0.raw_env(**record["options"])
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
        env.step(step["action"])
        note()
    return env.record(), digest.hexdigest()


def random_record(seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """The record of a game of random moves."""
    env = masters_v0.raw_env(**options)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while legal := env.legal_actions():
        env.step(int(rng.choice(legal)))
    return env.record()


def main() -> None:
    """Write the records, and beside each file the hashes of what was seen in its games."""
    for name, games in GAMES.items():
        made = [random_record(seed, options) for seed, options in games]
        records.save(made, FOLDER / f"{name}.jsonl")
        hashes = [seen_while_playing(record)[1] for record in made]
        write_whole(FOLDER / f"{name}.sha256", "\n".join(hashes) + "\n")


if __name__ == "__main__":
    main()
