"""Protects the conformance kit from passing what is broken: games with one fault each must be caught by it.

Each fault is put into a copy of Musée, and the check that is there for it must say what was violated, and where.
"""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from env_core.aec import CheckedEnv, RawEnv
from env_core.batch import BatchEnv
from env_core.errors import MissingExtraError
from env_core.features import FeatureTable
from env_core.gymnasium_env import SeatVectorEnv, SingleSeatEnv
from env_core.testing import CHECKS, Conformance, ConformanceError, cases
from musee_env import kernels, moves, musee_v0
from tests.musee_env.invariants import assert_possible

_numbers = itertools.count()


def with_parts(module: ModuleType, **parts: Any) -> ModuleType:
    """A module that is another one but for some parts."""
    twin = ModuleType(module.__name__)
    twin.__dict__.update(module.__dict__, **parts)
    return twin


def game_with(
    checked_env: type[CheckedEnv] = CheckedEnv,
    raw: dict[str, Any] | None = None,
    single: dict[str, Any] | None = None,
    vector: dict[str, Any] | None = None,
    **modules: Any,
) -> ModuleType:
    """A copy of Musée's face in which some parts of some modules are other ones."""
    name = f"broken_game_{next(_numbers)}"
    face = ModuleType(name)
    sys.modules[name] = face
    parts = {what: with_parts(getattr(musee_v0.GAME, what), **replaced) for what, replaced in modules.items()}
    game = dataclasses.replace(musee_v0.GAME, face=name, **parts)
    raw_env = type("raw_env", (RawEnv,), {"game": game, "__module__": name, "__qualname__": "raw_env", **(raw or {})})
    face.__dict__.update(
        GAME=game,
        raw_env=raw_env,
        env=lambda render_mode=None, **options: checked_env(raw_env(render_mode=render_mode, **options)),
        batch_env=lambda num_envs, **settings: BatchEnv(game, num_envs, **settings),
        single_seat_env=type("single_seat_env", (SingleSeatEnv,), {"game": game, **(single or {})}),
        vector_env=type("vector_env", (SeatVectorEnv,), {"game": game, **(vector or {})}),
    )
    return face


def features_that_leave_no_room(num_players: int) -> FeatureTable:
    rows = [
        (feature.name, feature.shape, feature.meaning, 0 if feature.name == "hand" else feature.high)
        for feature in musee_v0.GAME.observation.features(num_players).values()
    ]
    return FeatureTable(rows)


def after(kernel: str, spoil: Callable[..., None]) -> dict[str, Any]:
    """A kernel that is followed by something that spoils what it has written."""

    def spoiled(*arguments: Any) -> Any:
        answer = getattr(kernels, kernel)(*arguments)
        spoil(*arguments)
        return answer

    return {kernel: spoiled}


def after_showing(spoil: Callable[[np.ndarray, int, np.ndarray, np.ndarray], None]) -> dict[str, Any]:
    """Spoil the observation and the mask of a row (states, row, observation, action_mask) wherever they are written."""

    def show(states: Any, rows: Any, observation: Any, action_mask: Any, seat: Any) -> None:
        for row in rows:
            if seat[row] >= 0:
                spoil(states, row, observation[row], action_mask[row])

    def step(
        states: Any, rows: Any, actions: Any, auto_reset: Any, observation: Any, mask: Any, seat: Any, *_: Any
    ) -> None:
        show(states, rows, observation, mask, seat)

    return {**after("show", show), **after("step", step)}


def show_next_card(states: np.ndarray, row: int, observation: np.ndarray, action_mask: np.ndarray) -> None:
    observation[0] = states[row]["deck"][states[row]["deck_next"]] % 2


def hide_who_is_out(states: np.ndarray, row: int, observation: np.ndarray, action_mask: np.ndarray) -> None:
    observation[musee_v0.GAME.observation.features(2)["out"].slice] = 0


def mask_a_legal_action(states: np.ndarray, row: int, observation: np.ndarray, action_mask: np.ndarray) -> None:
    if action_mask.sum() > 1:
        action_mask[action_mask.argmax()] = 0


def allow_an_illegal_action(states: np.ndarray, row: int, observation: np.ndarray, action_mask: np.ndarray) -> None:
    action_mask[-1] = 1


def empty_mask(states: np.ndarray, row: int, observation: np.ndarray, action_mask: np.ndarray) -> None:
    if action_mask.sum() == 1:
        action_mask[:] = 0


def resample_nothing(states: np.ndarray, rows: np.ndarray, seats: np.ndarray, seed: np.uint64) -> None:
    states["random"] = seed
    states["game_seed"] = seed


