"""Protects figures from a card file that changes under way: a comparison or a run has the cards it began with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from agents import arena
from agents.arena import compete
from agents.ppo_policy import OtherOptionsWarning, PolicyFileError, load_policy
from agents.train_ppo import RunFolderError, TrainingSettings, resume, train
from env_core.policies import RandomPolicy
from pictura_env import pictura_v0
from tests.pictura_env.card_files import DEFAULT, FILES, written

SETTINGS = TrainingSettings(
    num_envs=4, num_steps=8, batch_size=32, epochs=1, hidden=(16, 8), expert=0.0, greedy=0.0, evaluate_every=0,
    evaluation_games=2,
)  # fmt: skip
OPTIONS = {"max_rounds": 2, "rearrange_limit": 0}


class Spoiler(RandomPolicy):
    """Plays at random and removes a file as soon as it is asked."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = Path(path)

    def __call__(self, observation, action_mask, seats, rng) -> np.ndarray:
        self.path.unlink(missing_ok=True)
        return super().__call__(observation, action_mask, seats, rng)


def test_an_arena_goes_on_with_the_cards_it_began_with(tmp_path, monkeypatch):
    # So few games side by side that the deals come in several blocks.
    monkeypatch.setattr(arena, "ROWS_AT_ONCE", 4)
    cards = written(tmp_path / "cards.toml", FILES["short"])
    policies = {"spoiler": Spoiler(cards), "random": RandomPolicy()}
    result = compete(pictura_v0.GAME, policies, deals=6, seed=1, options={**OPTIONS, "cards": cards})
    assert not Path(cards).exists()
    same = written(tmp_path / "same.toml", FILES["short"])
    policies = {"spoiler": RandomPolicy(), "random": RandomPolicy()}
    again = compete(pictura_v0.GAME, policies, deals=6, seed=1, options={**OPTIONS, "cards": same})
    assert np.array_equal(result.wins, again.wins, equal_nan=True)


def test_a_policy_says_when_it_learned_by_other_cards(tmp_path):
    cards = written(tmp_path / "cards.toml", FILES["short"])
    options = pictura_v0.GAME.options(**OPTIONS, cards=cards)
    learned = train("pictura", options.as_record(), 32, tmp_path / "run", settings=SETTINGS, progress=False)
    edited = written(
        tmp_path / "cards.toml", {**FILES["short"], "penalties": {"source": "default", "discarded_card": 2}}
    )
    with pytest.warns(OtherOptionsWarning, match="a file that they name has changed"):
        load_policy(learned.policy, "pictura", pictura_v0.GAME.options(**OPTIONS, cards=edited))
    with pytest.raises(PolicyFileError, match=r"It learned under \{.*cards\.toml"):
        load_policy(learned.policy, "pictura", pictura_v0.GAME.options(**OPTIONS))


def test_a_run_is_not_resumed_with_other_cards(tmp_path):
    cards = written(tmp_path / "cards.toml", FILES["short"])
    options = {**OPTIONS, "cards": cards}
    folder = tmp_path / "run"
    train("pictura", options, 32, folder, settings=SETTINGS, progress=False)
    written(tmp_path / "cards.toml", DEFAULT)
    with pytest.raises(RunFolderError, match="a card file that they name has changed"):
        resume(folder, total_steps=64, progress=False)
    Path(cards).unlink()
    with pytest.raises(FileNotFoundError, match="there is no card file"):
        resume(folder, total_steps=64, progress=False)
    written(tmp_path / "cards.toml", FILES["short"])
    assert resume(folder, total_steps=64, progress=False).steps == 64
