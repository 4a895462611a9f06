"""The conformance kit: what every game of the suite must do, as checks that a user can run on a changed game.

    from env_core.testing import Conformance
    from musee_env import musee_v0

    Conformance(musee_v0, num_players=3).run_all()

In a test, one case for each check::

    CASES = cases(Conformance(musee_v0), Conformance(musee_v0, num_players=3))

    @pytest.mark.parametrize("check", CASES.values(), ids=CASES)
    def test_conformance(check):
        check()

A check plays random games and raises ``ConformanceError``, which says what was violated, in which game (its seed) and
before which step. The checks of PettingZoo, Gymnasium and Stable-Baselines3 are run as they are.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import hashlib
import importlib
import io
import json
import operator
import os
import pickle
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from env_core import records
from env_core.batch import BatchEnv
from env_core.compile import PLAIN_PYTHON
from env_core.errors import IllegalActionError, MissingExtraError
from env_core.features import FeatureTable

Invariants = Callable[[np.void], None]
Check = Callable[["Conformance"], None]

CHECKS: dict[str, Check] = {}
"""Every check of the kit by name, in the order in which ``run_all`` runs them."""

LONGEST_GAME = 10_000
"""More steps than this, and a game is taken to have no end."""


class ConformanceError(AssertionError):
    """A game does not do what every game of the suite must do."""


class Conformance:
    """One game, under one set of options, to be checked.

    Args:
        face: The game's face, for example the module ``musee_v0``.
        invariants: Called with a state (one element of the structured array) at every step of some games; raises
            ``AssertionError`` if the state is not possible. For a card game: cards are conserved and unique.
        games: Random games that each check plays.
        seed: The first game's seed; the others follow.
        **options: The game's options.
    """

    def __init__(
        self,
        face: ModuleType,
        *,
        invariants: Invariants | None = None,
        games: int = 3,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.face = face
        self.invariants = invariants
        self.seeds = range(seed, seed + games)
        self.options = options

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.face.__name__}({options})"

    def raw_env(self) -> Any:
        """A new ``raw_env`` of the game."""
        return self.face.raw_env(**self.options)

    def env(self, render_mode: str | None = None) -> Any:
        """A new ``env()`` of the game."""
        return self.face.env(render_mode=render_mode, **self.options)

    def batch_env(self, num_envs: int, **settings: Any) -> BatchEnv:
        """A new batch of the game."""
        return self.face.batch_env(num_envs, **settings, **self.options)

    def run(self, name: str) -> None:
        """Run one check.

        Args:
            name: A key of ``CHECKS``.

        Raises:
            ConformanceError: The game does not pass.
            KeyError: There is no such check.
            MissingExtraError: The check needs a library that is not installed.
        """
        check = CHECKS[name]
        try:
            check(self)
        except MissingExtraError:
            raise
        except Exception as error:
            what = str(error) if isinstance(error, ConformanceError) else f"{type(error).__name__}: {error}"
            raise ConformanceError(f"{self!r} fails {name}: {what}") from error

    def run_all(self, report: Callable[[str], Any] = print) -> None:
        """Run every check and say how each went; those that need a library that is not installed are left out.

        Args:
            report: Called with one line for each check.

        Raises:
            ConformanceError: The game does not pass; the message has all that was found.
        """
        faults = []
        for name in CHECKS:
            start = time.perf_counter()
            try:
                self.run(name)
                outcome = "holds"
            except MissingExtraError as error:
                outcome = f"left out: {error}"
            except ConformanceError as error:
                faults.append(str(error))
                outcome = "FAILS"
            report(f"{name:<40} {outcome} ({time.perf_counter() - start:.1f} s)")
        if faults:
            raise ConformanceError("\n".join(faults))


def cases(*subjects: Conformance) -> dict[str, Callable[[], None]]:
    """Every check of every subject, by a name for a test's parameters; each is called without arguments."""
    return {f"{subject!r}-{name}": functools.partial(subject.run, name) for subject in subjects for name in CHECKS}


# --- Tools -----------------------------------------------------------------------------------------------------------


def _check(function: Check) -> Check:
    CHECKS[function.__name__.removeprefix("check_")] = function
    return function


def _require(holds: Any, what: str, seed: int | None = None, step: int | None = None) -> None:
    if not holds:
        where = ", ".join(f"{name} {value}" for name, value in (("seed", seed), ("step", step)) if value is not None)
        raise ConformanceError(f"{what} ({where})" if where else what)


def _require_same(found: Any, expected: Any, what: str, seed: int | None = None, step: int | None = None) -> None:
    difference = _difference(found, expected)
    if difference is not None:
        _require(False, f"{what}: {difference}", seed, step)


