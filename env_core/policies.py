"""The protocol that every policy follows, and the simplest policy of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from env_core.arrays import as_array
from env_core.errors import IllegalActionError

if TYPE_CHECKING:
    from env_core.batch import BatchEnv


@runtime_checkable
class Policy(Protocol):
    """Chooses actions for many seats at once.

    Attributes:
        needs_states: False; a policy with True is called as ``PolicyWithStates`` says.
    """

    needs_states: bool

    def __call__(
        self, observation: np.ndarray, action_mask: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Choose an action in each of n positions.

        Args:
            observation: int8 (n, F), what each seat to move sees.
            action_mask: int8 (n, A), 1 for each legal action.
            seats: int64 (n,), the seats to move.
            rng: Where all of the policy's randomness comes from.

        Returns:
            Integers (n,), each a legal action.
        """
        ...


@runtime_checkable
class PolicyWithStates(Protocol):
    """A policy that also wants the states, for example to search.

    It is given states in which all that the seat cannot know has been dealt anew (``resample_hidden``), so whatever it
    does with them, it cannot peek.
    """

    needs_states: bool

    def __call__(
        self,
        observation: np.ndarray,
        action_mask: np.ndarray,
        seats: np.ndarray,
        rng: np.random.Generator,
        *,
        states: BatchEnv,
    ) -> np.ndarray:
        """Choose an action in each of n positions; ``states`` is a batch of n resampled rows."""
        ...


class RandomPolicy:
    """Plays legal actions, uniformly."""

    needs_states = False

    def __call__(
        self, observation: np.ndarray, action_mask: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Choose an action in each position; see ``Policy``."""
        legal = action_mask.astype(np.bool_)
        count = legal.sum(axis=1)
        wanted = (rng.random(len(legal)) * count).astype(np.int64)
        # The place of the (wanted + 1)-th legal action.
        return (np.cumsum(legal, axis=1) > wanted[:, None]).argmax(axis=1)

    def __repr__(self) -> str:
        return "RandomPolicy()"


def checked_policy(policy: Any, what: str = "a policy") -> Any:
    """Return a policy, or refuse what is none.

    Args:
        policy: Anything a caller gave.
        what: What the caller calls it, for the error message.

    Raises:
        TypeError: It cannot be called, or is a class where one of its objects is wanted.
    """
    if not callable(policy) or isinstance(policy, type):
        hint = f" Did you mean {policy.__name__}()?" if isinstance(policy, type) else ""
        raise TypeError(f"{what} must be a policy (see env_core.Policy), not {policy!r}.{hint}")
    return policy


def call_policy(
    policy: Policy | PolicyWithStates, batch: BatchEnv, rows: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Ask a policy for an action in each of some rows of a batch, and check the answer.

    Args:
        policy: The policy.
        batch: The games.
        rows: int64 (n,), rows in which a seat is to move.
        rng: Handed to the policy.

    Returns:
        int64 (n,), legal actions.

    Raises:
        IllegalActionError: The policy gave something else; the message names it and the first position at fault, its
            attribute ``row`` is that position's row. Or the policy raised it; then ``row`` is None.
    """
    observation, mask, seats = batch.observation[rows], batch.action_mask[rows], batch.seat[rows]
    given: dict[str, Any] = {}
    if getattr(policy, "needs_states", False):
        given["states"] = batch.take(rows).resample_hidden(seats, int(rng.integers(2**63)))
    try:
        answer = policy(observation, mask, seats, rng, **given)
    except IllegalActionError as refused:
        # A policy that searches asks others in games of its own, whose rows are not this batch's.
        refused.row = None
        raise
    actions = as_array(answer)
    if actions.shape != (len(rows),) or actions.dtype.kind not in "iu":
        raise IllegalActionError(
            f"policy {policy!r} must give {len(rows)} integers, not {actions.dtype} of shape {actions.shape}."
        )
    legal = batch.action_mask[rows]
    in_range = (actions >= 0) & (actions < batch.num_actions)
    good = in_range & (legal[np.arange(len(rows)), np.where(in_range, actions, 0).astype(np.int64)] == 1)
    if not good.all():
        place = int(np.flatnonzero(~good)[0])
        row, action = int(rows[place]), int(actions[place])
        error = IllegalActionError(
            f"policy {policy!r} gave the action {action} {batch.describe(row, action)} in row {row} for seat "
            f"{int(seats[place])}, which is not legal; legal are {np.flatnonzero(legal[place]).tolist()}."
        )
        error.row = row
        raise error
    return actions.astype(np.int64)