def resample_the_deck_only(states: np.ndarray, rows: np.ndarray, seats: np.ndarray, seed: np.uint64) -> None:
    hands = states["hands"].copy()
    kernels.resample(states, rows, seats, seed)
    states["hands"] = hands


def resample_by_what_is_hidden(states: np.ndarray, rows: np.ndarray, seats: np.ndarray, seed: np.uint64) -> None:
    seeds = [seed + np.uint64(state["deck"][state["deck_next"]]) for state in states]
    kernels.resample(states, rows, seats, seeds[0])


def resample_and_keep_the_generator(states: np.ndarray, rows: np.ndarray, seats: np.ndarray, seed: np.uint64) -> None:
    generator = states["random"].copy()
    kernels.resample(states, rows, seats, seed)
    states["random"] = generator


def resample_the_own_hand(states: np.ndarray, rows: np.ndarray, seats: np.ndarray, seed: np.uint64) -> None:
    kernels.resample(states, rows, (seats + 1) % states["num_players"], seed)


def double_a_card(states: np.ndarray, rows: np.ndarray, *_: Any) -> None:
    for row in rows:
        if states[row]["hand_sizes"][0] > 1:
            states[row]["hands"][0, 0] = states[row]["hands"][0, 1]


def spare_the_losers(
    states: Any, rows: Any, actions: Any, auto: Any, seen: Any, mask: Any, seat: Any, rewards: Any, *_: Any
) -> None:
    rewards[rows] = np.maximum(rewards[rows], 0)


def forget_the_end(
    states: Any,
    rows: Any,
    actions: Any,
    auto: Any,
    seen: Any,
    mask: Any,
    seat: Any,
    rewards: Any,
    terminated: Any,
    *_: Any,
) -> None:
    terminated[rows] = False


def favour_the_first_row(
    states: Any, rows: Any, actions: Any, auto: Any, seen: Any, mask: Any, seat: Any, rewards: Any, *_: Any
) -> None:
    rewards[rows[0]] += 1


def show_the_old_game(states: Any, rows: Any, actions: Any, auto: Any, seen: Any, *others: Any) -> None:
    if auto:
        seen[rows] *= 1 - others[3][rows][:, None].astype(np.int8)


def deal_what_the_scores_say(states: np.ndarray, rows: np.ndarray) -> None:
    states["game_seed"][rows] += states["scores"][rows, 0].astype(np.uint64)
    kernels.next_episodes(states, rows)


def deal_at_random(states: np.ndarray, rows: np.ndarray, game_seeds: np.ndarray) -> None:
    kernels.new_episodes(states, rows, np.random.default_rng().integers(2**63, size=len(rows), dtype=np.uint64))


def deal_always_the_same(states: np.ndarray, rows: np.ndarray) -> None:
    kernels.new_episodes(states, rows, states["game_seed"][rows])


def deck_from_below(state: np.void) -> dict[str, Any]:
    setup = moves.setup_in_words(state)
    return {**setup, "deck": setup["deck"][::-1]}


def describe_without_column(state: np.void, action: int) -> dict[str, Any]:
    return {key: value for key, value in moves.describe(state, action).items() if key != "column"}


def snapshot_without_generator(env: RawEnv) -> Any:
    snapshot = RawEnv.snapshot(env)
    snapshot.state["random"] = 0
    return snapshot


def snapshot_that_is_shared(env: RawEnv) -> Any:
    return dataclasses.replace(RawEnv.snapshot(env), state=env.table.states)


def restore_that_is_shared(env: RawEnv, snapshot: Any) -> None:
    RawEnv.restore(env, snapshot)
    env.infos = snapshot.bookkeeping["infos"]
    env.rewards = snapshot.bookkeeping["rewards"]
    env.rewards["player_0"] = 5.0


def generous_step(env: CheckedEnv, action: Any) -> None:
    CheckedEnv.step(env, action)
    if env.agents and all(env.truncations.values()):
        env.unwrapped._cumulative_rewards[env.agents[0]] += 1.0


def vector_step_with(spoil: Callable[..., None]) -> dict[str, Any]:
    """A vector environment whose answers are spoiled."""

    def step(env: SeatVectorEnv, actions: Any) -> Any:
        answer = SeatVectorEnv.step(env, actions)
        spoil(*answer)
        return answer

    return {"step": step}


def final_observation_of_the_next_game(seen: Any, rewards: Any, ended: Any, cut: Any, info: dict[str, Any]) -> None:
    for row in np.flatnonzero(info.get("_final_obs", [])):
        info["final_obs"][row] = seen[row]