def _difference(found: Any, expected: Any, path: str = "") -> str | None:
    """Where two nested values differ first, in words, or None."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        if list(found) != list(expected):
            return f"{path or 'keys'}: {list(found)} instead of {list(expected)}"
        items: Any = [(f"{path}[{key!r}]", found[key], expected[key]) for key in found]
    elif isinstance(found, (list, tuple)) and isinstance(expected, (list, tuple)):
        if len(found) != len(expected):
            return f"{path or 'length'}: {len(found)} elements instead of {len(expected)}"
        items = [(f"{path}[{place}]", *pair) for place, pair in enumerate(zip(found, expected, strict=True))]
    elif isinstance(found, np.ndarray) and isinstance(expected, np.ndarray):
        if found.dtype != expected.dtype or found.shape != expected.shape:
            return f"{path}: {found.dtype}{found.shape} instead of {expected.dtype}{expected.shape}"
        if found.dtype.names:
            if found.tobytes() == expected.tobytes():
                return None
            fields = [name for name in found.dtype.names if (found[name] != expected[name]).any()]
            return f"{path} differs in {', '.join(fields) or 'bytes between the fields'}"
        if np.array_equal(found, expected):
            return None
        place = tuple(int(index) for index in np.argwhere(found != expected)[0])
        return f"{path}{list(place)} is {found[place]} instead of {expected[place]}"
    else:
        same = type(found) is type(expected) and bool(found == expected)
        return None if same else f"{path} {found!r} instead of {expected!r}".strip()
    return next((text for where, a, b in items if (text := _difference(a, b, where)) is not None), None)


def _random_game(env: Any, seed: int, **reset: Any) -> Iterator[int]:
    """Reset, then play random legal moves to the end; yield the number of each step before it, and the last one."""
    rng = np.random.default_rng(seed)
    env.reset(**(reset or {"seed": seed}))
    for step in range(LONGEST_GAME):
        yield step
        legal = env.legal_actions()
        if not legal:
            return
        env.step(int(rng.choice(legal)))
    raise ConformanceError(f"the game has not ended after {LONGEST_GAME} steps (seed {seed})")


def _game_length(subject: Conformance, seed: int) -> int:
    return max(_random_game(subject.raw_env(), seed))


def _random_steps(subject: Conformance, seed: int, count: int = 3) -> list[int]:
    """The first step of a random game, its end, and ``count`` in between."""
    length = _game_length(subject, seed)
    between = np.random.default_rng(seed + 1).integers(1, max(length, 2), count).tolist()
    return sorted({0, length, *between})


def _batch_view(batch: BatchEnv) -> dict[str, np.ndarray]:
    """Copies of all that a batch shows."""
    return {"states": batch.states.copy(), **{name: buffer.copy() for name, buffer in batch.result._asdict().items()}}


def _play_on(env: Any, seed: int) -> list[Any]:
    """Play random moves to the end and into one more game; all that was seen on the way."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(2):
        while env.legal_actions():
            env.step(int(rng.choice(env.legal_actions())))
            seen.append(_view(env))
        env.reset()
        seen.append(_view(env))
    return seen


def _view(env: Any) -> dict[str, Any]:
    """Everything of an AEC environment that its user can see."""
    raw = env.unwrapped
    view: dict[str, Any] = {"agents": list(env.agents), "agent_selection": env.agent_selection if env.agents else None}
    for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
        view[name] = dict(getattr(raw, name))
    view["infos"] = copy.deepcopy(dict(env.infos))
    view["observations"] = {agent: env.observe(agent) for agent in env.possible_agents}
    view["state"] = env.state()
    view["states"] = raw.table.states.copy()
    view["legal_actions"] = env.legal_actions()
    return view


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Other libraries' checks print and warn much; what they raise is what counts."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _needs(library: str, needed_for: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise MissingExtraError(needed_for, extra) from error


# --- PettingZoo's own checks -----------------------------------------------------------------------------------------


@_check
def check_pettingzoo_api(subject: Conformance) -> None:
    """PettingZoo's ``api_test``."""
    from pettingzoo.test import api_test

    with _quiet():
        api_test(subject.env(), num_cycles=300)


@_check
def check_pettingzoo_seed(subject: Conformance) -> None:
    """PettingZoo's ``seed_test``."""
    from pettingzoo.test import seed_test

    with _quiet():
        seed_test(subject.env, num_cycles=300)


@_check
def check_pettingzoo_state(subject: Conformance) -> None:
    """PettingZoo's ``state_test``; of the parallel environment it wants, it calls what an AEC one has as well."""
    from pettingzoo.test.state_test import state_test

    with _quiet():
        state_test(subject.env(), subject.env(), num_cycles=100)


@_check
def check_pettingzoo_render(subject: Conformance) -> None:
    """PettingZoo's ``render_test``, on a screen that need not exist."""
    from pettingzoo.test import render_test

    _needs("pygame", "check pettingzoo_render", "render")
    before = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        with _quiet():
            render_test(subject.env)
    finally:
        if before is None:
            del os.environ["SDL_VIDEODRIVER"]
        else:
            os.environ["SDL_VIDEODRIVER"] = before


@_check
def check_beside_pettingzoo_wrappers(subject: Conformance) -> None:
    """``env()`` and PettingZoo's three wrappers around ``raw_env`` answer alike to any calls in any order."""
    from pettingzoo.utils import wrappers

    for seed in subject.seeds:
        for script in range(4):
            ours = subject.env()
            theirs: Any = wrappers.TerminateIllegalWrapper(subject.raw_env(), illegal_reward=-1)
            theirs = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(theirs))
            with _quiet():
                _call_both(ours, theirs, seed, script)


