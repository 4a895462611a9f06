"""The rules of Musée over one state, in the order of the rulebook. Each function names its paragraph.

Every function runs compiled or as plain Python on one element of an array of ``STATE``.
"""

from __future__ import annotations

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.compile import compiled
from env_core.random import following, mix, random_below, shuffle
from env_core.rewards import MARGIN, OUTCOME, margin_rewards, outcome_rewards
from musee_env.state import (
    AGREED_STAIRCASES,
    CARDS_LEFT_IN_DECK,
    EMPTY,
    FIRST_GAME_STAIRCASES,
    FIRST_HAND,
    GALLERIES,
    LAST_CARD,
    MARGIN_SCALE,
    MAX_COLUMNS,
    NO_PAINTING_BELOW,
    NOBODY,
    OVER,
    PLACING,
    POINTS_PER_BONUS_CARD,
    POINTS_PER_PAINTING,
    POINTS_PER_STAIRCASE,
    POINTS_PER_THEME_PAIR,
    THEMES,
    TOKEN_ROWS,
)

# --- Setup ---------------------------------------------------------------------------------------------------------


@compiled
def new_episode(state: np.void, game_seed: np.uint64) -> None:
    """Begin a game, or the first game of a match, from a game seed; the options in the state stay."""
    state["game_seed"] = game_seed
    state["random"] = mix(game_seed)
    state["game_number"] = 0
    fill(state["games_won"], 0)
    fill(state["winning"], 0)
    fill(state["earlier_points"], 0)
    may_start = (1 << int64(state["num_players"])) - 1
    deal(state, may_start)


@compiled
def next_episode(state: np.void) -> None:
    """Begin the next game of this state's stream."""
    new_episode(state, following(state["game_seed"]))


@compiled
def deal(state: np.void, may_start: int) -> None:
    """Setup 1 to 3: agree on staircases, shuffle and deal, draw the first player.

    ``may_start`` holds one bit for each seat that may be drawn to start.
    """
    choose_staircases(state)
    for place in range(int64(state["paintings"])):
        state["deck"][place] = place + 1
    shuffle(state, state["deck"], int64(state["paintings"]))
    # Drawn last, so that the cards of a match's later games do not hang on who won the earlier ones.
    state["may_start"] = may_start
    state["seat"] = drawn_seat(state, may_start)
    lay_out(state)


@compiled
def choose_staircases(state: np.void) -> None:
    """Setup 1: the pattern of a first game, a random one, or the one agreed on."""
    columns = int64(state["columns"])
    for row in range(TOKEN_ROWS):
        fill(state["staircases"][row], 0)
    if state["staircase_rule"] == FIRST_GAME_STAIRCASES:
        for column in range(columns):
            state["staircases"][1 - column % 2, column] = 1
    elif state["staircase_rule"] == AGREED_STAIRCASES:
        for row in range(TOKEN_ROWS):
            for column in range(columns):
                state["staircases"][row, column] = state["agreed_staircases"][row, column]
    else:
        upper = columns // 2
        if columns % 2 == 1:
            upper += random_below(state, 2)
        draw_staircases(state, 0, upper)
        draw_staircases(state, 1, columns - upper)


@compiled
def draw_staircases(state: np.void, row: int, count: int) -> None:
    """Place ``count`` staircases in a row of tokens, each choice of columns equally likely."""
    missing = count
    for column in range(int64(state["columns"])):
        if random_below(state, int64(state["columns"]) - column) < missing:
            state["staircases"][row, column] = 1
            missing -= 1


@compiled
def drawn_seat(state: np.void, may_start: int) -> int:
    """Setup 3: draw the first player among those that may start."""
    candidates = 0
    for seat in range(int64(state["num_players"])):
        candidates += (may_start >> seat) & 1
    left = random_below(state, candidates)
    for seat in range(int64(state["num_players"])):
        if (may_start >> seat) & 1:
            if left == 0:
                return seat
            left -= 1
    return NOBODY


