"""The options of Masters Gallery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from env_core.options import GameOptions, checked_choice
from masters_env.state import ANY_ARTIST, CLOCKWISE_ENDER

SIMULTANEOUS_ENDERS = ("active", "clockwise")
EXTRA_CARDS = ("same_artist", "any_artist")


@dataclass(frozen=True)
class MastersOptions(GameOptions):
    """The options of a game of Masters Gallery.

    Attributes:
        num_players: 2 to 5.
        reward: See ``GameOptions``.
        simultaneous_ender: Who counts as having ended a round that a simultaneous play ends: ``"active"`` (who played
            the symbol) or ``"clockwise"`` (the first player, from the active one on, whose card's artist reached the
            limit).
        empty_artist_token: An artist without a work on the table may get a value token too.
        extra_card: At the end of a round a player may add, for each artist on the own display, one more card of that
            artist (``"same_artist"``), or as many cards as there are artists on it, of whatever artist
            (``"any_artist"``).
    """

    PLAYERS: ClassVar[tuple[int, ...]] = (2, 3, 4, 5)

    simultaneous_ender: str = "active"
    empty_artist_token: bool = False
    extra_card: str = "same_artist"

    def __post_init__(self) -> None:
        """Check every option; see ``GameOptions``."""
        super().__post_init__()
        checked_choice("simultaneous_ender", self.simultaneous_ender, SIMULTANEOUS_ENDERS)
        checked_choice("extra_card", self.extra_card, EXTRA_CARDS)
        if not isinstance(self.empty_artist_token, (bool, np.bool_)):
            raise TypeError(f"empty_artist_token must be True or False, not {self.empty_artist_token!r}.")
        self._set("empty_artist_token", bool(self.empty_artist_token))

    def write(self, states: np.ndarray) -> None:
        """Write the options into an array of blank states."""
        super().write(states)
        states["num_sides"] = self.num_players
        states["simultaneous_ender"] = SIMULTANEOUS_ENDERS.index(self.simultaneous_ender)
        states["empty_artist_token"] = self.empty_artist_token
        states["extra_card_rule"] = EXTRA_CARDS.index(self.extra_card)


assert SIMULTANEOUS_ENDERS[CLOCKWISE_ENDER] == "clockwise"
assert EXTRA_CARDS[ANY_ARTIST] == "any_artist"