_AFTER_RESET = ("agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
_MISTAKES_IN_A_HUNDRED = (0, 2, 15, 60)
"""How often each script of calls does something that ought not to be done."""


def _call_both(ours: Any, theirs: Any, seed: int, script: int) -> None:
    rng = np.random.default_rng([seed, script])
    agents = ours.possible_agents
    size = ours.action_space(agents[0]).n
    iterators: dict[Any, Any] = {}
    has_reset = False
    step = -1

    def both(what: str, call: Callable[[Any], Any]) -> None:
        answers = [_answer(call, env) for env in (ours, theirs)]
        if has_reset and (not theirs.agents or any(theirs.terminations.values())):
            # After an illegal action the wrappers still show the mask of the one who played it; in this suite all masks
            # of a game that is over are empty.
            answers = [(kind, _without_masks(answer)) for kind, answer in answers]
        fault = _answer_difference(*answers)
        if fault is not None:
            what = f"script {script}: env() differs from PettingZoo's wrappers in {what}: {fault}"
        _require(fault is None, what, seed, step)

    def call(name: str, *arguments: Any, **keywords: Any) -> None:
        shown = ", ".join([*map(repr, arguments), *(f"{key}={value!r}" for key, value in keywords.items())])
        both(f"{name}({shown})", operator.methodcaller(name, *arguments, **keywords))

    def look() -> None:
        for name in (*_AFTER_RESET, "_cumulative_rewards"):
            both(name, lambda env, name=name: copy.deepcopy(getattr(env, name)))  # type: ignore[misc]
        call("last")
        call("state")
        both("str()", str)

    for agent in agents:
        call("observe", agent)
    for name, *arguments in (("step", 0), ("agent_iter",), ("render",), ("close",)):
        call(name, *arguments)
    look()
    call("reset", seed=seed)
    has_reset = True
    for step in range(150):
        mistake = rng.integers(100) < _MISTAKES_IN_A_HUNDRED[script]
        legal = ours.unwrapped.legal_actions() if ours.unwrapped.agents else []
        action: Any
        if mistake:
            illegal = [number for number in range(size) if number not in legal]
            action = [None, -1, size, 2**70, "word", 1.5, np.array([0]), *legal[:1], *illegal[-1:], *illegal[:1]]
            action = action[rng.integers(len(action))]
        else:
            action = _in_some_type(int(rng.choice(legal)), rng) if legal else None
        kind = rng.integers(12)
        if kind == 0:
            for agent in agents:
                call("observe", agent)
        elif kind == 1:
            iterators = {env: iter(env.agent_iter()) for env in (ours, theirs)}
        elif kind == 2 and mistake:
            call("last", observe=False)
            call("reset", seed=seed + step)
        if iterators and rng.integers(3):
            both("next of agent_iter()", lambda env: next(iterators[env]))  # noqa: B023 - called at once
        call("step", action)
        look()
        if any(ours.unwrapped.terminations.values()):
            for agent in ours.agents:
                over = not ours.observe(agent)["action_mask"].any() and not ours.infos[agent]["action_mask"].any()
                _require(over, f"script {script}: the game is over, but the mask of {agent} is not empty", seed, step)
        if not ours.unwrapped.agents and rng.integers(2):
            # Neither is given a seed, so both deal the next game of the same stream.
            call("reset")


def _in_some_type(action: int, rng: np.random.Generator) -> Any:
    return (int, np.int64, np.uint8 if action < 256 else np.int32, np.int16)[rng.integers(4)](action)


def _answer(call: Callable[[Any], Any], env: Any) -> tuple[str, Any]:
    try:
        value = call(env)
    except Exception as error:
        return "raises", error
    plain = isinstance(value, (dict, list, tuple, str, int, float, bool, np.ndarray, type(None)))
    return "gives", value if plain else type(value).__mro__[-2]


def _answer_difference(ours: tuple[str, Any], theirs: tuple[str, Any]) -> str | None:
    if ours[0] != theirs[0]:
        return f"one {ours[0]} {ours[1]!r}, the other {theirs[0]} {theirs[1]!r}"
    if ours[0] == "gives":
        return _difference(_as_floats(ours[1]), _as_floats(theirs[1]))
    if isinstance(ours[1], type(theirs[1])):
        return None
    return f"one raises {ours[1]!r}, the other {theirs[1]!r}"


def _without_masks(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_masks(item) for key, item in value.items() if key != "action_mask"}
    return tuple(map(_without_masks, value)) if isinstance(value, tuple) else value


def _as_floats(value: Any) -> Any:
    # The wrappers mix 0 and 0.0.
    if isinstance(value, Mapping):
        return {key: _as_floats(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_as_floats, value))
    return float(value) if type(value) is int else value


# --- Actions and masks -----------------------------------------------------------------------------------------------


@_check
def check_masks_are_the_legal_actions(subject: Conformance) -> None:
    """The mover's mask is never empty and is exactly what can be played; all else is refused and changes nothing."""
    env = subject.raw_env()
    for seed in subject.seeds:
        tried_at = _random_steps(subject, seed, count=4)
        for step in _random_game(env, seed):
            mover = env.agent_selection if env.legal_actions() else None
            for agent in env.possible_agents:
                mask = env.observe(agent)["action_mask"]
                _require(
                    mask.dtype == np.int8 and set(mask.tolist()) <= {0, 1}, "a mask holds more than 0 and 1", seed, step
                )
                _require(mask.any() == (agent == mover), f"the mask of {agent} (to move: {mover}) is wrong", seed, step)
                _require_same(env.infos[agent]["action_mask"], mask, f"mask in the info of {agent}", seed, step)
                if agent == mover:
                    _require_same(np.flatnonzero(mask).tolist(), env.legal_actions(), "legal_actions()", seed, step)
            if step in tried_at and mover is not None:
                _require_legal_is_playable(env, seed, step)


def _require_legal_is_playable(env: Any, seed: int, step: int) -> None:
    legal, before, number = env.legal_actions(), _view(env), env.action_space(env.agent_selection).n
    for action in range(-1, number + 1):
        if action in legal:
            twin = copy.deepcopy(env)
            twin.step(action)
            moved = twin.table.states.tobytes() != env.table.states.tobytes()
            _require(moved, f"nothing happens at the legal action {action}", seed, step)
            continue
        try:
            env.step(action)
        except IllegalActionError as error:
            _require(str(action) in str(error), f"the refusal of action {action} does not name it: {error}", seed, step)
        else:
            _require(False, f"action {action} is not in the mask, but can be played", seed, step)
    _require_same(_view(env), before, "refused actions have changed something", seed, step)


@_check
def check_over_when_all_masks_are_empty(subject: Conformance) -> None:
    """A game is over exactly when every mask is empty, in the AEC environment and in the batch."""
    env = subject.raw_env()
    for seed in subject.seeds:
        for step in _random_game(env, seed):
            empty = not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
            over = all(env.terminations[agent] or env.truncations[agent] for agent in env.agents)
            _require(empty == over, f"all masks empty: {empty}, over: {over}", seed, step)
            _require(env.agents == env.possible_agents, "an agent has left before the end", seed, step)
        for agent in list(env.agents):
            _require(env.agent_selection == agent, f"{env.agent_selection} is selected instead of {agent}", seed)
            env.step(None)
        _require(env.agents == [], "an agent is left after all have stepped with None", seed)
    batch = subject.batch_env(8, auto_reset=False)
    batch.reset(seed=subject.seeds[0])
    while (batch.seat >= 0).any():
        before = batch.seat >= 0
        batch.step(batch.sample_legal(subject.seeds[0]))
        finished = batch.seat < 0
        _require(
            (finished == ~batch.action_mask.any(axis=1)).all(), "a batch's seats and masks disagree on what is over"
        )
        ended = batch.result.terminated | batch.result.truncated
        _require(
            (ended == (before & finished)).all(), "a batch's flags do not stand exactly at the step that ends a game"
        )
        _require(not batch.observation[finished].any(), "a finished row shows an observation")


def _require_types_count(env: Any, words: dict[str, Any], seed: int, step: int) -> None:
    for key, value in words.items():
        if type(value) is int:
            # Equal to Python, but not what a record may hold.
            wrong = {**words, key: float(value)}
            try:
                env.encode(wrong)
            except IllegalActionError:
                continue
            _require(False, f"encode takes {wrong}, with a float for an integer", seed, step)


@_check
def check_words(subject: Conformance) -> None:
    """Distinct legal actions have distinct words, and ``encode`` is the inverse of ``describe``, types and all."""
    env = subject.raw_env()
    for seed in subject.seeds:
        for step in _random_game(env, seed):
            legal = env.legal_actions()
            words = [env.describe(action) for action in legal]
            _require_same([env.encode(word) for word in words], legal, "encode(describe(action))", seed, step)
            for word in {word["kind"]: word for word in words}.values():
                _require_types_count(env, word, seed, step)
            _require(len({json.dumps(word, sort_keys=True) for word in words}) == len(words), "two alike", seed, step)


@_check
def check_rewards_reach_every_agent(subject: Conformance) -> None:
    """What ``last()`` hands out over a game is the record's total of each seat, also to those who did not end it."""
    env = subject.env()
    for seed in subject.seeds:
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter(LONGEST_GAME):
            observation, reward, termination, truncation, _ = env.last()
            totals[agent] += reward
            over = termination or truncation
            env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        result = env.unwrapped.record()["result"]
        _require(result is not None, "the record of a finished game has no result", seed)
        handed_out = list(totals.values())
        _require(np.allclose(handed_out, result["rewards"], atol=1e-5), f"{handed_out}, not {result['rewards']}", seed)
        states = env.unwrapped.table.states
        if env.options.reward in ("outcome", "margin"):
            sides = handed_out[: int(states["num_sides"][0])]
            _require(
                abs(sum(sides)) < 1e-5, f"{env.options.reward} rewards of the sides {sides} do not cancel out", seed
            )


# --- Copies and records ----------------------------------------------------------------------------------------------


@_check
def check_copy_pickle_and_snapshot(subject: Conformance) -> None:
    """Copy, pickle and snapshot give the same game mid-play, and the same games after it, and share nothing with it."""
    for seed in subject.seeds:
        wanted = _random_steps(subject, seed)
        env = subject.raw_env()
        for step in _random_game(env, seed):
            if step not in wanted:
                continue
            before, record = _view(env), env.record()
            twins = {
                "copy.deepcopy": copy.deepcopy(env),
                "pickle": pickle.loads(pickle.dumps(env)),
                "a pickled snapshot, restored": subject.raw_env(),
                "a snapshot, restored through env()": subject.env(),
                "a snapshot, restored over another game": subject.raw_env(),
            }
            twins["a snapshot, restored over another game"].reset(seed=seed + 1)
            snapshot = env.snapshot()
            moved_on = copy.deepcopy(env)
            earlier = moved_on.snapshot()
            _play_on(moved_on, seed)
            moved_on.restore(earlier)
            _require_same(_view(moved_on), before, "a snapshot, restored after the game went on", seed, step)
            for name, twin in twins.items():
                if "snapshot" in name:
                    twin.restore(pickle.loads(pickle.dumps(snapshot)) if "pickled" in name else snapshot)
            expected = _play_on(copy.deepcopy(env), seed)
            for name, twin in twins.items():
                _require_same(_view(twin), before, name, seed, step)
                _require_same(twin.record(), record, f"the record of {name}", seed, step)
                _require_same(_play_on(twin, seed), expected, f"{name}, played on", seed, step)
            _require_same(_view(env), before, "playing a copy has changed the original", seed, step)


@_check
def check_batch_copies(subject: Conformance) -> None:
    """A batch's copies, selections, pickles and playouts stand as it does and leave it untouched."""
    seed = subject.seeds[0]
    batch = subject.batch_env(6)
    batch.reset(seed=seed)
    for step in range(_game_length(subject, seed)):
        batch.step(batch.sample_legal(seed + step))
    before = _batch_view(batch)
    pickled, copied, deep = pickle.loads(pickle.dumps(batch)), batch.copy(), copy.deepcopy(batch)
    taken = batch.take([4, 0, 4])
    shown = ("states", "observation", "action_mask", "seat")
    for name, twin, rows in (
        ("pickle", pickled, range(6)),
        ("copy()", copied, range(6)),
        ("copy.deepcopy", deep, range(6)),
        ("take()", taken, [4, 0, 4]),
    ):
        view = _batch_view(twin)
        for part in shown:
            _require_same(view[part], before[part][list(rows)], f"{name}: {part}", seed)
        twin.step(twin.sample_legal(seed))
    first = batch.playout(seed)
    _require_same(first, batch.playout(seed), "a playout with the same seed", seed)
    _require_same(_batch_view(batch), before, "a copy's step or a playout has changed the batch", seed)
    loaded = subject.batch_env(6)
    loaded.load_states(np.frombuffer(before["states"].tobytes(), before["states"].dtype))
    for part in shown:
        _require_same(_batch_view(loaded)[part], before[part], f"load_states: {part}", seed)
    some = np.array([1, 3])
    actions = batch.sample_legal(seed + 9)
    whole = batch.copy()
    whole.step(actions)
    batch.step(actions[some], some)
    for part, buffer in _batch_view(batch).items():
        _require_same(buffer[some], _batch_view(whole)[part][some], f"a step of some rows: {part}", seed)
        others = [row for row in range(6) if row not in some]
        _require_same(buffer[others], before[part][others], f"a step of some rows changes the others: {part}", seed)


@_check
def check_records(subject: Conformance) -> None:
    """A record holds, survives JSON, and gives back the game before any of its steps."""
    env_class = subject.face.raw_env
    for seed in subject.seeds:
        env = subject.raw_env()
        wanted = _random_steps(subject, seed)
        positions = {}
        for step in _random_game(env, seed):
            if step in wanted:
                positions[len(env.record()["steps"])] = (step, copy.deepcopy(env))
        record = env.record()
        _require_same(json.loads(json.dumps(record)), record, "a record through JSON", seed)
        _require_same(records.check(env_class, record).record(), record, "a record played back", seed)
        for number, (step, expected) in positions.items():
            unfinished = expected.record()
            _require_same(unfinished["steps"], record["steps"][:number], "the record so far", seed, step)
            again = env_class.from_record(record, number)
            _require_same(_view(again), _view(expected), "from_record", seed, step)
            _require_same(again.record(), unfinished, "the record of from_record", seed, step)
            _require_same(
                _view(records.check(env_class, unfinished)), _view(expected), "an unfinished record", seed, step
            )


# --- Determinism -----------------------------------------------------------------------------------------------------


@_check
def check_batch_row_is_aec_game(subject: Conformance) -> None:
    """Row 0 of a batch plays the AEC environment's games, also those that follow; ``game_seed`` names any row's."""
    seed = subject.seeds[0]
    batch = subject.batch_env(3, auto_reset=True)
    batch.reset(seed=seed)
    alone = subject.batch_env(1)
    alone.reset(seed=seed)
    envs = [subject.raw_env() for _ in range(3)]
    envs[0].reset(seed=seed)
    for row in (1, 2):
        envs[row].reset(options={"game_seed": batch.game_seed(row)})
    games = [0, 0, 0]
    for step in range(LONGEST_GAME):
        for row, env in enumerate(envs):
            where = f"row {row}, game {games[row]}"
            _require_same(batch.states[row : row + 1], env.table.states, f"{where}: states", seed, step)
            seen = env.observe(env.agent_selection)
            _require_same(batch.observation[row], seen["observation"], f"{where}: observation", seed, step)
            _require_same(batch.action_mask[row], seen["action_mask"], f"{where}: mask", seed, step)
        if min(games) == 2:
            return
        actions = batch.sample_legal(seed + step)
        result = batch.step(actions)
        single = alone.step(actions[:1])
        for name, buffer in result._asdict().items():
            _require_same(buffer[:1], getattr(single, name), f"row 0 of 3 and of 1: {name}", seed, step)
        for row, env in enumerate(envs):
            env.step(actions[row])
            over = not env.legal_actions()
            _require(over == (result.terminated[row] or result.truncated[row]), "the ends differ", seed, step)
            rewards = np.array([env.rewards[agent] for agent in env.agents], dtype=np.float32)
            _require_same(result.rewards[row], rewards, f"row {row}: rewards", seed, step)
            _require_same(result.scores[row], env.table.scores()[0], f"row {row}: scores", seed, step)
            if over:
                env.reset()
                games[row] += 1
    raise ConformanceError(f"two games have not ended after {LONGEST_GAME} steps (seed {seed})")


@_check
def check_setup_depends_on_the_seed_alone(subject: Conformance) -> None:
    """Same seed, same setup, whatever was played before; another seed, another setup."""
    env = subject.raw_env()
    setups, next_setups = [], []
    for play_seed in range(3):
        env.reset(seed=subject.seeds[0])
        setups.append(env.record()["setup"])
        rng = np.random.default_rng(play_seed)
        for _ in range(play_seed * 4):
            if env.legal_actions():
                env.step(int(rng.choice(env.legal_actions())))
        env.reset()
        next_setups.append(env.record()["setup"])
    for found in (setups, next_setups):
        _require(found[0] == found[1] == found[2], "the setup hangs on what was played before", subject.seeds[0])
    _require(setups[0] != next_setups[0], "the next game is the same game", subject.seeds[0])
    env.reset(seed=subject.seeds[0] + 1)
    _require(env.record()["setup"] != setups[0], "another seed deals the same game", subject.seeds[0])


@_check
def check_threads_change_nothing(subject: Conformance) -> None:
    """Rows shared among threads play as one thread plays them."""
    seed = subject.seeds[0]
    batches = [subject.batch_env(37, threads=threads) for threads in (1, 2, 3)]
    for batch in batches:
        batch.reset(seed=seed)
    for step in range(2 * _game_length(subject, seed)):
        actions = batches[0].sample_legal(seed + step)
        for batch in batches:
            batch.step(actions)
        for batch in batches[1:]:
            _require_same(_batch_view(batch), _batch_view(batches[0]), f"threads={batch.threads}", seed, step)


@_check
def check_plain_python(subject: Conformance) -> None:
    """Without compilation (``NUMBA_DISABLE_JIT=1``) the same games are played, byte for byte."""
    question = json.dumps([subject.face.__name__, subject.options, subject.seeds[0]])
    answers = []
    for plain in (False, True):
        if plain == PLAIN_PYTHON:
            answers.append(_hashes_of_games(subject.face.__name__, subject.options, subject.seeds[0]))
            continue
        ran = subprocess.run(
            [sys.executable, "-m", __name__, question],
            env={**os.environ, "NUMBA_DISABLE_JIT": str(int(plain)), "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
        )
        _require(ran.returncode == 0, f"NUMBA_DISABLE_JIT={int(plain)} fails:\n{ran.stderr}", subject.seeds[0])
        answers.append(json.loads(ran.stdout.splitlines()[-1]))
    compiled, plain_python = answers
    steps = [step for step, pair in enumerate(zip(compiled, plain_python, strict=False)) if pair[0] != pair[1]]
    _require(not steps, "compiled and plain Python differ first", subject.seeds[0], steps[0] if steps else None)
    _require(len(compiled) == len(plain_python), "compiled and plain Python play games of other lengths")


def _hashes_of_games(face_name: str, options: dict[str, Any], seed: int) -> list[str]:
    """One hash for each step of a game in each of a few rows: states, buffers, and what resampling makes of them."""
    face = importlib.import_module(face_name)
    batch = face.batch_env(2, **options)
    batch.reset(seed=seed)
    hashes: list[str] = []
    ended = np.zeros(batch.num_envs, dtype=bool)
    while not ended.all():
        digest = hashlib.sha256()
        for buffer in (*_batch_view(batch).values(), batch.perfect_information(), batch.scores(), batch.standings()):
            digest.update(np.ascontiguousarray(buffer).tobytes())
        if len(hashes) % 8 == 0:
            digest.update(batch.resample_hidden(batch.seat, seed + len(hashes)).states.tobytes())
            digest.update(batch.observe(len(hashes) % batch.num_players).tobytes())
        hashes.append(digest.hexdigest())
        result = batch.step(batch.sample_legal(seed + len(hashes)))
        ended |= result.terminated | result.truncated
    scores, rewards = batch.playout(seed)
    hashes.append(hashlib.sha256(scores.tobytes() + rewards.tobytes()).hexdigest())
    return hashes


# --- Gymnasium's doors -----------------------------------------------------------------------------------------------


@_check
def check_gymnasium_env(subject: Conformance) -> None:
    """Gymnasium's ``check_env`` on the single-seat environment."""
    from gymnasium.utils.env_checker import check_env

    with _quiet():
        check_env(subject.face.single_seat_env(**subject.options), skip_render_check=True)


@_check
def check_stable_baselines3_env(subject: Conformance) -> None:
    """Stable-Baselines3's ``check_env`` on the single-seat environment."""
    checker = _needs("stable_baselines3.common.env_checker", "check stable_baselines3_env", "train")
    with _quiet():
        checker.check_env(subject.face.single_seat_env(**subject.options), skip_render_check=True)


class _ByObservation:
    """Plays legal actions that hang on nothing but what is seen, so that a row plays alike in any company."""

    needs_states = False

    def __call__(
        self, observation: np.ndarray, action_mask: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        weights = np.arange(1, observation.shape[1] + 1)
        chosen = (observation.astype(np.int64) @ weights) % action_mask.sum(axis=1)
        return (np.cumsum(action_mask, axis=1) > chosen[:, None]).argmax(axis=1)


@_check
def check_vector_env_spaces(subject: Conformance) -> None:
    """The vector environment's spaces are those of the single one, batched, and hold what it gives."""
    from gymnasium.vector.utils import batch_space

    single = subject.face.single_seat_env(**subject.options)
    vector = subject.face.vector_env(5, **subject.options)
    for name in ("observation_space", "action_space"):
        alone = getattr(single, name)
        _require(getattr(vector, f"single_{name}") == alone, f"single_{name} is not that of the single environment")
        _require(getattr(vector, name) == batch_space(alone, 5), f"{name} is not the single one, batched")
    observation, info = vector.reset(seed=subject.seeds[0])
    rng = np.random.default_rng(subject.seeds[0])
    for step in range(100):
        _require(observation in vector.observation_space, "an observation is not in its space", subject.seeds[0], step)
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in info["action_mask"]])
        _require(actions in vector.action_space, "legal actions are not in their space", subject.seeds[0], step)
        observation, rewards, terminations, truncations, info = vector.step(actions)
        for name, array, kind in (
            ("rewards", rewards, np.float64),
            ("terminations", terminations, np.bool_),
            ("truncations", truncations, np.bool_),
        ):
            _require(array.shape == (5,) and array.dtype == kind, f"{name}: {array.dtype}{array.shape}")


@_check
def check_vector_env_next_step(subject: Conformance) -> None:
    """Rows are what single environments give, with autoreset at the next step."""
    _require_rows_are_single_games(subject, "NEXT_STEP")


@_check
def check_vector_env_same_step(subject: Conformance) -> None:
    """Rows are what single environments give, with autoreset at the same step, ``final_obs`` and ``final_info``."""
    _require_rows_are_single_games(subject, "SAME_STEP")


@_check
def check_vector_env_disabled(subject: Conformance) -> None:
    """Rows are what single environments give, where the user resets by ``reset_mask``."""
    _require_rows_are_single_games(subject, "DISABLED")


def _require_rows_are_single_games(subject: Conformance, mode_name: str) -> None:
    from gymnasium.vector import AutoresetMode

    mode = AutoresetMode[mode_name]
    seed, rows = subject.seeds[0], 3
    setting = {"opponents": _ByObservation(), "learner_seat": 1, **subject.options}
    vector = subject.face.vector_env(rows, autoreset_mode=mode, **setting)
    singles = [subject.face.single_seat_env(**setting) for _ in range(rows)]
    observation, info = vector.reset(seed=seed)
    seen = [env.reset(options={"game_seed": vector.learners.batch.game_seed(row)}) for row, env in enumerate(singles)]
    over = np.zeros(rows, dtype=bool)
    games = np.zeros(rows, dtype=int)
    rng = np.random.default_rng(seed)

    def compare(row: int, found: np.ndarray, infos: dict[str, Any], expected: tuple[Any, dict[str, Any]]) -> None:
        _require_same(found, expected[0], f"row {row}: observation", seed, step)
        for key, value in expected[1].items():
            _require(key in infos and infos[f"_{key}"][row], f"row {row}: info has no {key!r}", seed, step)
            _require_same(_plain(infos[key][row]), _plain(value), f"row {row}: info[{key!r}]", seed, step)

    step = -1
    for row in range(rows):
        compare(row, observation[row], info, seen[row])
    for step in range(LONGEST_GAME):
        if (games >= 2).all():
            return
        if mode is AutoresetMode.DISABLED and over.any():
            observation, info = vector.reset(options={"reset_mask": over.copy()})
            for row in np.flatnonzero(over).tolist():
                seen[row] = singles[row].reset()
                compare(row, observation[row], info, seen[row])
            over[:] = False
        # A row that this step resets takes any action.
        actions = np.array([_mostly_legal(info["action_mask"], rng) for _, info in seen])
        observation, rewards, terminations, truncations, info = vector.step(actions)
        for row, env in enumerate(singles):
            if over[row]:
                seen[row] = env.reset()
                outcome: tuple[Any, ...] = (0.0, False, False)
            else:
                shown, *answer, single_info = env.step(actions[row])
                seen[row], outcome = (shown, single_info), tuple(answer)
            found = (float(rewards[row]), bool(terminations[row]), bool(truncations[row]))
            _require_same(found, outcome, f"row {row}: reward, terminated, truncated", seed, step)
            over[row] = outcome[1] or outcome[2]
            games[row] += over[row]
            if over[row] and mode is AutoresetMode.SAME_STEP:
                _require("final_obs" in info and info["_final_obs"][row], f"row {row}: no final_obs", seed, step)
                _require(info["_final_info"][row], f"row {row}: no final_info", seed, step)
                compare(row, info["final_obs"][row], info["final_info"], seen[row])
                seen[row] = env.reset()
                over[row] = False
            compare(row, observation[row], info, seen[row])
    raise ConformanceError(f"two games of each row have not ended after {LONGEST_GAME} steps (seed {seed})")


def _mostly_legal(mask: np.ndarray, rng: np.random.Generator) -> int:
    wanted = mask == (rng.integers(40) > 0)
    return int(rng.choice(np.flatnonzero(wanted))) if wanted.any() else int(mask.argmax())


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


# --- Observation and hidden information ------------------------------------------------------------------------------


@_check
def check_observation_is_complete(subject: Conformance) -> None:
    """All that a seat knows can be read back from its observation alone, and every column keeps to its space."""
    game = subject.face.GAME
    env = subject.raw_env()
    players = env.table.num_players
    for seed in subject.seeds:
        for step in _random_game(env, seed):
            for seat, agent in enumerate(env.possible_agents):
                seen = env.observe(agent)
                _require_within(env.observation_features, seen["observation"], f"what {agent} sees", seed, step)
                _require(
                    env.observation_space(agent).contains(seen), f"{agent} sees what its space has not", seed, step
                )
                known = game.observation.knowledge(env.table.states[0], seat)
                read = game.observation.read_observation(seen["observation"], players)
                _require_same(read, known, f"what {agent} knows, read from its observation", seed, step)
            _require_within(env.state_features, env.state(), "state()", seed, step)
            _require(env.state_space.contains(env.state()), "state() is not in its space", seed, step)


def _require_within(features: FeatureTable, columns: np.ndarray, what: str, seed: int, step: int) -> None:
    for feature in features.values():
        found = feature.of(columns)
        _require(
            found.min() >= 0 and found.max() <= feature.high,
            f"{what}: the feature {feature.name!r} goes from 0 to {feature.high}, but {found.min()} to {found.max()} "
            "stand there",
            seed,
            step,
        )


@_check
def check_observation_leaks_nothing(subject: Conformance) -> None:
    """Dealing anew what a seat cannot know leaves its observation, mask and knowledge as they were."""
    observation = subject.face.GAME.observation
    env = subject.raw_env()
    seats = range(env.table.num_players)
    unvaried = {(seat, other) for seat in seats for other in seats if other != seat}
    for seed in subject.seeds:
        for step in _random_game(env, seed):
            before = env.table.states.copy()
            for seat in seats:
                resampled = env.table.resample_hidden(seat, seed + step)
                what = f"resampled for seat {seat}"
                _require_same(env.table.states, before, f"{what}: the batch itself has changed", seed, step)
                _require_same(resampled.observe(seat), env.table.observe(seat), f"{what}: observation", seed, step)
                if env.table.seat[0] in (seat, -1):
                    _require_same(resampled.action_mask, env.table.action_mask, f"{what}: mask", seed, step)
                _require(resampled.seat[0] == env.table.seat[0], f"{what}: another seat is to move", seed, step)
                knowledge = observation.knowledge(resampled.states[0], seat)
                _require_same(knowledge, observation.knowledge(before[0], seat), f"{what}: knowledge", seed, step)
                _require_same(resampled.scores(), env.table.scores(), f"{what}: scores", seed, step)
                for other in seats:
                    if (resampled.observe(other) != env.table.observe(other)).any():
                        unvaried.discard((seat, other))
                if subject.invariants is not None:
                    subject.invariants(resampled.states[0])
    for seat, other in sorted(unvaried):
        _require(False, f"resampled for seat {seat}, what seat {other} holds was never dealt anew")


@_check
def check_resampling_peeks_at_nothing(subject: Conformance) -> None:
    """Two states that are alike to a seat give, with the same seed, byte-identical results."""
    env = subject.raw_env()
    for seed in subject.seeds:
        for step in _random_game(env, seed):
            for seat in range(env.table.num_players):
                word = seed + 1000 * step
                results = [
                    alike.resample_hidden(seat, word).states
                    for alike in (
                        env.table,
                        env.table.resample_hidden(seat, word + 1),
                        env.table.resample_hidden(seat, word + 2),
                    )
                ]
                for other in results[1:]:
                    _require_same(
                        other, results[0], f"resample_hidden peeks at what seat {seat} cannot know", seed, step
                    )


@_check
def check_resampled_games_play_on(subject: Conformance) -> None:
    """A game in which hidden things were dealt anew can be played to its end, and no search foresees a shuffle."""
    env = subject.raw_env()
    for seed in subject.seeds:
        wanted = _random_steps(subject, seed)
        for step in _random_game(env, seed):
            if step not in wanted:
                continue
            seat = max(int(env.table.seat[0]), 0)
            resampled = env.table.resample_hidden(seat, seed)
            _require(resampled.states["random"] != env.table.states["random"], "the generator is kept", seed, step)
            scores, rewards = resampled.playout(seed)
            _require(np.isfinite(rewards).all() and scores.shape == rewards.shape, "no result", seed, step)


# --- Invariants ------------------------------------------------------------------------------------------------------


@_check
def check_invariants(subject: Conformance) -> None:
    """The state is possible at every step (for card games: cards are conserved and unique)."""
    if subject.invariants is None:
        return
    env = subject.raw_env()
    for seed in subject.seeds:
        for step in _random_game(env, seed):
            try:
                subject.invariants(env.table.states[0])
            except AssertionError as error:
                raise ConformanceError(f"the state is not possible: {error} (seed {seed}, step {step})") from error


@_check
def check_states_are_plain_data(subject: Conformance) -> None:
    """States can be saved with ``np.save`` and read back, and those of another version are refused."""
    from env_core.errors import StateVersionError

    env = subject.raw_env()
    env.reset(seed=subject.seeds[0])
    env.step(env.legal_actions()[0])
    file = io.BytesIO()
    np.save(file, env.table.states, allow_pickle=False)
    file.seek(0)
    batch = subject.batch_env(1)
    batch.load_states(np.load(file, allow_pickle=False))
    _require_same(_batch_view(batch)["action_mask"], env.table.action_mask, "a state through np.save")
    other = env.table.states.copy()
    other["version"] += 1
    try:
        batch.load_states(other)
    except StateVersionError:
        return
    _require(False, "a state of another version is not refused")


def _main() -> None:
    print(json.dumps(_hashes_of_games(*json.loads(sys.argv[1]))))


if __name__ == "__main__":
    _main()
