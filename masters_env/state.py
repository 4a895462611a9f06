"""The state of a game of Masters Gallery: one NumPy structured dtype, and the game's constants.

Artists are numbered in tie-break order, a card type is ``artist * SYMBOLS + symbol``; cards of one type are alike.
"""

from __future__ import annotations

import numpy as np

STATE_VERSION = 1
"""Changes whenever the dtype or the meaning of a field changes; a state of another version is refused."""

MAX_PLAYERS = 5
ARTISTS = 5
SYMBOLS = 6
CARD_TYPES = ARTISTS * SYMBOLS
CARDS = 95
ROUNDS = 4
RANKED_ARTISTS = 3

PLAIN = 0
DRAW = 1
SECOND_FACE_UP = 2
SECOND_FACE_DOWN = 3
SIMULTANEOUS = 4
AWARD = 5

ARTIST_NAMES = ("Vermeer", "Degas", "Monet", "Renoir", "Van Gogh")
SYMBOL_NAMES = ("plain", "draw", "second face up", "second face down", "simultaneous", "award")

COPIES_BY_SYMBOL = (
    (11, 1, 1, 2, 1, 1),
    (12, 1, 1, 2, 1, 1),
    (13, 1, 1, 2, 1, 1),
    (14, 1, 1, 2, 1, 1),
    (15, 1, 1, 2, 1, 1),
)
"""Per artist: how many cards there are of each symbol."""
COPIES = np.array(COPIES_BY_SYMBOL, dtype=np.uint8).reshape(-1)
"""uint8 (30,): how many cards there are of each type."""

DEALT_BY_ROUND = np.array(
    [[0, 0, 0, 0], [0, 0, 0, 0], [13, 6, 6, 3], [13, 6, 6, 0], [13, 4, 4, 0], [13, 2, 2, 0]], dtype=np.uint8
)
"""uint8 (players, round): cards dealt to each player at the start of a round."""
FIRST_HAND = 13
LIMIT_BY_PLAYERS = np.array([0, 0, 5, 6, 6, 6], dtype=np.uint8)
"""uint8 (players,): the round ends when an artist has so many works face up."""

VALUE_TOKENS = np.array([3, 2, 1], dtype=np.uint8)
"""uint8 (3,): what the token of the first, second and third artist of a round is worth."""
AWARD_VALUE = 2
MARGIN_SCALE = 50.0

NOBODY = -1
NOTHING = -1

ACTIVE_ENDER = 0
CLOCKWISE_ENDER = 1
SAME_ARTIST = 0
ANY_ARTIST = 1

# Action numbers.
AWARD_ACTION = CARD_TYPES
DECLINE = CARD_TYPES + ARTISTS
ACTIONS = DECLINE + 1

PLAYING = 0
"""The seat to move plays a card face up."""
SECOND_UP = 1
"""It may play a second card of the same artist, face up."""
SECOND_DOWN = 2
"""It may play a second card, face down."""
CHOOSING = 3
"""A simultaneous play: it chooses a card, unseen."""
AWARDING = 4
"""It puts an award token on an artist."""
EXTRA_CARD = 5
"""The round has ended: it may add a card to its display before it scores."""
OVER = 6
PHASES = 7
PHASE_NAMES = ("play", "second_up", "second_down", "simultaneous", "award", "extra", "over")

# Fields that are never negative are unsigned: Numba then leaves out its test for an index counted from the end.
STATE = np.dtype(
    [
        # What the options say; fixed for the whole game.
        ("version", np.int32),  # STATE_VERSION
        ("num_players", np.uint8),  # 2..5
        ("num_sides", np.uint8),  # every player is a side
        ("reward", np.uint8),  # place in env_core.rewards.REWARDS
        ("simultaneous_ender", np.uint8),  # ACTIVE_ENDER or CLOCKWISE_ENDER
        ("empty_artist_token", np.uint8),  # 0/1
        ("extra_card_rule", np.uint8),  # SAME_ARTIST or ANY_ARTIST
        # Chance.
        ("game_seed", np.uint64),  # the seed this game was dealt from
        ("random", np.uint64),  # the generator, see env_core.random
        # The turn.
        ("phase", np.uint8),  # PLAYING .. OVER
        ("seat", np.int8),  # whose decision; NOBODY when the game is over
        ("active", np.int8),  # whose turn it is; during EXTRA_CARD who ended the round
        ("round", np.uint8),  # 0..3
        ("starter", np.int8),  # who started the round, cards or not
        ("played_artist", np.int8),  # of the card whose symbol acts, or NOTHING
        # The cards, counted by type.
        ("deck", np.uint8, (CARDS,)),  # the shuffled pack; first hands, then what is drawn, in drawing order
        ("deck_next", np.uint8),  # place in the pack of the next card to be drawn
        ("deck_size", np.uint8),  # cards still in the deck
        ("hands", np.uint8, (MAX_PLAYERS, CARD_TYPES)),
        ("hand_sizes", np.uint8, (MAX_PLAYERS,)),
        ("face_down", np.uint8, (MAX_PLAYERS, CARD_TYPES)),  # displayed face down this round
        ("face_down_counts", np.uint8, (MAX_PLAYERS,)),
        ("choice", np.int8, (MAX_PLAYERS,)),  # type chosen in a simultaneous play and not yet shown, or NOTHING
        ("extra_card", np.int8),  # type of the round's extra card, or NOTHING once it has left the game
        ("on_table", np.uint8, (CARD_TYPES,)),  # face up this round, the extra card included
        ("gone", np.uint8, (CARD_TYPES,)),  # have left the game face up
        ("displays", np.uint8, (MAX_PLAYERS, ARTISTS)),  # works face up on each display
        ("works", np.uint8, (ARTISTS,)),  # works face up on the table, the extra card included
        # What works are worth.
        ("tokens", np.uint8, (ARTISTS,)),  # sum of the value tokens on each artist
        ("awards", np.uint8, (ARTISTS,)),  # award tokens on each artist
        ("scoring", np.uint8, (ARTISTS,)),  # 0/1 during EXTRA_CARD: ranked among the first three of this round
        # Extra cards.
        ("may_add", np.uint8, (ARTISTS,)),  # cards of each artist that the seat to move may still add
        ("may_add_any", np.uint8),  # cards of whatever artist that it may still add (ANY_ARTIST)
        ("totals", np.int16, (MAX_PLAYERS,)),
        ("winning", np.uint8, (MAX_PLAYERS,)),  # 0/1 per seat: won (or shared) the game, once it is over
    ],
)

OPTION_FIELDS = (
    "num_players",
    "num_sides",
    "reward",
    "simultaneous_ender",
    "empty_artist_token",
    "extra_card_rule",
)
"""The fields that the options write and that no rule changes."""