def seat_of_row_0_everywhere(seen: Any, rewards: Any, ended: Any, cut: Any, info: dict[str, Any]) -> None:
    info["action_mask"][:] = info["action_mask"][0]


def forget_lost_games(seen: Any, rewards: Any, ended: Any, cut: Any, info: dict[str, Any]) -> None:
    rewards[rewards < 0] = 0


def outside_of_the_space(env: SingleSeatEnv, **keywords: Any) -> Any:
    observation, info = SingleSeatEnv.reset(env, **keywords)
    return observation + 2, info


LEAK = {
    **after_showing(show_next_card),
    **after("observe", lambda states, rows, seats, seen: [show_next_card(states, r, seen[r], seen[r]) for r in rows]),
}

FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "an observation leaks": ({"kernels": LEAK}, "observation_leaks_nothing", "observation"),
    "an observation lacks something": (
        {"kernels": after_showing(hide_who_is_out)},
        "observation_is_complete",
        "out",
    ),
    "a legal action is masked": (
        {"kernels": after_showing(mask_a_legal_action)},
        "masks_are_the_legal_actions",
        "not in the mask, but can be played",
    ),
    "an illegal action is in the mask": (
        {"kernels": after_showing(allow_an_illegal_action)},
        "masks_are_the_legal_actions",
        "IllegalActionError",
    ),
    "the mover has an empty mask": (
        {"kernels": after_showing(empty_mask)},
        "over_when_all_masks_are_empty",
        "all masks",
    ),
    "resampling does nothing": (
        {"kernels": {"resample": resample_nothing}},
        "observation_leaks_nothing",
        "never dealt anew",
    ),
    "resampling leaves the hands": (
        {"kernels": {"resample": resample_the_deck_only}},
        "observation_leaks_nothing",
        "never dealt anew|is not possible|cards are",
    ),
    "resampling peeks": (
        {"kernels": {"resample": resample_by_what_is_hidden}},
        "resampling_peeks_at_nothing",
        "peeks",
    ),
    "a search foresees a shuffle": (
        {"kernels": {"resample": resample_and_keep_the_generator}},
        "resampled_games_play_on",
        "generator is kept",
    ),
    "resampling changes what is known": (
        {"kernels": {"resample": resample_the_own_hand}},
        "observation_leaks_nothing",
        "seat 0",
    ),
    "a count is larger than its column says": (
        {"observation": {"features": features_that_leave_no_room}},
        "observation_is_complete",
        "the feature 'hand' goes from 0 to 0, but 0 to 1 stand",
    ),
    "a card exists twice": ({"kernels": after("step", double_a_card)}, "invariants", "cards are"),
    "losers get nothing": ({"kernels": after("step", spare_the_losers)}, "rewards_reach_every_agent", "cancel out"),
    "the end is not told": ({"kernels": after("step", forget_the_end)}, "over_when_all_masks_are_empty", "over"),
    "threads matter": ({"kernels": after("step", favour_the_first_row)}, "threads_change_nothing", "threads=2"),
    "a batch shows the old game": (
        {"kernels": after("step", show_the_old_game)},
        "batch_row_is_aec_game",
        "observation",
    ),
    "the deal hangs on what was played": (
        {"kernels": {"next_episodes": deal_what_the_scores_say}},
        "setup_depends_on_the_seed_alone",
        "what was played",
    ),
    "a seed does not repeat": (
        {"kernels": {"new_episodes": deal_at_random}},
        "setup_depends_on_the_seed_alone",
        "setup hangs",
    ),
    "PettingZoo sees it too": ({"kernels": {"new_episodes": deal_at_random}}, "pettingzoo_seed", "AssertionError"),
    "every game is the same": (
        {"kernels": {"next_episodes": deal_always_the_same}},
        "setup_depends_on_the_seed_alone",
        "same",
    ),
    "a record tells another deck": ({"moves": {"setup_in_words": deck_from_below}}, "records", "step"),
    "two moves have the same words": (
        {"moves": {"describe": describe_without_column}},
        "words",
        "means no action|alike",
    ),
    "a snapshot forgets the generator": (
        {"raw": {"snapshot": snapshot_without_generator}},
        "copy_pickle_and_snapshot",
        "random",
    ),
    "a snapshot shares the state": (
        {"raw": {"snapshot": snapshot_that_is_shared}},
        "copy_pickle_and_snapshot",
        "after the game went on",
    ),
    "restoring spoils the rewards": (
        {"raw": {"restore": restore_that_is_shared}},
        "copy_pickle_and_snapshot",
        "rewards",
    ),
    "final_obs is not of the game that ended": (
        {"vector": vector_step_with(final_observation_of_the_next_game)},
        "vector_env_same_step",
        "observation",
    ),
    "rows get each other's masks": (
        {"vector": vector_step_with(seat_of_row_0_everywhere)},
        "vector_env_disabled",
        "action_mask",
    ),
    "a vector environment forgets lost games": (
        {"vector": vector_step_with(forget_lost_games)},
        "vector_env_next_step",
        "reward, terminated, truncated",
    ),
    "Gymnasium sees it too": ({"single": {"reset": outside_of_the_space}}, "gymnasium_env", "observation space"),
    "Stable-Baselines3 sees it too": (
        {"single": {"reset": outside_of_the_space}},
        "stable_baselines3_env",
        "AssertionError",
    ),
    "env() is not as PettingZoo's": (
        {"checked_env": type("Generous", (CheckedEnv,), {"step": generous_step})},
        "beside_pettingzoo_wrappers",
        "_cumulative_rewards",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(fault):
    parts, check, words = FAULTS[fault]
    subject = Conformance(game_with(**parts), games=2, seed=3, invariants=assert_possible)
    with pytest.raises(ConformanceError) as caught:
        subject.run(check)
    message = str(caught.value)
    assert f"{subject!r} fails {check}: " in message
    assert re.search(words, message), message
    if check in ("invariants", "observation_is_complete", "masks_are_the_legal_actions") and "Error" not in words:
        assert re.search(r"seed [34], step \d+", message), message


def test_the_copy_without_a_fault_passes():
    """What is caught above is the fault, not the copying."""
    subject = Conformance(game_with(), games=1, seed=3, invariants=assert_possible)
    for check in {check for _, check, _ in FAULTS.values()}:
        subject.run(check)


def test_a_difference_between_compiled_and_plain_python_is_caught(tmp_path, monkeypatch):
    (tmp_path / "uneven_game.py").write_text(
        "import dataclasses\n"
        "from types import SimpleNamespace\n"
        "from env_core.batch import BatchEnv\n"
        "from env_core.compile import PLAIN_PYTHON\n"
        "from musee_env import kernels, musee_v0\n"
        "def read_scores(states, rows, scores):\n"
        "    kernels.read_scores(states, rows, scores)\n"
        "    scores += PLAIN_PYTHON and states[0]['deck_size'] < 30\n"
        "parts = SimpleNamespace(**{**vars(kernels), 'read_scores': read_scores})\n"
        "GAME = dataclasses.replace(musee_v0.GAME, face='uneven_game', kernels=parts)\n"
        "def batch_env(num_envs, **settings):\n"
        "    return BatchEnv(GAME, num_envs, **settings)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    subject = Conformance(importlib.import_module("uneven_game"))
    with pytest.raises(ConformanceError, match=r"compiled and plain Python differ first \(seed 0, step [1-9]"):
        subject.run("plain_python")


def test_run_all_tells_every_fault_and_leaves_out_what_is_not_installed(monkeypatch):
    lines: list[str] = []
    fails, holds = CHECKS["words"], CHECKS["states_are_plain_data"]

    def needs_something(subject: Conformance) -> None:
        raise MissingExtraError("this check", "moonlight")

    monkeypatch.setattr(
        "env_core.testing.CHECKS", {"words": fails, "missing": needs_something, "data": holds, "again": fails}
    )
    subject = Conformance(game_with(moves={"describe": describe_without_column}), games=1)
    with pytest.raises(ConformanceError) as caught:
        subject.run_all(report=lines.append)
    assert str(caught.value).count("fails words") == 1
    assert str(caught.value).count("fails again") == 1
    outcomes = [line.split("(")[0].split()[:2] for line in lines]
    assert outcomes == [["words", "FAILS"], ["missing", "left"], ["data", "holds"], ["again", "FAILS"]]
    assert "moonlight" in lines[1]


def test_cases_are_one_for_each_check():
    subjects = Conformance(musee_v0), Conformance(musee_v0, num_players=3)
    found = cases(*subjects)
    assert len(found) == 2 * len(CHECKS)
    assert "musee_env.musee_v0(num_players=3)-words" in found
    found["musee_env.musee_v0(num_players=3)-words"]()
    with pytest.raises(KeyError):
        subjects[0].run("no such check")


def test_wrong_options_are_refused_by_the_game():
    with pytest.raises(ConformanceError, match="OptionError"):
        Conformance(musee_v0, num_players=7).run("words")
