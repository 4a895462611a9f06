"""The state of a game of Museum: Pictura: one NumPy structured dtype, and the game's constants.

The card data stand in the state too, so that the compiled rules read tables and a changed card file needs no code.
"""

from __future__ import annotations

import numpy as np

STATE_VERSION = 2
"""Changes whenever the dtype or the meaning of a field changes; a state of another version is refused."""

MAX_PLAYERS = 4
PAINTINGS = 180
PAINTERS = 30
PERIODS = 5
DOMAINS = 6
KINDS = PERIODS + DOMAINS
TRENDS = 30
FAVORS = 24
PATRONS = 60
PATRONS_SHOWN = 5
MUSEUMS = 4
MUSEUM_PAINTINGS = 4
ROWS = 5
SLOTS = ROWS * ROWS
MIDDLE = ROWS // 2
REWARD_SPACES = 6
TOKENS_OF_A_KIND = 2
FIRST_HAND = 5
DEALT_TRENDS = 3
ACQUISITION = 2
HAND_LIMIT = 8
FAVOR_LIMIT = 3
FINAL_MOVES = 25
MARGIN_SCALE = 50.0

PERIOD_NAMES = ("Renaissance", "Baroque", "Rococo", "Romanticism", "Impressionism")
DOMAIN_NAMES = ("mythology", "history", "religion", "landscape", "still life", "portrait")

NOBODY = -1
NOTHING = -1
ANY = -1
EMPTY = 0
"""An empty slot; a filled one holds the painting's number + 1."""

# Where a painting is.
IN_DECK = 0
IN_HAND = 1  # + seat
IN_DISCARD = 5  # + seat
IN_OWN_MUSEUM = 9  # + seat
IN_MUSEUM = 13  # + museum
ON_THE_WAY = 17

# Where a patron is.
PATRON_IN_DECK = 0
PATRON_SHOWN = 1
PATRON_REPLACED = 2
PATRON_CLAIMED = 3  # + seat

# What an effect does.
EFFECT_NONE = 0
EFFECT_PRESTIGE = 1
EFFECT_DRAW = 2
EFFECT_FAVOR = 3
EFFECT_TRADE = 4
EFFECT_RECOVER = 5
EFFECT_FREE_EXHIBIT = 6
EFFECT_REFRESH = 7
EFFECT_NAMES = ("none", "prestige", "draw", "favor", "trade", "recover", "free_exhibit", "refresh")

# What a reward space brings.
REWARD_ACQUISITION = 0
REWARD_HAND_LIMIT = 1
REWARD_TRADE = 2
REWARD_EXHIBITION = 3
REWARD_END_PATRONS = 4
REWARD_END_GALLERY = 5
REWARD_NAMES = ("acquisition", "hand_limit", "trade", "exhibition", "end_per_patron", "end_per_two_in_gallery")

# Decks that can be made anew.
TREND_DECK = 0
FAVOR_DECK = 1
PATRON_DECK = 2
DECK_NAMES = ("trend_deck", "favor_deck", "patron_deck")
MOST_MADE_ANEW = 3
"""By one action. The most that happens are two: a patron claimed, whose reward then replaces all that are shown."""

# Action numbers.
SLOT_ACTION = PAINTINGS
KIND_ACTION = SLOT_ACTION + SLOTS
SPACE_ACTION = KIND_ACTION + KINDS
INVENTORY_ACTION = SPACE_ACTION + REWARD_SPACES
FAVOR_ACTION = INVENTORY_ACTION + 1
"""Behind these, with F favor types: 2F to play one, 10 to claim a patron, F to discard one, 3 trends, yes, no."""

KEEPING_TREND = 0
"""Setup 5: the seat to move keeps one of the three trends dealt to it."""
TRADE_TAKE = 1
"""It takes a painting out of an international museum."""
TRADE_GIVE = 2
"""It gives a painting for the one it has taken."""
MENU = 3
"""The action phase: exhibits, exhibition, inventory, free actions, rearranging, done."""
EXHIBIT_SLOT = 4
"""It places the chosen painting."""
EXHIBIT_PAY = 5
"""It pays for the exhibit."""
PUT_DOWN = 6
"""It puts down the painting it has picked up."""
REWARD_SPACE = 7
"""It puts the exhibition token on a reward space."""
TAKE_FAVOR = 8
"""Inventory: it may draw a favor."""
REPLACE_PATRONS = 9
"""Inventory: it may replace all shown patrons."""
RECOVERING = 10
"""It takes cards of its discard pile back into hand."""
DISCARDING = 11
"""The end of the turn: it discards down to the hand limit."""
DISCARDING_FAVORS = 12
"""The end of the turn: it discards favors down to the limit."""
FINAL_MENU = 13
"""Before the final scoring: it may rearrange once more."""
FINAL_PUT_DOWN = 14
"""The same, with a painting picked up."""
OVER = 15
PHASES = 16
PHASE_NAMES = (
    "keep_trend",
    "trade_take",
    "trade_give",
    "menu",
    "place",
    "pay",
    "put_down",
    "reward_space",
    "take_favor",
    "replace_patrons",
    "recover",
    "discard",
    "discard_favor",
    "final_menu",
    "final_put_down",
    "over",
)

