"""The rules of Masters Gallery over one state, in the order of the rulebook. Each function names its paragraph.

Every function runs compiled or as plain Python on one element of an array of ``STATE``.
"""

from __future__ import annotations

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.compile import compiled
from env_core.random import following, mix, random_below, shuffle
from env_core.rewards import MARGIN, OUTCOME, margin_rewards, outcome_rewards
from masters_env.state import (
    ACTIONS,
    ACTIVE_ENDER,
    ARTISTS,
    AWARD,
    AWARD_ACTION,
    AWARD_VALUE,
    AWARDING,
    CARD_TYPES,
    CARDS,
    CHOOSING,
    COPIES,
    DEALT_BY_ROUND,
    DECLINE,
    DRAW,
    EXTRA_CARD,
    FIRST_HAND,
    LIMIT_BY_PLAYERS,
    MARGIN_SCALE,
    NOBODY,
    NOTHING,
    OVER,
    PLAYING,
    RANKED_ARTISTS,
    ROUNDS,
    SAME_ARTIST,
    SECOND_DOWN,
    SECOND_FACE_DOWN,
    SECOND_FACE_UP,
    SECOND_UP,
    SIMULTANEOUS,
    SYMBOLS,
    VALUE_TOKENS,
)

# --- Setup and deal ------------------------------------------------------------------------------------------------


@compiled
def new_episode(state: np.void, game_seed: np.uint64) -> None:
    """Begin a game from a game seed; the options in the state stay."""
    state["game_seed"] = game_seed
    state["random"] = mix(game_seed)
    place = 0
    for card in range(CARD_TYPES):
        for _ in range(int64(COPIES[card])):
            state["deck"][place] = card
            place += 1
    shuffle(state, state["deck"], CARDS)
    state["seat"] = random_below(state, int64(state["num_players"]))
    lay_out(state)


@compiled
def next_episode(state: np.void) -> None:
    """Begin the next game of this state's stream."""
    new_episode(state, following(state["game_seed"]))


@compiled
def lay_out(state: np.void) -> None:
    """Setup: from a shuffled pack and a first player to the table as the game begins."""
    first_seat = int64(state["seat"])
    state["deck_next"] = 0
    state["deck_size"] = CARDS
    for seat in range(int64(state["num_players"])):
        fill(state["hands"][seat], 0)
        fill(state["face_down"][seat], 0)
        fill(state["displays"][seat], 0)
        state["hand_sizes"][seat] = 0
        state["face_down_counts"][seat] = 0
        state["choice"][seat] = NOTHING
        state["totals"][seat] = 0
        state["winning"][seat] = 0
        for _ in range(FIRST_HAND):
            take_into_hand(state, seat, next_card_of_deck(state))
    fill(state["on_table"], 0)
    fill(state["gone"], 0)
    fill(state["works"], 0)
    fill(state["tokens"], 0)
    fill(state["awards"], 0)
    fill(state["scoring"], 0)
    fill(state["may_add"], 0)
    state["may_add_any"] = 0
    state["round"] = 0
    turn_extra_card(state)
    begin_round(state, first_seat)


@compiled
def next_card_of_deck(state: np.void) -> int:
    """Take the top card off the deck."""
    card = int64(state["deck"][state["deck_next"]])
    state["deck_next"] += 1
    state["deck_size"] -= 1
    return card


@compiled
def take_into_hand(state: np.void, seat: int, card: int) -> None:
    """Put a card into a hand."""
    state["hands"][seat, card] += 1
    state["hand_sizes"][seat] += 1


@compiled
def play_from_hand(state: np.void, seat: int, card: int) -> None:
    """Take a card out of a hand."""
    state["hands"][seat, card] -= 1
    state["hand_sizes"][seat] -= 1


