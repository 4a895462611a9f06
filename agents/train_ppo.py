"""Self-play training with MaskablePPO, for any game of the suite.

A *decision* is one choice of one seat. Training counts those that the learner makes and learns from, a *step* or
*transition* in Stable-Baselines3's words; what the other seats decide meanwhile is not counted.

A run lives in one folder, from which it can be resumed after a kill and which holds a usable policy at any time:

=====================  ===============================================================================================
``config.json``        the game, its options and all settings
``policy.zip``         the policy as of the last checkpoint, for ``agents.ppo_policy.load_policy``
``checkpoint.zip``     all that resuming needs: network, optimizer, games under way, pool, generators, evaluations
``evaluation.csv``     win rates against fixed policies, as the training went on
``learning_curve.png`` their plot
``tensorboard/``       the same and the training's own figures, for ``tensorboard --logdir``
=====================  ===============================================================================================
"""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import random
import signal
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agents.games import AnyGame, game_of
from agents.policies import make_policy, policy_names
from agents.ppo_policy import PPOPolicy, save_policy
from agents.progress import compile_rules, progress_bar
from agents.self_play import AnyPolicy, OpponentPool, SelfPlayVecEnv
from env_core.batch import THREADS, BatchEnv
from env_core.errors import MissingExtraError, OptionError
from env_core.files import replacing, write_whole
from env_core.game import Game, load_game
from env_core.options import GameOptions, checked_integer
from env_core.policies import call_policy
from env_core.random import first_game_seeds

try:
    import torch
    from matplotlib.figure import Figure
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import configure
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
except ImportError as error:
    raise MissingExtraError("training", "train") from error

CONFIG = "config.json"
POLICY = "policy.zip"
CHECKPOINT = "checkpoint.zip"
EVALUATION = "evaluation.csv"
LEARNING_CURVE = "learning_curve.png"
TENSORBOARD = "tensorboard"
REST_OF_THE_RUN = "gallery_run.pickle"
FORMAT = "gallery-training/1"
MAX_TRAINING_SEED = 2**32 - 1
INTERRUPTED = "Interrupted"
OUT_OF_TIME = "Out of time"


class RunFolderError(ValueError):
    """A run folder that cannot be used as asked: it holds another run, or nothing to resume."""


@dataclass(frozen=True)
class TrainingSettings:
    """How to train; the defaults suit a CPU.

    Attributes:
        num_envs: Rows of the batch; each is the stream of one seat.
        num_steps: Decisions of each row between two updates.
        batch_size: Decisions in a minibatch.
        epochs: Passes over the collected decisions in an update.
        learning_rate: At the start; it falls linearly to a tenth of that.
        gamma: Discount; games are short, and only their end counts.
        gae_lambda: Of generalised advantage estimation.
        clip_range: PPO's.
        entropy: Weight of the entropy in the loss.
        hidden: Units of the shared layer, and of the layer that actor and critic each have on top of it.
        random: How often the pool draws the random policy for another seat; only the proportions count.
        greedy: The same for the greedy policy.
        expert: The same for the game's expert, where it has one.
        present: The same for the learner as it is now.
        past: The same for all past selves together.
        past_every: Updates between two new past selves.
        past_capacity: So many past selves are kept.
        evaluate_every: Decisions between two evaluations; 0 for none but the last.
        evaluation_games: Games against each fixed policy in an evaluation, shared evenly among the seats.
        checkpoint_seconds: Least time between two checkpoints.
    """

    num_envs: int = 256
    num_steps: int = 16
    batch_size: int = 1024
    epochs: int = 4
    learning_rate: float = 1e-3
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.003
    hidden: tuple[int, int] = (128, 128)
    random: float = 0.1
    greedy: float = 0.0
    expert: float = 0.02
    present: float = 0.4
    past: float = 0.4
    past_every: int = 20
    past_capacity: int = 3
    evaluate_every: int = 200_000
    evaluation_games: int = 400
    checkpoint_seconds: float = 30.0

    def __post_init__(self) -> None:
        """Check every setting.

        Raises:
            TypeError: A setting of the wrong type.
            OptionError: A setting out of range.
        """
        for name, least in _LEAST_INTEGERS.items():
            object.__setattr__(self, name, checked_integer(name, getattr(self, name), range(least, 2**31)))
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"{name} must be a number, not {value!r}.")
            if not low <= value <= high:
                raise OptionError(f"{name} must be from {low} to {high}, not {value}.")
        if not isinstance(self.hidden, (list, tuple)) or len(self.hidden) != 2:
            raise OptionError(f"hidden must be two numbers of units, [128, 128] say, not {self.hidden!r}.")
        units = tuple(checked_integer("hidden", number, range(1, 8193)) for number in self.hidden)
        object.__setattr__(self, "hidden", units)
        if self.batch_size > self.decisions_of_an_update:
            raise OptionError(
                f"batch_size must be at most num_envs * num_steps ({self.decisions_of_an_update}), not "
                f"{self.batch_size}."
            )

    @property
    def decisions_of_an_update(self) -> int:
        """Decisions that an update learns from: ``num_envs * num_steps``."""
        return self.num_envs * self.num_steps