@compiled
def lay_out(state: np.void) -> None:
    """Setup 2: from a shuffled pack, staircases and first player to the table as the game begins."""
    state["phase"] = PLACING
    fill(state["out"], 0)
    fill(state["last_card_taken"], 0)
    fill(state["given_when_out"], 0)
    fill(state["hand_sizes"], 0)
    for seat in range(int64(state["num_players"])):
        fill(state["hands"][seat], EMPTY)
    for museum in range(int64(state["num_sides"])):
        fill(state["hung"][museum], 0)
        for gallery in range(GALLERIES):
            fill(state["museums"][museum, gallery], EMPTY)
        fill(state["above"][museum], EMPTY)
        fill(state["below"][museum], NO_PAINTING_BELOW)
    fill(state["bonus_owner"], NOBODY)
    fill(state["scores"], 0)
    state["deck_next"] = 0
    state["deck_size"] = state["paintings"]
    for seat in range(int64(state["num_players"])):
        for _ in range(FIRST_HAND):
            take_into_hand(state, seat, next_card_of_deck(state))


@compiled
def museum_of(state: np.void, seat: int) -> int:
    """Setup 4: seats 0 and 2 share a museum, and so do seats 1 and 3."""
    num_sides = int64(state["num_sides"])
    return seat if seat < num_sides else seat - num_sides


@compiled
def seat_after(state: np.void, seat: int, turns: int) -> int:
    """Setup 5: the seat that comes ``turns`` places after another, clockwise; 0 to num_players turns."""
    later = seat + turns
    num_players = int64(state["num_players"])
    return later if later < num_players else later - num_players


@compiled
def is_team_game(state: np.void) -> bool:
    """Four players play in two teams."""
    return state["num_sides"] < state["num_players"]


@compiled
def next_card_of_deck(state: np.void) -> int:
    """Take the top card off the deck."""
    card = int64(state["deck"][state["deck_next"]])
    state["deck_next"] += 1
    state["deck_size"] -= 1
    return card


@compiled
def take_into_hand(state: np.void, seat: int, card: int) -> None:
    """Put a card into a hand, which is kept sorted by number."""
    hand = state["hands"][seat]
    slot = int64(state["hand_sizes"][seat])
    state["hand_sizes"][seat] = slot + 1
    while slot > 0 and hand[slot - 1] > card:
        hand[slot] = hand[slot - 1]
        slot -= 1
    hand[slot] = card


# --- A turn --------------------------------------------------------------------------------------------------------


@compiled
def number_of_actions(state: np.void) -> int:
    """One for each slot, gallery and column; with four players two more, keep and give."""
    placements = int64(state["hand_limit"]) * GALLERIES * int64(state["columns"])
    return placements + 2 if is_team_game(state) else placements


@compiled
def keep_action(state: np.void) -> int:
    """The number of *keep*; *give* is the next one."""
    return int64(state["hand_limit"]) * GALLERIES * int64(state["columns"])


@compiled
def placement(state: np.void, action: int) -> tuple[int, int, int]:
    """The slot, gallery and column of a placement's action number."""
    columns = int64(state["columns"])
    space = action // columns
    slot = space // GALLERIES
    return slot, space - slot * GALLERIES, action - space * columns


@compiled
def fits(state: np.void, museum: int, gallery: int, column: int, card: int) -> bool:
    """A turn 1: every card to the left is lower, every card to the right is higher, and the space is empty."""
    space = gallery * int64(state["columns"]) + column
    return state["above"][museum, space] < card and card < state["below"][museum, space]


@compiled
def is_legal(state: np.void, action: int) -> bool:
    """Whether an action number is legal now."""
    if action < 0 or action >= number_of_actions(state) or state["phase"] == OVER:
        return False
    if state["phase"] == LAST_CARD:
        return action >= keep_action(state)
    if action >= keep_action(state):
        return False
    seat = int64(state["seat"])
    slot, gallery, column = placement(state, action)
    if slot >= state["hand_sizes"][seat]:
        return False
    return fits(state, museum_of(state, seat), gallery, column, int64(state["hands"][seat, slot]))


@compiled
def write_action_mask(state: np.void, action_mask: np.ndarray) -> None:
    """Write 1 for each legal action and 0 for the others; all 0 when the episode is over."""
    fill(action_mask, 0)
    if state["phase"] == OVER:
        return
    keep = keep_action(state)
    if state["phase"] == LAST_CARD:
        action_mask[keep] = 1
        action_mask[keep + 1] = 1
        return
    seat = int64(state["seat"])
    above = state["above"][museum_of(state, seat)]
    below = state["below"][museum_of(state, seat)]
    spaces = GALLERIES * int64(state["columns"])
    for slot in range(int64(state["hand_sizes"][seat])):
        card = state["hands"][seat, slot]
        for space in range(spaces):
            action_mask[slot * spaces + space] = (above[space] < card) & (card < below[space])