@compiled
def turn_extra_card(state: np.void) -> None:
    """Setup: one card is turned face up beside the deck; it counts for its artist, its symbol never acts."""
    card = next_card_of_deck(state)
    state["extra_card"] = card
    state["on_table"][card] += 1
    state["works"][card // SYMBOLS] += 1


@compiled
def deal_round(state: np.void, starter: int) -> None:
    """Setup and deal: the cards of a later round, one to each player at a time from the starter clockwise."""
    for _ in range(int64(DEALT_BY_ROUND[state["num_players"], state["round"]])):
        for turns in range(int64(state["num_players"])):
            take_into_hand(state, seat_after(state, starter, turns), next_card_of_deck(state))


@compiled
def begin_round(state: np.void, starter: int) -> None:
    """The first turn of a round, for the starter or, without cards, the next player who has some."""
    state["starter"] = starter
    begin_turn(state, starter if state["hand_sizes"][starter] > 0 else next_with_cards(state, starter))


# --- A turn --------------------------------------------------------------------------------------------------------


@compiled
def seat_after(state: np.void, seat: int, turns: int) -> int:
    """A turn: the seat that comes ``turns`` places after another, clockwise; 0 to num_players turns."""
    later = seat + turns
    num_players = int64(state["num_players"])
    return later if later < num_players else later - num_players


@compiled
def next_with_cards(state: np.void, seat: int) -> int:
    """A turn: the next seat clockwise that has cards; a player without cards is skipped. NOBODY if there is none."""
    for turns in range(1, int64(state["num_players"]) + 1):
        candidate = seat_after(state, seat, turns)
        if state["hand_sizes"][candidate] > 0:
            return candidate
    return NOBODY


@compiled
def all_hands_empty(state: np.void) -> bool:
    """Whether nobody has a card."""
    for seat in range(int64(state["num_players"])):
        if state["hand_sizes"][seat] > 0:
            return False
    return True


@compiled
def begin_turn(state: np.void, seat: int) -> None:
    """A turn: the player must play a card."""
    state["phase"] = PLAYING
    state["seat"] = seat
    state["active"] = seat
    state["played_artist"] = NOTHING


@compiled
def is_legal(state: np.void, action: int) -> bool:
    """Whether an action number is legal now."""
    phase = state["phase"]
    if action < 0 or action >= ACTIONS or phase == OVER:
        return False
    if action == DECLINE:
        return may_decline(state)
    if phase == AWARDING:
        return action >= AWARD_ACTION
    return action < AWARD_ACTION and state["hands"][state["seat"], action] > 0 and may_play(state, action)


@compiled
def may_decline(state: np.void) -> bool:
    """Actions: declining is legal only where the rules say *may*."""
    return state["phase"] == SECOND_UP or state["phase"] == SECOND_DOWN or state["phase"] == EXTRA_CARD


@compiled
def may_play(state: np.void, card: int) -> bool:
    """Whether the phase lets the seat to move play a card of this type, if it has one."""
    if state["phase"] == SECOND_UP:
        return card // SYMBOLS == state["played_artist"]
    if state["phase"] == EXTRA_CARD:
        return state["may_add"][card // SYMBOLS] > 0 or state["may_add_any"] > 0
    return state["phase"] != AWARDING


@compiled
def write_action_mask(state: np.void, action_mask: np.ndarray) -> None:
    """Write 1 for each legal action and 0 for the others; all 0 when the game is over."""
    fill(action_mask, 0)
    if state["phase"] == OVER:
        return
    if state["phase"] == AWARDING:
        for artist in range(ARTISTS):
            action_mask[AWARD_ACTION + artist] = 1
        return
    hand = state["hands"][state["seat"]]
    if state["phase"] == SECOND_UP or state["phase"] == EXTRA_CARD:
        for card in range(CARD_TYPES):
            action_mask[card] = hand[card] > 0 and may_play(state, card)
    else:
        for card in range(CARD_TYPES):
            action_mask[card] = hand[card] > 0
    action_mask[DECLINE] = may_decline(state)


@compiled
def apply(state: np.void, action: int) -> None:
    """Play one legal action for the seat to move, with all that follows from it."""
    phase = int64(state["phase"])
    seat = int64(state["seat"])
    if phase == PLAYING:
        play_card(state, seat, action)
    elif phase == SECOND_UP:
        play_second_face_up(state, seat, action)
    elif phase == SECOND_DOWN:
        play_second_face_down(state, seat, action)
    elif phase == CHOOSING:
        choose_simultaneously(state, seat, action)
    elif phase == AWARDING:
        state["awards"][action - AWARD_ACTION] += 1
        end_turn(state)
    else:
        add_extra_card(state, seat, action)


@compiled
def display(state: np.void, seat: int, card: int) -> None:
    """A turn: a card lies face up on a display and counts for its artist."""
    state["on_table"][card] += 1
    state["displays"][seat, card // SYMBOLS] += 1
    state["works"][card // SYMBOLS] += 1


@compiled
def is_at_limit(state: np.void, artist: int) -> bool:
    """A turn: whether an artist's face-up works end the round."""
    return state["works"][artist] >= LIMIT_BY_PLAYERS[state["num_players"]]


@compiled
def play_card(state: np.void, seat: int, card: int) -> None:
    """A turn: play a card face up; unless it ends the round its symbol acts."""
    play_from_hand(state, seat, card)
    display(state, seat, card)
    artist = card // SYMBOLS
    symbol = card - artist * SYMBOLS
    if is_at_limit(state, artist):
        end_round(state, seat)
        return
    state["played_artist"] = artist
    if symbol == DRAW:
        if state["deck_size"] > 0:
            take_into_hand(state, seat, next_card_of_deck(state))
        end_turn(state)
    elif symbol == SECOND_FACE_UP and has_card_of(state, seat, artist):
        state["phase"] = SECOND_UP
    elif symbol == SECOND_FACE_DOWN and state["hand_sizes"][seat] > 0:
        state["phase"] = SECOND_DOWN
    elif symbol == SIMULTANEOUS and not all_hands_empty(state):
        state["phase"] = CHOOSING
        state["seat"] = seat if state["hand_sizes"][seat] > 0 else next_with_cards(state, seat)
    elif symbol == AWARD:
        state["phase"] = AWARDING
    else:
        end_turn(state)


@compiled
def has_card_of(state: np.void, seat: int, artist: int) -> bool:
    """Whether a hand holds a card of an artist."""
    for symbol in range(SYMBOLS):
        if state["hands"][seat, artist * SYMBOLS + symbol] > 0:
            return True
    return False


@compiled
def play_second_face_up(state: np.void, seat: int, action: int) -> None:
    """Second face up: a second card of the same artist counts at once and can end the round; its symbol is ignored."""
    if action != DECLINE:
        play_from_hand(state, seat, action)
        display(state, seat, action)
        if is_at_limit(state, action // SYMBOLS):
            end_round(state, seat)
            return
    end_turn(state)


@compiled
def play_second_face_down(state: np.void, seat: int, action: int) -> None:
    """Second face down: a second card of any artist, known to its owner alone, which does not count yet."""
    if action != DECLINE:
        play_from_hand(state, seat, action)
        state["face_down"][seat, action] += 1
        state["face_down_counts"][seat] += 1
    end_turn(state)


@compiled
def choose_simultaneously(state: np.void, seat: int, card: int) -> None:
    """Simultaneous: a chosen card leaves the hand and stays unseen; when all have chosen, all are revealed."""
    play_from_hand(state, seat, card)
    state["choice"][seat] = card
    active = int64(state["active"])
    for turns in range(1, int64(state["num_players"])):
        candidate = seat_after(state, seat, turns)
        if candidate == active:
            break
        if state["hand_sizes"][candidate] > 0:
            state["seat"] = candidate
            return
    reveal_choices(state)


@compiled
def reveal_choices(state: np.void) -> None:
    """Simultaneous: the cards are displayed together, then the limit is tested once."""
    active = int64(state["active"])
    num_players = int64(state["num_players"])
    for seat in range(num_players):
        if state["choice"][seat] != NOTHING:
            display(state, seat, int64(state["choice"][seat]))
    ender = NOBODY
    for turns in range(num_players):
        seat = seat_after(state, active, turns)
        card = int64(state["choice"][seat])
        if ender == NOBODY and card != NOTHING and is_at_limit(state, card // SYMBOLS):
            ender = seat
        state["choice"][seat] = NOTHING
    if ender == NOBODY:
        end_turn(state)
    elif state["simultaneous_ender"] == ACTIVE_ENDER:
        end_round(state, active)
    else:
        end_round(state, ender)


@compiled
def end_turn(state: np.void) -> None:
    """A turn, the end of a round: the turn is complete; with all hands empty the active player has ended the round."""
    active = int64(state["active"])
    following_seat = next_with_cards(state, active)
    if following_seat == NOBODY:
        end_round(state, active)
    else:
        begin_turn(state, following_seat)


# --- The end of a round --------------------------------------------------------------------------------------------


@compiled
def end_round(state: np.void, ender: int) -> None:
    """The end of a round 1 to 4: reveal, rank, value, then players add and score from the ender clockwise."""
    state["played_artist"] = NOTHING
    state["active"] = ender
    reveal_face_down(state)
    rank_artists(state)
    state["phase"] = EXTRA_CARD
    score_from(state, ender, 0)


@compiled
def reveal_face_down(state: np.void) -> None:
    """The end of a round 1: face-down cards join their owners' displays."""
    for seat in range(int64(state["num_players"])):
        if state["face_down_counts"][seat] > 0:
            for card in range(CARD_TYPES):
                while state["face_down"][seat, card] > 0:
                    state["face_down"][seat, card] -= 1
                    display(state, seat, card)
            state["face_down_counts"][seat] = 0


@compiled
def rank_artists(state: np.void) -> None:
    """The end of a round 2: the first three artists by works get 3, 2, 1; ties to the lower number."""
    for place in range(RANKED_ARTISTS):
        best = NOTHING
        for artist in range(ARTISTS):
            if state["scoring"][artist] == 0 and (best == NOTHING or state["works"][artist] > state["works"][best]):
                best = artist
        if state["works"][best] > 0 or state["empty_artist_token"]:
            state["scoring"][best] = 1
            state["tokens"][best] += VALUE_TOKENS[place]


@compiled
def value_of_work(state: np.void, artist: int) -> int:
    """The end of a round 3: a work of a ranked artist is worth all tokens and awards on the artist."""
    if state["scoring"][artist] == 0:
        return 0
    return int64(state["tokens"][artist]) + AWARD_VALUE * int64(state["awards"][artist])


@compiled
def score_from(state: np.void, ender: int, turns: int) -> None:
    """The end of a round 4: the next player who may add a card is asked; players who may not score at once."""
    while turns < state["num_players"]:
        seat = seat_after(state, ender, turns)
        grant_extra_cards(state, seat)
        if may_add_a_card(state, seat):
            state["seat"] = seat
            return
        score_display(state, seat)
        turns += 1
    finish_round(state)


@compiled
def grant_extra_cards(state: np.void, seat: int) -> None:
    """The end of a round 4: how many cards, of which artists, a player may add."""
    state["may_add_any"] = 0
    for artist in range(ARTISTS):
        on_display = state["displays"][seat, artist] > 0
        state["may_add"][artist] = on_display and state["extra_card_rule"] == SAME_ARTIST
        if on_display and state["extra_card_rule"] != SAME_ARTIST:
            state["may_add_any"] += 1


@compiled
def may_add_a_card(state: np.void, seat: int) -> bool:
    """The end of a round 4: whether a player has a card to add."""
    if state["may_add_any"] > 0:
        return state["hand_sizes"][seat] > 0
    for artist in range(ARTISTS):
        if state["may_add"][artist] > 0 and has_card_of(state, seat, artist):
            return True
    return False


@compiled
def add_extra_card(state: np.void, seat: int, action: int) -> None:
    """The end of a round 4: add one card, its symbol ignored and the ranking as it is, or decline; then score."""
    if action != DECLINE:
        artist = action // SYMBOLS
        play_from_hand(state, seat, action)
        display(state, seat, action)
        if state["may_add_any"] > 0:
            state["may_add_any"] -= 1
        else:
            state["may_add"][artist] -= 1
        if may_add_a_card(state, seat):
            return
    score_display(state, seat)
    ender = int64(state["active"])
    score_from(state, ender, turns_from(state, ender, seat) + 1)


@compiled
def turns_from(state: np.void, seat: int, other: int) -> int:
    """How many places clockwise another seat is from this one."""
    return other - seat if other >= seat else other - seat + int64(state["num_players"])


@compiled
def has_scored(state: np.void, seat: int) -> bool:
    """The end of a round 4: whether a player's display counts in the total already."""
    if state["phase"] != EXTRA_CARD:
        return False
    ender = int64(state["active"])
    return turns_from(state, ender, seat) < turns_from(state, ender, int64(state["seat"]))


@compiled
def score_display(state: np.void, seat: int) -> None:
    """The end of a round 4: a player scores every card on the own display."""
    for artist in range(ARTISTS):
        state["totals"][seat] += int64(state["displays"][seat, artist]) * value_of_work(state, artist)


@compiled
def finish_round(state: np.void) -> None:
    """The end of a round 5 and 6: clear the table; the player to the left of the ender starts the next round."""
    clear_table(state)
    while state["round"] < ROUNDS - 1:
        state["round"] += 1
        starter = seat_after(state, int64(state["active"]), 1)
        turn_extra_card(state)
        deal_round(state, starter)
        if not all_hands_empty(state):
            begin_round(state, starter)
            return
        # The round ends at once, by the player who would have started; nobody has a display to score.
        state["starter"] = starter
        state["active"] = starter
        rank_artists(state)
        clear_table(state)
    end_game(state)


@compiled
def clear_table(state: np.void) -> None:
    """The end of a round 5: displays and extra card leave the game, tokens and awards stay."""
    for seat in range(int64(state["num_players"])):
        fill(state["displays"][seat], 0)
    for card in range(CARD_TYPES):
        state["gone"][card] += state["on_table"][card]
        state["on_table"][card] = 0
    fill(state["works"], 0)
    fill(state["scoring"], 0)
    fill(state["may_add"], 0)
    state["may_add_any"] = 0
    state["extra_card"] = NOTHING


@compiled
def end_game(state: np.void) -> None:
    """After round 4 the highest total wins; ties share the win."""
    num_players = int64(state["num_players"])
    best = int64(state["totals"][0])
    for seat in range(1, num_players):
        best = max(best, int64(state["totals"][seat]))
    for seat in range(num_players):
        state["winning"][seat] = state["totals"][seat] == best
    state["phase"] = OVER
    state["seat"] = NOBODY


# --- What a game is worth ------------------------------------------------------------------------------------------


@compiled
def is_truncated(state: np.void) -> bool:
    """Masters Gallery always comes to its own end."""
    return False


@compiled
def total_points(state: np.void, seat: int) -> int:
    """Points of a seat scored so far: what the ``score`` reward adds up to."""
    return int64(state["totals"][seat])


@compiled
def standing(state: np.void, seat: int) -> float:
    """What a player who looks one move ahead would maximise: the total, and the own display if the round ended now."""
    points = int64(state["totals"][seat])
    if has_scored(state, seat):
        return float(points)
    for artist in range(ARTISTS):
        own = works_on_display(state, seat, artist)
        if own > 0:
            points += own * value_if_ended_now(state, artist)
    return float(points)


@compiled
def works_on_display(state: np.void, seat: int, artist: int) -> int:
    """Works of an artist on a display, face-down cards and a hidden choice included."""
    works = int64(state["displays"][seat, artist])
    for symbol in range(SYMBOLS):
        works += int64(state["face_down"][seat, artist * SYMBOLS + symbol])
    choice = int64(state["choice"][seat])
    if choice != NOTHING and choice // SYMBOLS == artist:
        works += 1
    return works


@compiled
def works_if_ended_now(state: np.void, artist: int) -> int:
    """Works of an artist on the table if all that is hidden were shown."""
    works = int64(state["works"][artist])
    for seat in range(int64(state["num_players"])):
        works += works_on_display(state, seat, artist) - int64(state["displays"][seat, artist])
    return works


@compiled
def value_if_ended_now(state: np.void, artist: int) -> int:
    """What a work of an artist would be worth if the round ended now."""
    if state["phase"] == EXTRA_CARD:
        return value_of_work(state, artist)
    works = works_if_ended_now(state, artist)
    place = 0
    for other in range(ARTISTS):
        others = works_if_ended_now(state, other)
        if others > works or (others == works and other < artist):
            place += 1
    if place >= RANKED_ARTISTS:
        return 0
    return int64(VALUE_TOKENS[place]) + int64(state["tokens"][artist]) + AWARD_VALUE * int64(state["awards"][artist])


@compiled
def write_scores(state: np.void, scores: np.ndarray) -> None:
    """Each seat's total."""
    for seat in range(int64(state["num_players"])):
        scores[seat] = state["totals"][seat]


@compiled
def write_final_rewards(state: np.void, rewards: np.ndarray) -> None:
    """The outcome or margin reward of a game that is over."""
    num_players = int64(state["num_players"])
    if state["reward"] == OUTCOME:
        outcome_rewards(state["winning"], num_players, num_players, rewards)
    elif state["reward"] == MARGIN:
        margin_rewards(state["totals"], num_players, num_players, MARGIN_SCALE, rewards)
