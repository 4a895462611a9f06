"""Make Musée's golden records anew, from the root of the repository:

.venv/bin/python -m tests.musee_env.make_golden

A golden record that changes makes a new version of the environment, see CONTRIBUTING.md: run this only for one.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from env_core import records
from env_core.files import write_whole
from musee_env import musee_v0

FOLDER = Path(__file__).parent / "golden"
GAMES: dict[str, list[tuple[int, dict[str, Any]]]] = {
    "two_players": [
        (0, {}),
        (1, {"reward": "margin", "staircases": "random"}),
        (2**63 - 1, {"reward": "score", "staircases": [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]}),
    ],
    "three_players": [
        (0, {"num_players": 3}),
        (1, {"num_players": 3, "reward": "margin", "staircases": "random"}),
        (2, {"num_players": 3, "reward": "score", "staircases": [[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]}),
    ],
    "four_players": [(seed, {"num_players": 4, "staircases": "random"}) for seed in (0, 6, 10, 22, 45)],
    "matches": [
        (0, {"games_to_win": 2}),
        (1, {"games_to_win": 3, "num_players": 3, "reward": "margin", "staircases": "random"}),
        (2, {"games_to_win": 2, "num_players": 4, "reward": "score", "staircases": "random"}),
    ],
}


def seen_while_playing(record: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Play a record's seed and actions; the record that comes out, and a hash of all that the seats saw and got."""
    env = musee_v0.raw_env(**record["options"])
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
    """The record of a game of random moves."""
    env = musee_v0.raw_env(**options)
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
