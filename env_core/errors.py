"""The errors that every door of the suite raises."""

from __future__ import annotations


class IllegalActionError(ValueError):
    """An action that is no action, is out of range, or is not legal now. Nothing has changed.

    Attributes:
        row: The row of the batch in which a policy gave it; None where there is no batch of several rows.
    """

    row: int | None = None


class OptionError(ValueError):
    """A game option with a value that the game does not know."""


class UnknownOptionError(TypeError):
    """A game option, or a key of ``reset(options=...)``, that does not exist."""


class SetupError(ValueError):
    """A setup, given to ``reset(options={"setup": ...})`` or read from a record, that cannot be dealt."""


class StateVersionError(ValueError):
    """A saved state or snapshot of another game, or of another version of its state."""


class RecordError(ValueError):
    """A game record that does not hold.

    Attributes:
        step: Number of the step at fault, counted from 0 with chance steps; None when the fault is not in a step.
    """

    def __init__(self, message: str, step: int | None = None) -> None:
        super().__init__(message if step is None else f"step {step}: {message}")
        self.step = step


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, needed_for: str, extra: str) -> None:
        super().__init__(f"{needed_for} needs the extra {extra!r}: pip install 'gallery-envs[{extra}]'")