@compiled
def apply(state: np.void, action: int) -> None:
    """Play one legal action for the seat to move, with all that follows from it."""
    seat = int64(state["seat"])
    if state["phase"] == LAST_CARD:
        decide_last_card(state, seat, action == keep_action(state))
        end_turn(state, seat)
        return
    slot, gallery, column = placement(state, action)
    card = play_from_hand(state, seat, slot)
    museum = museum_of(state, seat)
    hang(state, museum, gallery, column, card)
    award_bonus_card(state, museum, gallery)
    if may_draw(state):
        take_into_hand(state, seat, next_card_of_deck(state))
    elif is_team_game(state) and state["last_card_taken"][museum] == 0:
        state["phase"] = LAST_CARD
        return
    end_turn(state, seat)


@compiled
def play_from_hand(state: np.void, seat: int, slot: int) -> int:
    """Take the card in a slot out of a hand."""
    hand = state["hands"][seat]
    card = int64(hand[slot])
    last = int64(state["hand_sizes"][seat]) - 1
    state["hand_sizes"][seat] = last
    for place in range(slot, last):
        hand[place] = hand[place + 1]
    hand[last] = EMPTY
    return card


@compiled
def hang(state: np.void, museum: int, gallery: int, column: int, card: int) -> None:
    """A turn 1: place a card in a space; what it scores is counted at once."""
    points = POINTS_PER_PAINTING + theme_points(state, museum, gallery, column, card)
    state["museums"][museum, gallery, column] = card
    state["hung"][museum, gallery] += 1
    state["scores"][museum] += points
    first_space = gallery * int64(state["columns"])
    for space in range(first_space + column, first_space + int64(state["columns"])):
        state["above"][museum, space] = max(state["above"][museum, space], np.uint8(card))
    for space in range(first_space, first_space + column + 1):
        state["below"][museum, space] = min(state["below"][museum, space], np.uint8(card))


@compiled
def theme_points(state: np.void, museum: int, gallery: int, column: int, card: int) -> int:
    """Score of a museum: 2 for each neighbour of the same theme, 3 for each staircase that joins the same theme."""
    rows = state["museums"][museum]
    points = 0
    if column > 0 and share_theme(card, int64(rows[gallery, column - 1])):
        points += POINTS_PER_THEME_PAIR
    if column + 1 < state["columns"] and share_theme(card, int64(rows[gallery, column + 1])):
        points += POINTS_PER_THEME_PAIR
    if gallery > 0 and state["staircases"][gallery - 1, column] and share_theme(card, int64(rows[gallery - 1, column])):
        points += POINTS_PER_STAIRCASE
    if (
        gallery < TOKEN_ROWS
        and state["staircases"][gallery, column]
        and share_theme(card, int64(rows[gallery + 1, column]))
    ):
        points += POINTS_PER_STAIRCASE
    return points


@compiled
def share_theme(card: int, other: int) -> bool:
    """Components: a painting's theme is its number modulo 5."""
    return other != EMPTY and card % THEMES == other % THEMES


@compiled
def award_bonus_card(state: np.void, museum: int, gallery: int) -> None:
    """A turn 2: the first museum to fill a gallery takes its bonus card."""
    if state["hung"][museum, gallery] == state["columns"] and state["bonus_owner"][gallery] == NOBODY:
        state["bonus_owner"][gallery] = museum
        state["scores"][museum] += POINTS_PER_BONUS_CARD


@compiled
def may_draw(state: np.void) -> bool:
    """A turn 3: two players always draw, three and four as long as more than two cards are left."""
    return state["num_players"] == 2 or state["deck_size"] > CARDS_LEFT_IN_DECK


@compiled
def decide_last_card(state: np.void, seat: int, keep: bool) -> None:
    """A turn 3, four players: the team's last card goes into this hand or, unseen, to the partner."""
    museum = museum_of(state, seat)
    state["last_card_taken"][museum] = 1
    state["phase"] = PLACING
    if keep:
        receiver = seat
    else:
        receiver = seat_after(state, seat, 2)
        if state["out"][receiver]:
            state["given_when_out"][receiver] = 1
    take_into_hand(state, receiver, next_card_of_deck(state))


@compiled
def end_turn(state: np.void, seat: int) -> None:
    """Setup 5 and Stuck: the turn goes clockwise; a player found without a legal placement is out."""
    for turns in range(1, int64(state["num_players"]) + 1):
        candidate = seat_after(state, seat, turns)
        if state["out"][candidate]:
            continue
        if can_place(state, candidate):
            state["seat"] = candidate
            return
        state["out"][candidate] = 1
    end_game(state)