NO_ACTION = 0
EXHIBITS = 1
EXHIBITION = 2
INVENTORY = 3

OWN_ACQUISITION = 0
OTHERS_ACQUISITION = 1
BY_EFFECT = 2

CARD_FIELDS: list[tuple] = [
    ("cards_sha256", np.uint8, (32,)),  # of the card file's bytes
    ("painting_painter", np.uint8, (PAINTINGS,)),
    ("painting_period", np.uint8, (PAINTINGS,)),
    ("painting_domain", np.uint8, (PAINTINGS,)),
    ("trend_painter", np.uint8, (TRENDS,)),
    ("trend_period", np.uint8, (TRENDS,)),
    ("trend_domain", np.uint8, (TRENDS,)),
    ("trend_values", np.uint8, (TRENDS, 3)),  # for the period, the domain, the painter
    ("favor_types", np.uint8),  # number of favor types
    ("favor_copies", np.uint8, (FAVORS,)),  # cards of each type
    ("favor_effects", np.uint8, (FAVORS, 2, 2)),  # per type and half: effect, amount
    ("patron_painter", np.int8, (PATRONS,)),  # required painter, or ANY
    ("patron_period", np.int8, (PATRONS,)),  # required period, or ANY
    ("patron_domain", np.int8, (PATRONS,)),  # required domain, or ANY
    ("patron_count", np.uint8, (PATRONS,)),  # exhibited paintings required
    ("patron_points", np.uint8, (PATRONS,)),
    ("patron_effect", np.uint8, (PATRONS, 2)),  # effect, amount
    ("space_reward", np.uint8, (REWARD_SPACES,)),  # what the space brings
    ("space_amount", np.uint8, (REWARD_SPACES,)),
    ("token_values", np.uint8, (KINDS, TOKENS_OF_A_KIND)),  # upper, lower
    ("starting_prestige", np.uint8, (MAX_PLAYERS,)),  # first player, next, ...
    ("first_marker", np.uint8),  # where the favor marker starts
    ("marker_step", np.uint8),  # how far it moves on
    ("end_prestige", np.uint8),  # who has so much takes the end token
    ("end_token_value", np.uint8),
    ("collection_size", np.uint8),  # paintings in the smallest collection
    ("collection_values", np.uint8, (SLOTS + 1,)),  # by size
    ("exhibition_values", np.uint8, (REWARD_SPACES + 1,)),  # by number of exhibitions
    ("gallery_value", np.uint8),  # full main gallery
    ("museum_value", np.uint8),  # full museum
    ("discard_penalty", np.uint8),  # per card
]
"""The fields that hold the card data; written from the card file, changed by no rule."""