_LEAST_INTEGERS = {
    "num_envs": 1,
    "num_steps": 2,
    "batch_size": 2,
    "epochs": 1,
    "past_every": 1,
    "past_capacity": 1,
    "evaluate_every": 0,
    "evaluation_games": 1,
}
_RANGES: dict[str, tuple[float, float]] = {
    "learning_rate": (1e-8, 1.0),
    "gamma": (0.0, 1.0),
    "gae_lambda": (0.0, 1.0),
    "clip_range": (1e-3, 1.0),
    "entropy": (0.0, 10.0),
    "random": (0.0, 1e6),
    "greedy": (0.0, 1e6),
    "expert": (0.0, 1e6),
    "present": (0.0, 1e6),
    "past": (0.0, 1e6),
    "checkpoint_seconds": (0.0, 1e9),
}


@dataclass
class TrainingResult:
    """What a training run left behind.

    Attributes:
        game: What was trained on.
        options: Its options.
        folder: The run's folder.
        policy: The trained policy's file.
        steps: Decisions learned from, those before a resume included.
        finished: False when it was interrupted or ran out of time; ``resume`` goes on.
        interrupted: Whether it was Ctrl-C that stopped it.
        seconds: Time taken, of this call.
        evaluations: One dictionary for each evaluation: ``steps``, and a win rate from 0 to 1 by opponent.
    """

    game: Game
    options: GameOptions
    folder: Path
    policy: Path
    steps: int
    finished: bool
    interrupted: bool
    seconds: float
    evaluations: list[dict[str, float]] = field(default_factory=list)


class SharedLayer(BaseFeaturesExtractor):
    """The layer that actor and critic share, so that the widest product is taken once."""

    def __init__(self, observation_space: Any, features_dim: int = 128) -> None:
        super().__init__(observation_space, features_dim)
        self.layers = torch.nn.Sequential(torch.nn.Linear(observation_space.shape[0], features_dim), torch.nn.ReLU())

    def forward(self, observations: Any) -> Any:
        """Observations float32 (n, F) to features float32 (n, ``features_dim``)."""
        return self.layers(observations)


@dataclass(frozen=True)
class LinearDecay:
    """A learning rate that falls linearly to a tenth."""

    start: float

    def __call__(self, progress_remaining: float) -> float:
        """The rate when this share of the training, 1 to 0, still lies ahead."""
        return self.start * (0.1 + 0.9 * progress_remaining)


# --- Measuring ------------------------------------------------------------------------------------------------------