@compiled
def can_place(state: np.void, seat: int) -> bool:
    """Stuck: whether a player has any legal placement."""
    museum = museum_of(state, seat)
    for slot in range(int64(state["hand_sizes"][seat])):
        if fits_somewhere(state, museum, int64(state["hands"][seat, slot])):
            return True
    return False


@compiled
def fits_somewhere(state: np.void, museum: int, card: int) -> bool:
    """Whether a card has a legal space in a museum."""
    above = state["above"][museum]
    below = state["below"][museum]
    found = False
    for space in range(GALLERIES * int64(state["columns"])):
        found |= (above[space] < card) & (card < below[space])
    return found


# --- The end of a game and of a match ------------------------------------------------------------------------------


@compiled
def end_game(state: np.void) -> None:
    """Score of a museum and Match: who has won this game, and whether another one follows."""
    num_sides = int64(state["num_sides"])
    best = ranking_value(state, 0)
    for side in range(1, num_sides):
        best = max(best, ranking_value(state, side))
    winners = 0
    for side in range(num_sides):
        state["winning"][side] = ranking_value(state, side) == best
        winners += state["winning"][side]
    if state["games_to_win"] == 1:
        end_episode(state)
        return
    if winners == 1:
        for side in range(num_sides):
            state["games_won"][side] += state["winning"][side]
            if state["games_won"][side] == state["games_to_win"]:
                end_episode(state)
                return
    deal_next_game(state)


@compiled
def ranking_value(state: np.void, side: int) -> int:
    """Highest score wins; ties: more paintings, then more bonus cards. One number that sorts alike."""
    bonus_cards = 0
    for gallery in range(GALLERIES):
        bonus_cards += state["bonus_owner"][gallery] == side
    paintings = 0
    for gallery in range(GALLERIES):
        paintings += int64(state["hung"][side, gallery])
    spaces = GALLERIES * MAX_COLUMNS + 1
    return (int64(state["scores"][side]) * spaces + paintings) * (GALLERIES + 1) + bonus_cards


@compiled
def end_episode(state: np.void) -> None:
    """The game, or the match, is over."""
    state["phase"] = OVER
    state["seat"] = NOBODY


@compiled
def deal_next_game(state: np.void) -> None:
    """Match: a player with no part in the win starts the next game; if all shared it, anybody."""
    may_start = 0
    for seat in range(int64(state["num_players"])):
        if state["winning"][museum_of(state, seat)] == 0:
            may_start |= 1 << seat
    if may_start == 0:
        may_start = (1 << int64(state["num_players"])) - 1
    for side in range(int64(state["num_sides"])):
        state["winning"][side] = 0
        state["earlier_points"][side] += state["scores"][side]
    state["game_number"] += 1
    deal(state, may_start)


# --- What a game is worth ------------------------------------------------------------------------------------------


@compiled
def is_truncated(state: np.void) -> bool:
    """Musée always comes to its own end."""
    return False


@compiled
def total_points(state: np.void, seat: int) -> int:
    """Points of a seat's side scored so far in the episode: what the ``score`` reward adds up to."""
    side = museum_of(state, seat)
    return int64(state["earlier_points"][side]) + int64(state["scores"][side])


@compiled
def standing(state: np.void, seat: int) -> float:
    """What a player who looks one move ahead would maximise: the points scored so far."""
    return float(total_points(state, seat))


@compiled
def write_scores(state: np.void, scores: np.ndarray) -> None:
    """Each seat's score in the present game (in a match the last one)."""
    for seat in range(int64(state["num_players"])):
        scores[seat] = state["scores"][museum_of(state, seat)]


@compiled
def write_final_rewards(state: np.void, rewards: np.ndarray) -> None:
    """The outcome or margin reward of an episode that is over; Match: of a match by games won."""
    num_players = int64(state["num_players"])
    num_sides = int64(state["num_sides"])
    if state["reward"] == OUTCOME:
        outcome_rewards(state["winning"], num_players, num_sides, rewards)
    elif state["reward"] == MARGIN:
        if state["games_to_win"] == 1:
            margin_rewards(state["scores"], num_players, num_sides, MARGIN_SCALE, rewards)
        else:
            margin_rewards(state["games_won"], num_players, num_sides, float(state["games_to_win"]), rewards)
