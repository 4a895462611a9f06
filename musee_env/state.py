"""The state of a game of Musée: one NumPy structured dtype, and the game's constants.

Numbers follow the rules file: seats, museums, galleries and columns count from 0, paintings are the numbers printed
on the cards. A museum belongs to a side: seat s hangs its paintings in museum ``s % num_sides``.
"""

from __future__ import annotations

import numpy as np

STATE_VERSION = 1
"""Changes whenever the dtype or the meaning of a field changes; a state of another version is refused."""

MAX_PLAYERS = 4
MAX_PAINTINGS = 60
MAX_COLUMNS = 6
MAX_HAND = 6
FIRST_HAND = 5
GALLERIES = 3
TOKEN_ROWS = 2
THEMES = 5
MAX_GAMES_TO_WIN = 5

PAINTINGS_BY_PLAYERS = {2: 50, 3: 60, 4: 50}
COLUMNS_BY_PLAYERS = {2: 6, 3: 5, 4: 6}
HAND_LIMIT_BY_PLAYERS = {2: 5, 3: 5, 4: 6}

POINTS_PER_PAINTING = 1
POINTS_PER_THEME_PAIR = 2
POINTS_PER_STAIRCASE = 3
POINTS_PER_BONUS_CARD = 4
MARGIN_SCALE = 20.0

CARDS_LEFT_IN_DECK = 2
"""With 3 and 4 players drawing stops when this many cards are left in the deck."""

NOBODY = -1
EMPTY = 0
NO_PAINTING_BELOW = MAX_PAINTINGS + 1
"""Stands in ``below`` where no painting hangs to the right: every number is lower."""

FIRST_GAME_STAIRCASES = 0
RANDOM_STAIRCASES = 1
AGREED_STAIRCASES = 2

PLACING = 0
"""The seat to move places a painting."""
LAST_CARD = 1
"""Four players: the seat to move keeps its team's last card or gives it to the partner."""
OVER = 2

THEME_NAMES = ("animals", "landscapes", "water", "people", "architecture")
THEME_COLOURS = ("green", "grey", "blue", "red", "yellow")
GALLERY_NAMES = ("top", "middle", "bottom")

# Fields that are never negative are unsigned: Numba then leaves out its test for an index counted from the end.
STATE = np.dtype(
    [
        # What the options say; fixed for the whole episode.
        ("version", np.int32),  # STATE_VERSION
        ("num_players", np.uint8),  # 2..4
        ("num_sides", np.uint8),  # museums in play: 2, 3, or 2 teams
        ("paintings", np.uint8),  # cards in the game, 50 or 60
        ("columns", np.uint8),  # spaces in a gallery, 5 or 6
        ("hand_limit", np.uint8),  # 5, or 6 with four players
        ("reward", np.uint8),  # place in env_core.rewards.REWARDS
        ("games_to_win", np.uint8),  # 1..5
        ("staircase_rule", np.uint8),  # FIRST_GAME_STAIRCASES, RANDOM_STAIRCASES or AGREED_STAIRCASES
        ("agreed_staircases", np.uint8, (TOKEN_ROWS, MAX_COLUMNS)),  # 0/1; for AGREED_STAIRCASES
        # Chance.
        ("game_seed", np.uint64),  # the seed this game was dealt from
        ("random", np.uint64),  # the generator, see env_core.random
        ("may_start", np.uint8),  # one bit per seat among which the first player of this game was drawn
        # The turn.
        ("phase", np.uint8),  # PLACING, LAST_CARD or OVER
        ("seat", np.int8),  # whose turn; NOBODY when the episode is over
        ("out", np.uint8, (MAX_PLAYERS,)),  # 0/1 per seat: stuck, out for the rest of the game
        # The cards.
        ("deck", np.uint8, (MAX_PAINTINGS,)),  # the shuffled pack; hands first, then what is drawn, in drawing order
        ("deck_next", np.uint8),  # place in the pack of the next card to be drawn
        ("deck_size", np.uint8),  # cards still in the deck
        ("hands", np.uint8, (MAX_PLAYERS, MAX_HAND)),  # ascending, EMPTY behind the last card
        ("hand_sizes", np.uint8, (MAX_PLAYERS,)),
        ("last_card_taken", np.uint8, (MAX_PLAYERS,)),  # 0/1 per side (four players)
        ("given_when_out", np.uint8, (MAX_PLAYERS,)),  # 0/1 per seat: the partner gave it a card after it was out
        # The museums.
        ("staircases", np.uint8, (TOKEN_ROWS, MAX_COLUMNS)),  # 0 chandelier, 1 staircase
        ("museums", np.uint8, (MAX_PLAYERS, GALLERIES, MAX_COLUMNS)),  # painting, or EMPTY
        # A painting fits a space, number ``gallery * columns + column``, when above < painting < below.
        ("above", np.uint8, (MAX_PLAYERS, GALLERIES * MAX_COLUMNS)),  # highest painting in the space or left of it
        ("below", np.uint8, (MAX_PLAYERS, GALLERIES * MAX_COLUMNS)),  # lowest painting in the space or right of it
        ("hung", np.uint8, (MAX_PLAYERS, GALLERIES)),  # paintings in each gallery
        ("bonus_owner", np.int8, (GALLERIES,)),  # museum that holds the bonus card, or NOBODY
        ("scores", np.int16, (MAX_PLAYERS,)),  # per museum, this game
        # The match.
        ("game_number", np.int32),  # games begun in this episode before this one
        ("games_won", np.uint8, (MAX_PLAYERS,)),  # per side
        ("winning", np.uint8, (MAX_PLAYERS,)),  # 0/1 per side: won (or shared) the episode, once it is over
        ("earlier_points", np.int32, (MAX_PLAYERS,)),  # per side, points of the match's earlier games
    ],
)

OPTION_FIELDS = (
    "num_players",
    "num_sides",
    "paintings",
    "columns",
    "hand_limit",
    "reward",
    "games_to_win",
    "staircase_rule",
    "agreed_staircases",
)
"""The fields that the options write and that no rule changes."""
