"""Training, against the route that PettingZoo documents: transitions a second, with and without the updates.

Both sides train sb3-contrib's MaskablePPO with the same network, on one core. Theirs is the AEC environment in a
one-environment wrapper and ``ActionMasker``, with Stable-Baselines3's own defaults; every seat is the learner there.
Ours is what ``gallery train`` runs, opponents' pool included, with its own batch size and epochs.
What counts is transitions put in the buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import torch
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.callbacks import BaseCallback

from agents.policies import make_policy, policy_names
from agents.ppo_policy import PPOPolicy
from agents.self_play import OpponentPool, SelfPlayVecEnv
from agents.train_ppo import TrainingSettings, make_model
from benchmarks.games import GAMES
from benchmarks.measuring import Measurement, Report, compared, interleaved

TRAINING_BUDGET = 8.0
COLLECTION_BUDGET = 10.0
REPEATS = 3
OUR_UPDATES = 4
THEIR_UPDATES = 1
SEED = 7
MOVED = 0.95


class OneEnvironment(BaseWrapper, gymnasium.Env):
    """An AEC environment as a Gymnasium one in which the learner plays every seat in turn."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin a game; the mask is left out of the observation."""
        super().reset(seed, options)
        agent = self.agent_selection
        self.observation_space = super().observation_space(agent)["observation"]
        self.action_space = super().action_space(agent)
        return self.observe(agent), {}

    def step(self, action: int) -> Any:
        """Play the action of the seat whose turn it is; what comes back is the next seat's."""
        super().step(action)
        return super().last()

    def observe(self, agent: str) -> np.ndarray:
        """What an agent sees, without the mask."""
        return super().observe(agent)["observation"]

    def action_mask(self) -> np.ndarray:
        """The legal actions of the seat whose turn it is."""
        return super().observe(self.agent_selection)["action_mask"]


class CollectingOnly(MaskablePPO):
    """MaskablePPO that fills its buffer and learns nothing from it."""

    def train(self) -> None:
        """Leave the network as it is."""


class EpisodesSeen(BaseCallback):
    """Counts the games that ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = 0

    def _on_step(self) -> bool:
        self.ended += int(np.sum(self.locals["dones"]))
        return True


class Learning:
    """A contestant: one model that goes on learning, or only collecting.

    Args:
        model: The model.
        updates: Updates in a timed run.
        games_end: Whether games are short enough to end within a run.
    """

    def __init__(self, model: MaskablePPO, updates: int, games_end: bool) -> None:
        self.model = model
        self.games_end = games_end
        self.transitions = updates * model.n_steps * model.n_envs
        self.episodes = EpisodesSeen()
        self.before: list[Any] = []

    def prepare(self) -> None:
        """Note how the network stands."""
        self.episodes.ended = 0
        self.before = [weights.detach().clone() for weights in self.model.policy.parameters()]

    def run(self) -> int:
        """Put transitions in the buffer, update after update."""
        done = self.model.num_timesteps
        self.model.learn(self.transitions, self.episodes, log_interval=None, reset_num_timesteps=False)
        return self.model.num_timesteps - done

    def check(self) -> None:
        """The buffer is full of games that went on (and ended), and the network has changed just where it should."""
        buffer = self.model.rollout_buffer
        assert buffer.full
        # Next to nothing leaves an observation as it was: the games really moved.
        assert (buffer.observations[1:] != buffer.observations[:-1]).any(axis=-1).mean() > MOVED
        if self.games_end:
            assert self.episodes.ended > 0
            assert np.any(buffer.rewards != 0)
        after = self.model.policy.parameters()
        changed = any(not torch.equal(old, new) for old, new in zip(self.before, after, strict=True))
        assert changed != isinstance(self.model, CollectingOnly)


def our_model(face: ModuleType, algorithm: type[MaskablePPO]) -> MaskablePPO:
    """Self-play over the batch, with a full pool."""
    settings = TrainingSettings()
    game = face.GAME
    options = game.options()
    weights = {"random": settings.random, "greedy": settings.greedy, "expert": settings.expert}
    present = PPOPolicy([], "present self")
    staying = [(make_policy(name, game, options), weights[name]) for name in policy_names(game)]
    pool = OpponentPool([*staying, (present, settings.present)], past=settings.past, capacity=settings.past_capacity)
    model = make_model(SelfPlayVecEnv(game, options, settings.num_envs, pool), settings, SEED, algorithm)
    present.layers = PPOPolicy.of_model(model, "learner").layers
    for number in range(settings.past_capacity):
        pool.add_past_self(PPOPolicy.of_model(model, f"past self {number}"))
    return model


def their_model(face: ModuleType, algorithm: type[MaskablePPO]) -> MaskablePPO:
    """The documented route: one environment, and defaults but for the network and the device, which are ours."""
    env = OneEnvironment(face.env())
    env.reset(seed=SEED)
    policy_kwargs = our_model(face, algorithm).policy_kwargs
    masked = ActionMasker(env, lambda wrapped: wrapped.action_mask())
    return algorithm("MlpPolicy", masked, policy_kwargs=policy_kwargs, seed=SEED, device="cpu")


def measure(report: Report, repeats: int = REPEATS) -> list[Measurement]:
    """Time both routes of every game.

    Args:
        report: Told what is being measured.
        repeats: Each route is timed so many times, in turn.
    """
    rows = []
    with _one_thread():
        for measured in GAMES:
            for what, algorithm, budget in (
                ("training", MaskablePPO, TRAINING_BUDGET),
                ("collection alone", CollectingOnly, COLLECTION_BUDGET),
            ):
                title = f"{measured.game.title}: {what}"
                report(title)
                face = measured.module()
                ours, theirs = interleaved(
                    [
                        Learning(our_model(face, algorithm), OUR_UPDATES, games_end=measured.played_before == 0),
                        Learning(their_model(face, algorithm), THEIR_UPDATES, games_end=True),
                    ],
                    repeats,
                )
                rows.append(
                    compared("training", title, ours, "transitions/s", theirs, "PettingZoo's documented route", budget)
                )
    return rows


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


if __name__ == "__main__":
    for row in measure(print):
        print(
            f"{row.name}: {row.value:,.0f} {row.unit}, {row.ratio:.1f} times {row.compared_with}, budget {row.budget}"
        )
