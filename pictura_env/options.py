"""The options of Museum: Pictura."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from env_core.options import GameOptions, checked_integer
from pictura_env import cards as card_files
from pictura_env.cards import Cards


@dataclass(frozen=True)
class PicturaOptions(GameOptions):
    """The options of a game of Museum: Pictura.

    Attributes:
        num_players: 2, 3 or 4.
        reward: See ``GameOptions``.
        cards: ``"default"``, or the path of a card file (see ``docs/pictura_cards.md``).
        exhibits_per_action: How often a player may exhibit within one action, 1 to 25; None: as often as it can.
        rearrange_limit: Rearranging moves a turn, 0 to 100.
        max_rounds: A game that has not ended after so many rounds is cut off, 1 to 10,000.
    """

    PLAYERS: ClassVar[tuple[int, ...]] = (2, 3, 4)

    cards: str = card_files.DEFAULT
    exhibits_per_action: int | None = None
    rearrange_limit: int = 5
    max_rounds: int = 60

    def __post_init__(self) -> None:
        """Check every option, the card file too; see ``GameOptions``.

        Raises:
            FileNotFoundError: There is no such card file.
            CardFileError: The card file is not well formed.
        """
        super().__post_init__()
        if not isinstance(self.cards, str):
            raise TypeError(f"cards must be 'default' or the path of a card file, not {self.cards!r}.")
        if self.exhibits_per_action is not None:
            checked = checked_integer("exhibits_per_action", self.exhibits_per_action, range(1, 26))
            self._set("exhibits_per_action", checked)
        self._set("rearrange_limit", checked_integer("rearrange_limit", self.rearrange_limit, range(101)))
        self._set("max_rounds", checked_integer("max_rounds", self.max_rounds, range(1, 10_001)))
        # Read once: the game goes on with these cards, whatever becomes of the file.
        object.__setattr__(self, "_loaded", card_files.load(self.cards))

    def __eq__(self, other: object) -> bool:
        """Whether games go alike under both: the card files' contents count, not where they lie."""
        return isinstance(other, PicturaOptions) and self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[Any, ...]:
        return (*({**self.as_record(), "cards": self.loaded_cards.sha256}).items(),)

    @property
    def loaded_cards(self) -> Cards:
        """The checked card file."""
        return self._loaded  # type: ignore[attr-defined]

    def write(self, states: np.ndarray) -> None:
        """Write the options into an array of blank states."""
        super().write(states)
        states["num_sides"] = self.num_players
        states["exhibits_per_action"] = self.exhibits_per_action or 0
        states["rearrange_limit"] = self.rearrange_limit
        states["max_rounds"] = self.max_rounds
        tables = self.loaded_cards.tables
        for name in tables.dtype.names or ():
            states[name] = tables[name]