# Fields that are never negative are unsigned: Numba then leaves out its test for an index counted from the end.
STATE = np.dtype(
    [
        # What the options say; fixed for the whole game.
        ("version", np.int32),  # STATE_VERSION
        ("num_players", np.uint8),  # 2..4
        ("num_sides", np.uint8),  # every player is a side
        ("reward", np.uint8),  # place in env_core.rewards.REWARDS
        ("exhibits_per_action", np.uint8),  # 0: as often as the player can
        ("rearrange_limit", np.uint8),  # moves a turn
        ("max_rounds", np.int32),
        *CARD_FIELDS,
        # Chance.
        ("game_seed", np.uint64),  # the seed this game was dealt from
        ("random", np.uint64),  # the generator, see env_core.random
        ("made_anew", np.int8, (MOST_MADE_ANEW,)),  # decks made anew by the last action, in that order, then NOTHING
        ("anew_sizes", np.uint8, (MOST_MADE_ANEW,)),  # cards in each of them
        ("anew_orders", np.uint8, (MOST_MADE_ANEW, PATRONS)),  # the cards in drawing order
        ("forced", np.uint8, (MOST_MADE_ANEW,)),  # 0/1: the order above comes from a record that is played back
        # The turn.
        ("phase", np.uint8),
        ("seat", np.int8),  # whose decision; NOBODY when the game is over
        ("first_seat", np.int8),
        ("active", np.int8),  # whose turn it is
        ("round", np.int32),  # from 0
        ("trade", np.uint8),  # OWN_ACQUISITION, OTHERS_ACQUISITION or BY_EFFECT
        ("action_taken", np.uint8),  # NO_ACTION, EXHIBITS, EXHIBITION or INVENTORY
        ("exhibits", np.int32),  # made in this action
        ("favor_played", np.uint8),  # 0/1: this turn's free favor is used up
        ("patron_taken", np.uint8),  # 0/1: this turn's free patron is used up
        ("moves_made", np.uint8),  # rearranging moves of this turn
        ("free_exhibit", np.uint8),  # 0/1: the next exhibit needs no payment
        ("recover_left", np.uint8),  # cards that may still be recovered
        ("chosen", np.int16),  # painting on its way, or NOTHING
        ("chosen_from", np.int8),  # museum or seat that it comes from, or NOTHING
        ("chosen_slot", np.int8),  # slot picked up or chosen for an exhibit, or NOTHING
        ("end_token", np.int8),  # seat that has it, or NOBODY
        ("last_turns", np.uint8),  # turns left once it is taken
        ("truncated", np.uint8),  # 0/1: cut off after max_rounds
        # Paintings.
        ("where", np.uint8, (PAINTINGS,)),  # IN_DECK .. ON_THE_WAY
        ("painting_deck", np.uint8, (PAINTINGS,)),
        ("painting_next", np.uint8),
        ("painting_left", np.uint8),
        ("hand_sizes", np.uint8, (MAX_PLAYERS,)),
        ("discard_sizes", np.uint8, (MAX_PLAYERS,)),
        ("slots", np.uint8, (MAX_PLAYERS, SLOTS)),  # painting + 1, or EMPTY
        ("filled", np.uint8, (MAX_PLAYERS,)),  # filled slots
        ("boards", np.int32, (MAX_PLAYERS, KINDS)),  # bit per slot: its painting is of the period or domain
        # Trends.
        ("public_trend", np.int8),
        ("museum_trends", np.int8, (MUSEUMS,)),
        ("secret_trend", np.int8, (MAX_PLAYERS,)),
        ("dealt_trends", np.int8, (MAX_PLAYERS, DEALT_TRENDS)),
        ("used_trends", np.uint8, (TRENDS,)),  # 0/1: public since the deck was made, before the present one
        ("trend_deck", np.uint8, (TRENDS,)),
        ("trend_next", np.uint8),
        ("trend_left", np.uint8),
        # Favors.
        ("favors", np.uint8, (MAX_PLAYERS, FAVORS)),  # held, by type
        ("favors_held", np.uint8, (MAX_PLAYERS,)),
        ("used_favors", np.uint8, (FAVORS,)),  # played or discarded since the deck was made, by type
        ("favor_deck", np.uint8, (FAVORS,)),
        ("favor_next", np.uint8),
        ("favor_left", np.uint8),
        # Patrons.
        ("patron_where", np.uint8, (PATRONS,)),  # PATRON_IN_DECK .. PATRON_CLAIMED + seat
        ("shown", np.int8, (PATRONS_SHOWN,)),  # patron in each place, or NOTHING
        ("patron_deck", np.uint8, (PATRONS,)),
        ("patron_next", np.uint8),
        ("patron_left", np.uint8),
        ("patrons_claimed", np.uint8, (MAX_PLAYERS,)),
        # Exhibitions and prestige.
        ("tokens_left", np.uint8, (KINDS,)),
        ("kinds_shown", np.uint8, (MAX_PLAYERS, KINDS)),  # 0/1
        ("spaces", np.uint8, (MAX_PLAYERS, REWARD_SPACES)),  # kind of the token + 1, or 0
        ("exhibitions", np.uint8, (MAX_PLAYERS,)),
        ("prestige", np.int16, (MAX_PLAYERS,)),
        ("markers", np.int16, (MAX_PLAYERS,)),
        ("winning", np.uint8, (MAX_PLAYERS,)),  # 0/1: won (or shared) the game, once it is over
    ]
)

OPTION_FIELDS = (
    "num_players",
    "num_sides",
    "reward",
    "exhibits_per_action",
    "rearrange_limit",
    "max_rounds",
    *(field[0] for field in CARD_FIELDS),
)
"""The fields that the options write and that no rule changes."""