def win_rate(
    game: AnyGame, options: GameOptions, policy: AnyPolicy, opponent: AnyPolicy, games: int, seed: int
) -> float:
    """The share of games that a policy wins on one side when an opponent plays all other sides.

    A side is a player, or a team. Each deal is played once with the policy on each side. A win that is shared by w
    sides counts 1 / w, so S equal policies win 1 / S.

    Args:
        game: The game, or its name.
        options: Its options.
        policy: The policy to measure.
        opponent: Who plays the other sides.
        games: Least number of games, rounded up to whole deals.
        seed: Of the deals and of both policies.
    """
    game = game_of(game)
    sides = int(game.new_states(options, 1)["num_sides"][0])
    game_seeds = first_game_seeds(seed, -(-games // sides))
    batch = BatchEnv.with_options(game, len(game_seeds) * sides, options, auto_reset=False)
    batch.reset(options={"game_seed": np.repeat(game_seeds, sides)})
    own_side = np.arange(batch.num_envs) % sides
    rng = np.random.default_rng(seed)
    while (running := batch.seat >= 0).any():
        own_turn = batch.seat % sides == own_side
        for chosen, rows in (
            (policy, np.flatnonzero(running & own_turn)),
            (opponent, np.flatnonzero(running & ~own_turn)),
        ):
            if len(rows):
                batch.step(call_policy(chosen, batch, rows, rng), rows)
    shares = 0.0
    for row, side in enumerate(own_side.tolist()):
        winning_sides = {seat % sides for seat in batch.winners(row)}
        shares += (side in winning_sides) / len(winning_sides)
    return shares / batch.num_envs


# --- Training -------------------------------------------------------------------------------------------------------


def train(
    game: AnyGame,
    options: Mapping[str, Any] | None,
    total_steps: int,
    run_folder: str | Path,
    seed: int = 0,
    *,
    settings: TrainingSettings | None = None,
    threads: int = 1,
    time_limit: float | None = None,
    progress: bool = True,
    report: Callable[[str], None] = lambda line: None,
) -> TrainingResult:
    """Train a policy by self-play.

    Ctrl-C stops it and leaves the policy as it then is. The same arguments on the same machine give the same weights
    (without a time limit that strikes).

    Args:
        game: The game or its name, ``"musee"``.
        options: The game's options; None for the defaults.
        total_steps: Decisions to learn from, rounded up to whole updates (``TrainingSettings.decisions_of_an_update``).
        run_folder: Where to leave everything; made when missing, and must not hold a run already.
        seed: 0 to 2**32 - 1.
        settings: How to train; None for the defaults.
        threads: Cores for the network's updates. So small a network gains little by a second one, and loses much where
            others want the core too.
        time_limit: Seconds after which to stop as if interrupted; None for no limit. Compiling the rules, which comes
            first, is not counted.
        progress: Show a progress bar; where stderr is no terminal, a plain line now and then.
        report: Called with lines for the user.

    Raises:
        TypeError: An option or setting of the wrong type, or (``UnknownOptionError``) an unknown one.
        OptionError: A game, option, setting or number that is not possible.
        RunFolderError: The folder holds a run already, or another process trains there.
    """
    game = game_of(game)
    game_options = game.options.from_keywords(dict(options or {}))
    total_steps = checked_integer("total_steps", total_steps, range(1, 2**53))
    seed = checked_integer("seed", seed, range(MAX_TRAINING_SEED + 1))
    _check_limits(threads, time_limit)
    folder = Path(run_folder)
    _refuse_old_run(folder)
    config = {
        "format": FORMAT,
        "game": game.face,
        "version": game.version,
        "options": game_options.as_record(),
        "total_steps": total_steps,
        "seed": seed,
        "settings": dataclasses.asdict(settings or TrainingSettings()),
    }
    # Made before anything is written: settings that do not go together leave no folder behind.
    run = _Run(folder, config, report)
    folder.mkdir(parents=True, exist_ok=True)
    with _kept_from_others(folder):
        _refuse_old_run(folder)
        write_whole(folder / CONFIG, json.dumps(config, indent=1) + "\n")
        return run.go(threads, time_limit, progress)


def _refuse_old_run(folder: Path) -> None:
    if any((folder / name).exists() for name in (CONFIG, CHECKPOINT)):
        raise RunFolderError(
            f"{folder} holds a run already: go on with it (`gallery train --resume --out {folder}`), or choose another "
            "folder (`--out`)."
        )


@contextmanager
def _kept_from_others(folder: Path) -> Iterator[None]:
    """Let no other process train in a folder; the system lets go of it however this process ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunFolderError(
                f"another process is training in {folder}: stop it, or choose another folder."
            ) from None
        except OSError:
            # Not every file system has locks.
            pass
        yield
    finally:
        os.close(handle)


def resume(
    run_folder: str | Path,
    *,
    total_steps: int | None = None,
    threads: int = 1,
    time_limit: float | None = None,
    progress: bool = True,
    report: Callable[[str], None] = lambda line: None,
) -> TrainingResult:
    """Go on with a run that was interrupted or killed, as if nothing had happened since its last checkpoint.

    Args:
        run_folder: The run's folder.
        total_steps: Train to so many decisions in all, those of before included, instead of what the run was started
            with. Where it has learned from as many already, nothing is trained, and ``report`` is told so.
        threads: See ``train``.
        time_limit: See ``train``.
        progress: See ``train``.
        report: See ``train``.

    Raises:
        RunFolderError: There is no run in this folder, its files are damaged or of another version, or another process
            trains there.
    """
    _check_limits(threads, time_limit)
    folder = Path(run_folder)
    check_run_folder(folder)
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        if config["format"] != FORMAT:
            raise ValueError(f"its format is {config['format']!r}, not {FORMAT!r}")
        game = load_game(config["game"])
        if game.version != config["version"]:
            raise ValueError(f"it trains {config['version']}, this is {game.version}")
        game.options.from_keywords(config["options"])
        checked_integer("total_steps", config["total_steps"], range(1, 2**53))
        checked_integer("seed", config["seed"], range(MAX_TRAINING_SEED + 1))
        TrainingSettings(**config["settings"])
    except (AttributeError, KeyError, TypeError, ValueError, ImportError) as error:
        raise RunFolderError(f"{folder / CONFIG}: no run that can be resumed: {error}") from None
    if total_steps is not None:
        config["total_steps"] = checked_integer("total_steps", total_steps, range(1, 2**53))
    with _kept_from_others(folder):
        run = _Run(folder, config, report)
        if total_steps is not None and run.model.num_timesteps < run.total:
            write_whole(folder / CONFIG, json.dumps(config, indent=1) + "\n")
        return run.go(threads, time_limit, progress)


def check_run_folder(run_folder: str | Path) -> None:
    """Refuse a folder that holds no run to resume.

    Raises:
        RunFolderError: It does not, or there is no such folder.
    """
    folder = Path(run_folder)
    if not (folder / CONFIG).is_file():
        why = f"there is no {CONFIG}" if folder.is_dir() else "there is no such folder"
        raise RunFolderError(f"{folder} holds no run to resume: {why}.")


def _check_limits(threads: int, time_limit: float | None) -> None:
    checked_integer("threads", threads, THREADS)
    if time_limit is not None and not time_limit >= 0:
        raise OptionError(f"time_limit must be a number of seconds, 0 or more, not {time_limit!r}.")


def make_model(
    env: SelfPlayVecEnv,
    settings: TrainingSettings,
    seed: int | None = None,
    algorithm: type[MaskablePPO] = MaskablePPO,
) -> MaskablePPO:
    """A fresh MaskablePPO, or a subclass of it, with the settings' network and numbers, on the CPU."""
    shared, own = settings.hidden
    return algorithm(
        "MlpPolicy",
        env,
        learning_rate=LinearDecay(settings.learning_rate),
        n_steps=settings.num_steps,
        batch_size=settings.batch_size,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip_range,
        ent_coef=settings.entropy,
        policy_kwargs={
            "features_extractor_class": SharedLayer,
            "features_extractor_kwargs": {"features_dim": shared},
            "net_arch": {"pi": [own], "vf": [own]},
            "activation_fn": torch.nn.ReLU,
        },
        stats_window_size=1000,
        seed=seed,
        device="cpu",
    )


class _OutOfTime(Exception):
    """The time limit has struck; raised between two updates, right after a checkpoint."""


class _Interrupted(Exception):
    """Ctrl-C was pressed; raised between two updates, right after a checkpoint."""


class _Interrupt:
    """Whether Ctrl-C has been pressed. The first lets the update under way end, the second stops at once.

    Only the main thread is sent signals; elsewhere nothing is caught.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self.report = report
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> _Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _ask(self, *_: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self.report("Stopping after this update; Ctrl-C again stops at once.")


class _Run:
    """One run: its folder, its model and what is kept beside them."""

    def __init__(self, folder: Path, config: dict[str, Any], report: Callable[[str], None]) -> None:
        self.folder = folder
        self.total = int(config["total_steps"])
        self.report = report
        self.settings = TrainingSettings(**config["settings"])
        self.game = load_game(config["game"])
        self.options = self.game.options.from_keywords(config["options"])
        self.baselines = {name: make_policy(name, self.game, self.options) for name in policy_names(self.game)}
        self.updates = 0
        self.evaluations: list[dict[str, float]] = []
        self.last_checkpoint = -np.inf
        self.kept_steps = 0
        if (folder / CHECKPOINT).exists():
            self._load()
        else:
            self._begin(int(config["seed"]))

    def _begin(self, seed: int) -> None:
        settings = self.settings
        weights = {"random": settings.random, "greedy": settings.greedy, "expert": settings.expert}
        # The present self needs the model, the model its environment, and that the pool.
        present = PPOPolicy([], "present self")
        staying = [(policy, weights[name]) for name, policy in self.baselines.items()]
        pool = OpponentPool(
            [*staying, (present, settings.present)], past=settings.past, capacity=settings.past_capacity
        )
        self.env = SelfPlayVecEnv(self.game, self.options, settings.num_envs, pool)
        self.model = make_model(self.env, settings, seed)
        self.present = present
        self.refresh_present_self()

    def _load(self) -> None:
        path = self.folder / CHECKPOINT
        try:
            with zipfile.ZipFile(path) as archive:
                rest = pickle.loads(archive.read(REST_OF_THE_RUN))
            self.env, self.present = rest["env"], rest["present"]
            self.updates, self.evaluations = rest["updates"], rest["evaluations"]
            # Without force_reset the games under way go on; loading seeds the environment, which would deal them anew.
            self.model = MaskablePPO.load(path, env=self.env, device="cpu", force_reset=False)
            self.env.seed(None)
            random.setstate(rest["python"])
            np.random.set_state(rest["numpy"])  # noqa: NPY002 - Stable-Baselines3 draws minibatches from it
            torch.set_rng_state(rest["torch"])
            self.kept_steps = int(self.model.num_timesteps)
        except Exception as error:  # pickle and zipfile raise whatever a damaged file makes them
            raise RunFolderError(f"{path}: a damaged checkpoint, or one of another release: {error}") from error
        if self.env.learners.batch.options != self.options:
            raise RunFolderError(
                f"{path}: the run was begun under other options than {CONFIG} has now: a card file that they name has "
                "changed. Put it back as it was, or begin a new run in another folder."
            )

    def policy(self, name: str) -> PPOPolicy:
        """The learner as it is now."""
        return PPOPolicy.of_model(self.model, name)

    def best_play(self) -> PPOPolicy:
        """The learner as it is now, always playing the likeliest action."""
        return PPOPolicy(self.policy("learner").layers, "learner", deterministic=True)

    def refresh_present_self(self) -> None:
        """Let the pool's present self, which games under way keep, play as the learner does now."""
        self.present.layers = self.policy("learner").layers

    def go(self, threads: int, time_limit: float | None, progress: bool) -> TrainingResult:
        """Train until the total is reached, the time is over or somebody interrupts."""
        started = time.monotonic()
        model = self.model
        stopped_by = None
        if model.num_timesteps >= self.total:
            self.report(
                f"Nothing was trained: the run in {self.folder} has learned from {model.num_timesteps:,} decisions "
                f"already, and {self.total:,} in all were asked for."
            )
            return self.result(started, None)
        with _threads_restored(), _Interrupt(self.report) as interrupt:
            try:
                compile_rules(self.game, self.options, self.baselines.values(), shown=progress)
                with progress_bar(self.total, "decisions", progress, int(model.num_timesteps)) as bar:
                    model.set_logger(configure(str(self.folder / TENSORBOARD), ["tensorboard"]))
                    stop_at = np.inf if time_limit is None else time.monotonic() + time_limit
                    keeper = _Keeper(self, threads, stop_at, bar, interrupt)
                    model.learn(self.total - model.num_timesteps, keeper, reset_num_timesteps=False)
                    self.after_update(bar, last=True)
            except (_Interrupted, KeyboardInterrupt):
                stopped_by = INTERRUPTED
            except _OutOfTime:
                stopped_by = OUT_OF_TIME
        if stopped_by is None and model.num_timesteps > self.total:
            self.report(
                f"{self.total:,} decisions were asked for; rounded up to whole updates of "
                f"{self.settings.decisions_of_an_update:,} they are {model.num_timesteps:,}."
            )
        if stopped_by is not None:
            # The checkpoint stays the last whole one; the policy is the network as it is now.
            save_policy(model, self.folder / POLICY, self.game, self.options)
            self.report(f"{stopped_by} after {model.num_timesteps:,} of {self.total:,} decisions.")
            lost = "" if self.kept_steps == model.num_timesteps else f" from {self.kept_steps:,} on, the last kept"
            self.report(
                f"The policy so far: {self.folder / POLICY}. To go on{lost}: gallery train --resume --out {self.folder}"
            )
        return self.result(started, stopped_by)

    def result(self, started: float, stopped_by: str | None) -> TrainingResult:
        """What the run leaves behind as it now stands."""
        return TrainingResult(
            game=self.game,
            options=self.options,
            folder=self.folder,
            policy=self.folder / POLICY,
            steps=int(self.model.num_timesteps),
            finished=stopped_by is None,
            interrupted=stopped_by == INTERRUPTED,
            seconds=time.monotonic() - started,
            evaluations=self.evaluations,
        )

    def after_update(self, bar: Any, *, last: bool = False) -> None:
        """All that is due between two updates: a new past self, an evaluation, a checkpoint."""
        self.updates += 1
        if self.updates % self.settings.past_every == 0:
            self.env.pool.add_past_self(self.policy(f"past self of update {self.updates}"))
        every, steps = self.settings.evaluate_every, self.model.num_timesteps
        before = steps - self.settings.decisions_of_an_update
        if last or (every and steps // every > before // every):
            self.evaluate(bar)
        if last or time.monotonic() - self.last_checkpoint >= self.settings.checkpoint_seconds:
            self.checkpoint()

    def evaluate(self, bar: Any) -> None:
        """Measure the policy against the fixed ones, and write the figures down."""
        steps = int(self.model.num_timesteps)
        row: dict[str, float] = {"steps": steps}
        policy = self.best_play()
        for name, baseline in self.baselines.items():
            row[name] = win_rate(self.game, self.options, policy, baseline, self.settings.evaluation_games, seed=steps)
            self.model.logger.record(f"evaluation/win_rate_against_{name}", row[name])
        self.model.logger.dump(steps)
        self.evaluations.append(row)
        bar.set_postfix({f"wins vs {name}": f"{row[name]:.0%}" for name in self.baselines})
        lines = [",".join(str(past.get(column, "")) for column in row) for past in self.evaluations]
        write_whole(self.folder / EVALUATION, "\n".join([",".join(row), *lines]) + "\n")
        sides = int(self.game.new_states(self.options, 1)["num_sides"][0])
        plot_learning_curve(self.evaluations, self.folder / LEARNING_CURVE, self.game.title, sides)

    def checkpoint(self) -> None:
        """Write all that resuming needs in one file, and the policy."""
        rest = {
            "env": self.env,
            "present": self.present,
            "updates": self.updates,
            "evaluations": self.evaluations,
            "python": random.getstate(),
            "numpy": np.random.get_state(),  # noqa: NPY002
            "torch": torch.get_rng_state(),
        }
        with replacing(self.folder / CHECKPOINT) as temporary:
            self.model.save(temporary)
            with zipfile.ZipFile(temporary, "a") as archive:
                archive.writestr(REST_OF_THE_RUN, pickle.dumps(rest))
        save_policy(self.model, self.folder / POLICY, self.game, self.options)
        self.last_checkpoint = time.monotonic()
        self.kept_steps = int(self.model.num_timesteps)


class _Keeper(BaseCallback):
    """Keeps the run between the updates; ``on_rollout_start`` is where one is whole and the next has not begun."""

    def __init__(self, run: _Run, update_threads: int, stop_at: float, bar: Any, interrupt: _Interrupt) -> None:
        super().__init__()
        self.run = run
        self.update_threads = update_threads
        self.stop_at = stop_at
        self.bar = bar
        self.interrupt = interrupt
        self.begun = False

    def _on_rollout_start(self) -> None:
        run = self.run
        if self.begun:
            run.after_update(self.bar)
        elif run.updates == 0:
            run.evaluate(self.bar)
            run.checkpoint()
        self.begun = True
        if time.monotonic() >= self.stop_at:
            if run.evaluations[-1]["steps"] != run.model.num_timesteps:
                run.evaluate(self.bar)
            run.checkpoint()
            raise _OutOfTime
        if self.interrupt.asked:
            run.checkpoint()
            raise _Interrupted
        run.refresh_present_self()
        # The products of a single step are too small to share among cores.
        torch.set_num_threads(1)

    def _on_step(self) -> bool:
        self.bar.update(self.run.env.num_envs)
        return True

    def _on_rollout_end(self) -> None:
        torch.set_num_threads(self.update_threads)


@contextmanager
def _threads_restored() -> Iterator[None]:
    before = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(before)


def plot_learning_curve(evaluations: list[dict[str, float]], path: Path, title: str, sides: int) -> None:
    """Draw win rate by decisions, one line for each opponent and one for an equal player, as a PNG."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    steps = [row["steps"] for row in evaluations]
    for name in evaluations[-1]:
        if name != "steps":
            axes.plot(steps, [100 * row.get(name, np.nan) for row in evaluations], marker=".", label=f"against {name}")
    axes.axhline(100 / sides, color="grey", linewidth=0.8, label="an equal player")
    axes.set(
        title=f"{title}: self-play training", xlabel="decisions learned from", ylabel="games won (%)", ylim=(0, 100)
    )
    axes.legend(loc="best")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=120)
