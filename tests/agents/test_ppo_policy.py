"""A trained policy's file: it plays as the network it was made from, and anything else is refused by name."""

from __future__ import annotations

import json
import shutil
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO

from agents.games import UnknownGameError
from agents.policies import make_policy
from agents.ppo_policy import (
    DESCRIPTION,
    WEIGHTS,
    OtherOptionsWarning,
    PolicyFileError,
    PPOPolicy,
    load_policy,
    save_policy,
)
from agents.self_play import OpponentPool, SelfPlayVecEnv
from agents.train_ppo import TrainingSettings, make_model
from env_core.policies import Policy, RandomPolicy, call_policy
from musee_env import musee_v0

GAME = musee_v0.GAME
OPTIONS = GAME.options()


@pytest.fixture(scope="module")
def model() -> MaskablePPO:
    settings = TrainingSettings(num_envs=8, num_steps=4, batch_size=16, hidden=(16, 8))
    model = make_model(SelfPlayVecEnv(GAME, OPTIONS, 8, OpponentPool([(RandomPolicy(), 1.0)])), settings, seed=1)
    model.learn(32)
    return model


@pytest.fixture
def path(model: MaskablePPO, tmp_path: Path) -> Path:
    save_policy(model, tmp_path / "policy.zip", GAME, OPTIONS)
    return tmp_path / "policy.zip"


@pytest.fixture(scope="module")
def batch() -> Any:
    batch = musee_v0.batch_env(200)
    batch.reset(seed=5)
    for seed in range(9):
        batch.step(batch.sample_legal(seed))
    return batch


def described(path: Path, tmp_path: Path, without: str | None = None, **changes: Any) -> Path:
    """A copy of a policy file whose description is changed."""
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == DESCRIPTION:
                description = {**json.loads(content), **changes}
                description.pop(without, None)
                content = json.dumps(description).encode()
            new.writestr(name, content)
    return changed


def test_the_likeliest_action_is_that_of_the_model(model: MaskablePPO, path: Path, batch: Any) -> None:
    policy = load_policy(path, GAME, OPTIONS)
    actions = call_policy(policy, batch, np.arange(200), np.random.default_rng(0))
    expected, _ = model.predict(batch.observation, action_masks=batch.action_mask, deterministic=True)
    assert (actions == expected).all()
    assert isinstance(policy, Policy)
    assert not policy.needs_states


def test_drawn_actions_follow_the_probabilities_of_the_model(model: MaskablePPO, path: Path, batch: Any) -> None:
    policy = load_policy(path, GAME, OPTIONS, deterministic=False)
    draws = 4000
    observation, mask = batch.observation[[7]], batch.action_mask[[7]]
    rng = np.random.default_rng(1)
    actions = policy(observation.repeat(draws, 0), mask.repeat(draws, 0), np.zeros(draws, dtype=np.int64), rng)
    frequency = np.bincount(actions, minlength=batch.num_actions) / draws
    distribution = model.policy.get_distribution(torch.from_numpy(observation).float(), mask).distribution
    expected = distribution.probs.detach().numpy()[0]
    assert frequency[mask[0] == 0].sum() == 0
    assert np.abs(frequency - expected).max() < 4 * np.sqrt(expected.max() / draws)


def test_the_same_generator_gives_the_same_actions(path: Path, batch: Any) -> None:
    policy = load_policy(path, GAME, deterministic=False)
    rows = np.arange(200)
    first = call_policy(policy, batch, rows, np.random.default_rng(2))
    assert (first == call_policy(policy, batch, rows, np.random.default_rng(2))).all()
    assert (first != call_policy(policy, batch, rows, np.random.default_rng(3))).any()


def test_a_policy_of_a_model_does_not_learn_on(model: MaskablePPO) -> None:
    kept = PPOPolicy.of_model(model, "kept")
    before = [weight.clone() for weight, _ in kept.layers]
    model.learn(32, reset_num_timesteps=False)
    assert all(torch.equal(weight, old) for (weight, _), old in zip(kept.layers, before, strict=True))
    now = PPOPolicy.of_model(model, "now")
    assert any(not torch.equal(weight, old) for (weight, _), old in zip(now.layers, before, strict=True))


def test_saving_leaves_the_model_as_it_was_and_stable_baselines_reads_the_file(
    model: MaskablePPO, tmp_path: Path, batch: Any
) -> None:
    moments = dict(model.policy.optimizer.state)
    assert moments
    save_policy(model, tmp_path / "policy.zip", GAME, OPTIONS)
    assert dict(model.policy.optimizer.state) == moments
    model.save(tmp_path / "whole.zip")
    assert (tmp_path / "policy.zip").stat().st_size < (tmp_path / "whole.zip").stat().st_size / 2
    again = MaskablePPO.load(tmp_path / "policy.zip", device="cpu")
    expected, _ = model.predict(batch.observation, action_masks=batch.action_mask, deterministic=True)
    actions, _ = again.predict(batch.observation, action_masks=batch.action_mask, deterministic=True)
    assert (actions == expected).all()


def test_a_policy_is_found_by_its_path(path: Path) -> None:
    assert repr(make_policy(str(path), GAME, OPTIONS)) == "PPOPolicy('policy')"


def test_it_plays_with_other_options_of_the_same_size(path: Path) -> None:
    with pytest.warns(OtherOptionsWarning, match="staircases='first_game', now 'random'; games_to_win=1, now 2"):
        load_policy(path, GAME, GAME.options(games_to_win=2, staircases="random"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A reward is nothing that one plays by.
        load_policy(path, GAME, GAME.options(reward="margin"))
        load_policy(path, GAME)


def test_the_file_knows_its_game(path: Path, tmp_path: Path) -> None:
    assert repr(load_policy(path)) == "PPOPolicy('policy')"
    assert repr(load_policy(path, "musee", OPTIONS)) == "PPOPolicy('policy')"
    with pytest.raises(PolicyFileError, match="plays musee_v0, not masters_v0"):
        load_policy(path, "masters")
    with pytest.raises(PolicyFileError, match="plays chess_v0: unknown game 'chess'"):
        load_policy(described(path, tmp_path, game="chess", version="chess_v0"))
    with pytest.raises(PolicyFileError, match="plays musee_v9, not musee_v0"):
        load_policy(described(path, tmp_path, version="musee_v9"))
    with pytest.raises(UnknownGameError, match="Did you mean 'musee'"):
        load_policy(path, "muse")


def test_another_number_of_players_is_refused(path: Path) -> None:
    with pytest.raises(PolicyFileError, match="plays musee_v0 with 2 players, not 3"):
        load_policy(path, GAME, GAME.options(num_players=3))
    batch = musee_v0.batch_env(4, num_players=3)
    batch.reset(seed=1)
    with pytest.raises(ValueError, match=r"\d+ observation columns and 90 actions, not \d+ and 75"):
        call_policy(load_policy(path, GAME), batch, np.arange(4), np.random.default_rng(0))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.zip"):
        load_policy(tmp_path / "nowhere.zip", GAME)


@pytest.mark.parametrize("content", [b"", b"a cat", b"PK\x03\x04 half a zip"])
def test_what_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "policy.zip").write_bytes(content)
    with pytest.raises(PolicyFileError, match=r"policy\.zip: no policy file"):
        load_policy(tmp_path / "policy.zip", GAME)


def test_a_zip_of_something_else_is_refused(model: MaskablePPO, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "photos.zip", "w") as archive:
        archive.writestr("cat.txt", "miaow")
    model.save(tmp_path / "whole.zip")
    for name in ("photos.zip", "whole.zip"):
        with pytest.raises(PolicyFileError, match=rf"{name}: no policy file of this suite: it holds no gallery\.json"):
            load_policy(tmp_path / name, GAME)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "chess", "version": "chess_v0"}, "plays chess_v0, not musee_v0"),
        ({"version": "musee_v9"}, "plays musee_v9, not musee_v0"),
        ({"format": "gallery-policy/9"}, "gallery-policy/1"),
        ({"observation_size": 5}, "train it anew"),
        ({"num_actions": 91}, "train it anew"),
        ({"layers": ["nobody"]}, "damaged"),
        ({"layers": []}, "damaged"),
        ({"layers": ["action_net", "action_net"]}, "do not fit"),
        ({"layers": 3}, "damaged"),
        ({"options": []}, "lacks"),
        ({"without": "steps"}, "lacks"),
    ],
)
def test_a_changed_description_is_refused(path: Path, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyFileError, match=message):
        load_policy(described(path, tmp_path, **changes), GAME, OPTIONS)


def test_changed_weights_are_refused(path: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo(WEIGHTS)
    content = bytearray(path.read_bytes())
    content[member.header_offset + member.compress_size // 2] ^= 0xFF
    (tmp_path / "damaged.zip").write_bytes(content)
    with pytest.raises(PolicyFileError, match="damaged"):
        load_policy(tmp_path / "damaged.zip", GAME)


def test_weights_that_are_no_numbers_are_refused(model: MaskablePPO, tmp_path: Path) -> None:
    twin_path = tmp_path / "twin.zip"
    model.save(twin_path)
    twin = MaskablePPO.load(twin_path, device="cpu")
    with torch.no_grad():
        twin.policy.action_net.bias[0] = float("nan")
    save_policy(twin, tmp_path / "policy.zip", GAME, OPTIONS)
    with pytest.raises(PolicyFileError, match="not finite"):
        load_policy(tmp_path / "policy.zip", GAME)


def test_a_failed_save_leaves_the_old_file(model: MaskablePPO, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def failing(*args: Any, **kwargs: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(model, "save", failing)
    moments = dict(model.policy.optimizer.state)
    with pytest.raises(OSError, match="disk is full"):
        save_policy(model, path, GAME, OPTIONS)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert dict(model.policy.optimizer.state) == moments
    shutil.rmtree(path.parent)
