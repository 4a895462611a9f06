"""The rules of Museum: Pictura over one state, in the order of the rulebook. Each function names its paragraph.

Every function runs compiled or as plain Python on one element of an array of ``STATE``. A decision is one step: the
phase says what is asked, ``write_action_mask`` what may be answered, and one function for each phase what follows.
"""

from __future__ import annotations

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.compile import compiled
from env_core.random import following, mix, random_below, shuffle
from env_core.rewards import MARGIN, OUTCOME, margin_rewards, outcome_rewards
from pictura_env.state import (
    ACQUISITION,
    ANY,
    BY_EFFECT,
    DEALT_TRENDS,
    DISCARDING,
    DISCARDING_FAVORS,
    EFFECT_DRAW,
    EFFECT_FAVOR,
    EFFECT_FREE_EXHIBIT,
    EFFECT_PRESTIGE,
    EFFECT_RECOVER,
    EFFECT_REFRESH,
    EFFECT_TRADE,
    EMPTY,
    EXHIBIT_PAY,
    EXHIBIT_SLOT,
    EXHIBITION,
    EXHIBITS,
    FAVOR_ACTION,
    FAVOR_DECK,
    FAVOR_LIMIT,
    FAVORS,
    FINAL_MENU,
    FINAL_MOVES,
    FINAL_PUT_DOWN,
    FIRST_HAND,
    HAND_LIMIT,
    IN_DECK,
    IN_DISCARD,
    IN_HAND,
    IN_MUSEUM,
    IN_OWN_MUSEUM,
    INVENTORY,
    INVENTORY_ACTION,
    KEEPING_TREND,
    KIND_ACTION,
    KINDS,
    MARGIN_SCALE,
    MENU,
    MIDDLE,
    MOST_MADE_ANEW,
    MUSEUM_PAINTINGS,
    MUSEUMS,
    NO_ACTION,
    NOBODY,
    NOTHING,
    ON_THE_WAY,
    OTHERS_ACQUISITION,
    OVER,
    OWN_ACQUISITION,
    PAINTINGS,
    PATRON_CLAIMED,
    PATRON_DECK,
    PATRON_IN_DECK,
    PATRON_REPLACED,
    PATRON_SHOWN,
    PATRONS,
    PATRONS_SHOWN,
    PERIODS,
    PUT_DOWN,
    RECOVERING,
    REPLACE_PATRONS,
    REWARD_ACQUISITION,
    REWARD_END_GALLERY,
    REWARD_END_PATRONS,
    REWARD_EXHIBITION,
    REWARD_HAND_LIMIT,
    REWARD_SPACE,
    REWARD_SPACES,
    REWARD_TRADE,
    ROWS,
    SLOT_ACTION,
    SLOTS,
    SPACE_ACTION,
    TAKE_FAVOR,
    TOKENS_OF_A_KIND,
    TRADE_GIVE,
    TRADE_TAKE,
    TREND_DECK,
    TRENDS,
)

# Museums as bitboards: bit row * ROWS + column.
LEFT_COLUMN = sum(1 << (row * ROWS) for row in range(ROWS))
RIGHT_COLUMN = LEFT_COLUMN << (ROWS - 1)
MAIN_GALLERY = (((1 << ROWS) - 1) << (MIDDLE * ROWS)) | (LEFT_COLUMN << MIDDLE)
MAIN_GALLERY_SLOTS = 2 * ROWS - 1

# Places that paintings lie in, as sets: one bit each.
NOWHERE = 0
IN_ANY_MUSEUM = sum(1 << (IN_MUSEUM + museum) for museum in range(MUSEUMS))

# --- Components: what a painting is worth against a trend ----------------------------------------------------------


@compiled
def best(state: np.void, painting: int, trend: int) -> int:
    """Components: the highest value among what matches, 0 if nothing."""
    values = state["trend_values"][trend]
    highest = 0
    if state["painting_period"][painting] == state["trend_period"][trend]:
        highest = max(highest, int64(values[0]))
    if state["painting_domain"][painting] == state["trend_domain"][trend]:
        highest = max(highest, int64(values[1]))
    if state["painting_painter"][painting] == state["trend_painter"][trend]:
        highest = max(highest, int64(values[2]))
    return highest


@compiled
def total(state: np.void, painting: int, trend: int) -> int:
    """Components: the sum of the values of all that matches."""
    values = state["trend_values"][trend]
    added = 0
    if state["painting_period"][painting] == state["trend_period"][trend]:
        added += int64(values[0])
    if state["painting_domain"][painting] == state["trend_domain"][trend]:
        added += int64(values[1])
    if state["painting_painter"][painting] == state["trend_painter"][trend]:
        added += int64(values[2])
    return added


# --- Setup ---------------------------------------------------------------------------------------------------------


@compiled
def new_episode(state: np.void, game_seed: np.uint64) -> None:
    """Begin a game from a game seed; the options in the state stay."""
    state["game_seed"] = game_seed
    state["random"] = mix(game_seed)
    for painting in range(PAINTINGS):
        state["painting_deck"][painting] = painting
    shuffle(state, state["painting_deck"], PAINTINGS)
    for trend in range(TRENDS):
        state["trend_deck"][trend] = trend
    shuffle(state, state["trend_deck"], TRENDS)
    place = 0
    for favor in range(int64(state["favor_types"])):
        for _ in range(int64(state["favor_copies"][favor])):
            state["favor_deck"][place] = favor
            place += 1
    shuffle(state, state["favor_deck"], FAVORS)
    for patron in range(PATRONS):
        state["patron_deck"][patron] = patron
    shuffle(state, state["patron_deck"], PATRONS)
    state["first_seat"] = random_below(state, int64(state["num_players"]))
    lay_out(state)


@compiled
def next_episode(state: np.void) -> None:
    """Begin the next game of this state's stream."""
    new_episode(state, following(state["game_seed"]))


@compiled
def lay_out(state: np.void) -> None:
    """Setup 1 to 5: from shuffled decks and a first player to the table as the game begins."""
    clear_table(state)
    first_seat = int64(state["first_seat"])
    num_players = int64(state["num_players"])
    state["public_trend"] = next_trend(state)
    for museum in range(MUSEUMS):
        state["museum_trends"][museum] = next_trend(state)
    for museum in range(MUSEUMS):
        for _ in range(MUSEUM_PAINTINGS):
            state["where"][next_painting(state)] = IN_MUSEUM + museum
    for place in range(PATRONS_SHOWN):
        show_patron(state, place)
    for seat in range(num_players):
        draw_paintings(state, seat, FIRST_HAND)
        draw_favor(state, seat)
        for dealt in range(DEALT_TRENDS):
            state["dealt_trends"][seat, dealt] = next_trend(state)
    # They are shuffled only when all have kept one: until then their order is nobody's, and in no record's setup.
    sort_cards(state["trend_deck"][int64(state["trend_next"]) :], int64(state["trend_left"]))
    for turns in range(num_players):
        seat = seat_after(state, first_seat, turns)
        state["prestige"][seat] = state["starting_prestige"][turns]
        state["markers"][seat] = state["first_marker"]
    state["phase"] = KEEPING_TREND
    state["seat"] = first_seat


@compiled
def clear_table(state: np.void) -> None:
    """Setup: nothing lies anywhere but in the shuffled decks."""
    forget_decks_made_anew(state)
    fill(state["forced"], 0)
    state["active"] = state["first_seat"]
    state["round"] = 0
    state["end_token"] = NOBODY
    state["last_turns"] = 0
    state["truncated"] = 0
    state["chosen"] = NOTHING
    state["chosen_from"] = NOTHING
    state["chosen_slot"] = NOTHING
    state["trade"] = OWN_ACQUISITION
    state["recover_left"] = 0
    begin_action_phase(state)
    fill(state["where"], IN_DECK)
    state["painting_next"] = 0
    state["painting_left"] = PAINTINGS
    fill(state["used_trends"], 0)
    state["trend_next"] = 0
    state["trend_left"] = TRENDS
    fill(state["used_favors"], 0)
    state["favor_next"] = 0
    state["favor_left"] = FAVORS
    fill(state["patron_where"], PATRON_IN_DECK)
    state["patron_next"] = 0
    state["patron_left"] = PATRONS
    fill(state["tokens_left"], TOKENS_OF_A_KIND)
    for seat in range(int64(state["num_players"])):
        state["hand_sizes"][seat] = 0
        state["discard_sizes"][seat] = 0
        fill(state["slots"][seat], EMPTY)
        fill(state["boards"][seat], 0)
        state["filled"][seat] = 0
        state["secret_trend"][seat] = NOTHING
        fill(state["favors"][seat], 0)
        state["favors_held"][seat] = 0
        state["patrons_claimed"][seat] = 0
        fill(state["kinds_shown"][seat], 0)
        fill(state["spaces"][seat], 0)
        state["exhibitions"][seat] = 0
        state["winning"][seat] = 0


@compiled
def seat_after(state: np.void, seat: int, turns: int) -> int:
    """The seat that comes ``turns`` places after another in turn order; 0 to num_players turns."""
    later = seat + turns
    num_players = int64(state["num_players"])
    return later if later < num_players else later - num_players


@compiled
def keep_trend(state: np.void, seat: int, dealt: int) -> None:
    """Setup 5: everybody keeps one of three trends; when all have, the rest are shuffled back."""
    state["secret_trend"][seat] = state["dealt_trends"][seat, dealt]
    later = seat_after(state, seat, 1)
    if later != state["first_seat"]:
        state["seat"] = later
        return
    returned = int64(state["trend_left"])
    for place in range(returned):
        state["trend_deck"][place] = state["trend_deck"][int64(state["trend_next"]) + place]
    for other in range(int64(state["num_players"])):
        for number in range(DEALT_TRENDS):
            if state["dealt_trends"][other, number] != state["secret_trend"][other]:
                state["trend_deck"][returned] = state["dealt_trends"][other, number]
                returned += 1
    state["trend_next"] = 0
    state["trend_left"] = returned
    sort_cards(state["trend_deck"], returned)
    make_anew(state, TREND_DECK, state["trend_deck"], returned)
    begin_turn(state, int64(state["first_seat"]))


# --- Decks ---------------------------------------------------------------------------------------------------------


@compiled
def sort_cards(cards: np.ndarray, count: int) -> None:
    """Sort the first cards, so that how a shuffle comes out hangs on the generator alone."""
    for place in range(1, count):
        card = cards[place]
        other = place
        while other > 0 and cards[other - 1] > card:
            cards[other] = cards[other - 1]
            other -= 1
        cards[other] = card


@compiled
def make_anew(state: np.void, deck: int, cards: np.ndarray, count: int) -> None:
    """Prestige and favors: shuffle cards into a deck made anew, or put them as a record that is played back says."""
    shuffle(state, cards, count)
    number = 0
    while state["made_anew"][number] != NOTHING:
        number += 1
    order = state["anew_orders"][number]
    for place in range(count):
        if state["forced"][number]:
            cards[place] = order[place]
        else:
            order[place] = cards[place]
    state["made_anew"][number] = deck
    state["anew_sizes"][number] = count


@compiled
def forget_decks_made_anew(state: np.void) -> None:
    """What the last action decided by chance is written down; the orders are hidden again."""
    for number in range(MOST_MADE_ANEW):
        state["made_anew"][number] = NOTHING
        state["anew_sizes"][number] = 0
        fill(state["anew_orders"][number], 0)


@compiled
def next_painting(state: np.void) -> int:
    """Take the top painting off its deck, which must not be empty."""
    painting = int64(state["painting_deck"][state["painting_next"]])
    state["painting_next"] += 1
    state["painting_left"] -= 1
    return painting


@compiled
def draw_paintings(state: np.void, seat: int, count: int) -> None:
    """Draw paintings into a hand; an empty deck gives fewer."""
    for _ in range(min(count, int64(state["painting_left"]))):
        state["where"][next_painting(state)] = IN_HAND + seat
        state["hand_sizes"][seat] += 1


@compiled
def next_trend(state: np.void) -> int:
    """Take the top trend off its deck, which must not be empty."""
    trend = int64(state["trend_deck"][state["trend_next"]])
    state["trend_next"] += 1
    state["trend_left"] -= 1
    return trend


@compiled
def turn_public_trend(state: np.void) -> None:
    """The end of a round: a new public trend; an empty deck is made anew from all used so far, the present one too."""
    state["used_trends"][state["public_trend"]] = 1
    if state["trend_left"] == 0:
        count = 0
        for trend in range(TRENDS):
            if state["used_trends"][trend]:
                state["trend_deck"][count] = trend
                state["used_trends"][trend] = 0
                count += 1
        state["trend_next"] = 0
        state["trend_left"] = count
        make_anew(state, TREND_DECK, state["trend_deck"], count)
    state["public_trend"] = next_trend(state)


@compiled
def can_draw_favor(state: np.void) -> bool:
    """Whether there is a favor to draw, from the deck or a deck made anew."""
    if state["favor_left"] > 0:
        return True
    for favor in range(int64(state["favor_types"])):
        if state["used_favors"][favor] > 0:
            return True
    return False


@compiled
def draw_favor(state: np.void, seat: int) -> None:
    """Prestige and favors: draw one favor; an empty deck is made anew from the favors played or discarded."""
    if not can_draw_favor(state):
        return
    if state["favor_left"] == 0:
        count = 0
        for favor in range(int64(state["favor_types"])):
            for _ in range(int64(state["used_favors"][favor])):
                state["favor_deck"][count] = favor
                count += 1
            state["used_favors"][favor] = 0
        state["favor_next"] = 0
        state["favor_left"] = count
        make_anew(state, FAVOR_DECK, state["favor_deck"], count)
    favor = int64(state["favor_deck"][state["favor_next"]])
    state["favor_next"] += 1
    state["favor_left"] -= 1
    state["favors"][seat, favor] += 1
    state["favors_held"][seat] += 1


@compiled
def show_patron(state: np.void, place: int) -> None:
    """Show a patron; an empty deck is made anew from the patrons replaced; with none the place stays empty."""
    state["shown"][place] = NOTHING
    if state["patron_left"] == 0:
        count = 0
        for patron in range(PATRONS):
            if state["patron_where"][patron] == PATRON_REPLACED:
                state["patron_deck"][count] = patron
                state["patron_where"][patron] = PATRON_IN_DECK
                count += 1
        if count == 0:
            return
        state["patron_next"] = 0
        state["patron_left"] = count
        make_anew(state, PATRON_DECK, state["patron_deck"], count)
    patron = int64(state["patron_deck"][state["patron_next"]])
    state["patron_next"] += 1
    state["patron_left"] -= 1
    state["patron_where"][patron] = PATRON_SHOWN
    state["shown"][place] = patron


@compiled
def replace_patrons(state: np.void) -> None:
    """Inventory and *refresh*: all shown patrons are put away, then the same places are filled in order."""
    was_shown = 0
    for place in range(PATRONS_SHOWN):
        if state["shown"][place] != NOTHING:
            was_shown |= 1 << place
            state["patron_where"][state["shown"][place]] = PATRON_REPLACED
    for place in range(PATRONS_SHOWN):
        if (was_shown >> place) & 1:
            show_patron(state, place)


# --- Prestige and favors -------------------------------------------------------------------------------------------


@compiled
def gain(state: np.void, seat: int, prestige: int) -> None:
    """Prestige and favors: each time the favor marker is reached, draw a favor and move the marker on."""
    state["prestige"][seat] += prestige
    while state["prestige"][seat] >= state["markers"][seat]:
        draw_favor(state, seat)
        state["markers"][seat] += state["marker_step"]


@compiled
def lose(state: np.void, seat: int, prestige: int) -> None:
    """Prestige and favors: prestige never falls below 0; losses do not move the marker."""
    state["prestige"][seat] = max(int64(state["prestige"][seat]) - prestige, 0)


@compiled
def reward_amount(state: np.void, seat: int, reward: int) -> int:
    """A turn: what the reward spaces with a token bring a player of one sort."""
    amount = 0
    for space in range(REWARD_SPACES):
        if state["spaces"][seat, space] != 0 and state["space_reward"][space] == reward:
            amount += int64(state["space_amount"][space])
    return amount


# --- A turn: acquisition -------------------------------------------------------------------------------------------


@compiled
def begin_turn(state: np.void, seat: int) -> None:
    """Acquisition: the active player draws two paintings, then must trade."""
    state["active"] = seat
    begin_action_phase(state)
    draw_paintings(state, seat, ACQUISITION + reward_amount(state, seat, REWARD_ACQUISITION))
    state["trade"] = OWN_ACQUISITION
    if state["hand_sizes"][seat] > 0:
        ask_for_trade(state, seat)
    else:
        trade_of_next(state, seat)


@compiled
def begin_action_phase(state: np.void) -> None:
    """A turn: nothing of the turn has been used up."""
    state["action_taken"] = NO_ACTION
    state["exhibits"] = 0
    state["favor_played"] = 0
    state["patron_taken"] = 0
    state["moves_made"] = 0
    state["free_exhibit"] = 0


@compiled
def ask_for_trade(state: np.void, seat: int) -> None:
    """Acquisition: a trade begins with taking a painting out of an international museum."""
    state["phase"] = TRADE_TAKE
    state["seat"] = seat


@compiled
def trade_of_next(state: np.void, seat: int) -> None:
    """Acquisition: each other player, in turn order, may trade once, if it has a card; then the action phase."""
    state["trade"] = OTHERS_ACQUISITION
    active = int64(state["active"])
    later = seat_after(state, seat, 1)
    while later != active:
        if state["hand_sizes"][later] > 0:
            ask_for_trade(state, later)
            return
        later = seat_after(state, later, 1)
    ask_menu(state)


@compiled
def take_for_trade(state: np.void, seat: int, action: int) -> None:
    """Acquisition: take one painting out of a museum, or decline where one may."""
    if action >= PAINTINGS:
        end_trade(state, seat)
        return
    state["chosen"] = action
    state["chosen_from"] = int64(state["where"][action]) - IN_MUSEUM
    state["where"][action] = ON_THE_WAY
    state["phase"] = TRADE_GIVE


@compiled
def give_for_trade(state: np.void, seat: int, given: int) -> None:
    """Acquisition: put a hand card in its place; prestige changes by the difference, once."""
    taken = int64(state["chosen"])
    museum = int64(state["chosen_from"])
    trend = int64(state["museum_trends"][museum])
    difference = best(state, given, trend) - best(state, taken, trend)
    state["where"][given] = IN_MUSEUM + museum
    state["where"][taken] = IN_HAND + seat
    state["chosen"] = NOTHING
    state["chosen_from"] = NOTHING
    if difference > 0:
        gain(state, seat, difference + reward_amount(state, seat, REWARD_TRADE))
    else:
        lose(state, seat, -difference)
    end_trade(state, seat)


@compiled
def end_trade(state: np.void, seat: int) -> None:
    """Acquisition: after a trade the others trade; a trade by an effect opens none."""
    if state["trade"] == BY_EFFECT:
        ask_menu(state)
    else:
        trade_of_next(state, seat)


# --- A turn: action ------------------------------------------------------------------------------------------------


@compiled
def ask_menu(state: np.void) -> None:
    """The order of decisions: in the action phase the menu holds all that is possible now."""
    state["phase"] = MENU
    state["seat"] = state["active"]


@compiled
def places_to_exhibit_from(state: np.void) -> int:
    """Action: exhibits, until another kind of action was taken or the limit is reached; an empty slot is needed.

    A hand card, or another's discard for 1 prestige; with a hand card to pay with, unless the exhibit is free.
    """
    seat = int64(state["active"])
    if state["action_taken"] != NO_ACTION and state["action_taken"] != EXHIBITS:
        return NOWHERE
    if state["exhibits_per_action"] > 0 and state["exhibits"] >= state["exhibits_per_action"]:
        return NOWHERE
    if state["filled"][seat] == SLOTS:
        return NOWHERE
    hand = int64(state["hand_sizes"][seat])
    payment = 0 if state["free_exhibit"] else 1
    places = NOWHERE
    if hand >= 1 + payment:
        places |= 1 << (IN_HAND + seat)
    if hand >= payment and state["prestige"][seat] >= 1:
        for other in range(int64(state["num_players"])):
            if other != seat:
                places |= 1 << (IN_DISCARD + other)
    return places


@compiled
def choose_exhibit(state: np.void, seat: int, painting: int) -> None:
    """Exhibit: choose the card."""
    where = int64(state["where"][painting])
    if where == IN_HAND + seat:
        state["chosen_from"] = seat
        state["hand_sizes"][seat] -= 1
    else:
        owner = where - IN_DISCARD
        state["chosen_from"] = owner
        state["discard_sizes"][owner] -= 1
    state["chosen"] = painting
    state["where"][painting] = ON_THE_WAY
    state["phase"] = EXHIBIT_SLOT


@compiled
def choose_exhibit_slot(state: np.void, seat: int, slot: int) -> None:
    """Exhibit: choose an empty slot, then pay, unless the exhibit is free."""
    state["chosen_slot"] = slot
    if state["free_exhibit"]:
        state["free_exhibit"] = 0
        finish_exhibit(state, seat)
    else:
        state["phase"] = EXHIBIT_PAY


@compiled
def pay_exhibit(state: np.void, seat: int, painting: int) -> None:
    """Exhibit: pay with a hand card, face up on the own discard pile."""
    discard(state, seat, painting)
    finish_exhibit(state, seat)


@compiled
def discard(state: np.void, seat: int, painting: int) -> None:
    """Put a hand card onto the own discard pile."""
    state["where"][painting] = IN_DISCARD + seat
    state["hand_sizes"][seat] -= 1
    state["discard_sizes"][seat] += 1


@compiled
def finish_exhibit(state: np.void, seat: int) -> None:
    """Exhibit: once it is paid for, the 1 prestige lost, the owner's 1 gained, the score, in this order."""
    painting = int64(state["chosen"])
    owner = int64(state["chosen_from"])
    hang(state, seat, int64(state["chosen_slot"]), painting)
    state["filled"][seat] += 1
    state["where"][painting] = IN_OWN_MUSEUM + seat
    state["chosen"] = NOTHING
    state["chosen_from"] = NOTHING
    state["chosen_slot"] = NOTHING
    state["action_taken"] = EXHIBITS
    state["exhibits"] += 1
    if owner != seat:
        lose(state, seat, 1)
        gain(state, owner, 1)
    gain(state, seat, best(state, painting, int64(state["public_trend"])))
    ask_menu(state)


@compiled
def may_open_exhibition(state: np.void, kind: int) -> bool:
    """Temporary exhibition: a collection of the kind, a token left, and not shown before by this player."""
    seat = int64(state["active"])
    return (
        state["action_taken"] == NO_ACTION
        and state["exhibitions"][seat] < REWARD_SPACES
        and state["tokens_left"][kind] > 0
        and state["kinds_shown"][seat, kind] == 0
        and largest_collection(state, seat, kind) > 0
    )


@compiled
def open_exhibition(state: np.void, seat: int, kind: int) -> None:
    """Temporary exhibition: score the largest collection and the token, before the reward space is chosen."""
    state["action_taken"] = EXHIBITION
    state["kinds_shown"][seat, kind] = 1
    token = TOKENS_OF_A_KIND - int64(state["tokens_left"][kind])
    state["tokens_left"][kind] -= 1
    prestige = int64(state["collection_values"][largest_collection(state, seat, kind)])
    prestige += int64(state["token_values"][kind, token]) + reward_amount(state, seat, REWARD_EXHIBITION)
    state["exhibitions"][seat] += 1
    state["chosen"] = kind
    gain(state, seat, prestige)
    state["phase"] = REWARD_SPACE


@compiled
def place_token(state: np.void, seat: int, space: int) -> None:
    """Temporary exhibition: put the token on a free reward space, whose reward holds from now on."""
    state["spaces"][seat, space] = state["chosen"] + 1
    state["chosen"] = NOTHING
    ask_menu(state)


@compiled
def take_inventory(state: np.void, seat: int) -> None:
    """Inventory: take back the whole discard pile; then may draw a favor, then may replace all shown patrons."""
    state["action_taken"] = INVENTORY
    for painting in range(PAINTINGS):
        if state["where"][painting] == IN_DISCARD + seat:
            recover(state, seat, painting)
    if can_draw_favor(state):
        state["phase"] = TAKE_FAVOR
    else:
        ask_about_patrons(state)


@compiled
def recover(state: np.void, seat: int, painting: int) -> None:
    """Take a card of the own discard pile back into hand."""
    state["where"][painting] = IN_HAND + seat
    state["hand_sizes"][seat] += 1
    state["discard_sizes"][seat] -= 1


@compiled
def ask_about_patrons(state: np.void) -> None:
    """Inventory: replacing the patrons is asked only if one is shown."""
    for place in range(PATRONS_SHOWN):
        if state["shown"][place] != NOTHING:
            state["phase"] = REPLACE_PATRONS
            return
    ask_menu(state)


# --- A turn: free actions ------------------------------------------------------------------------------------------


@compiled
def play_favor(state: np.void, seat: int, favor: int, half: int) -> None:
    """Free actions: play a favor, one of its two halves; it is among the favors played before its effect acts."""
    state["favor_played"] = 1
    put_favor_away(state, seat, favor)
    act(state, seat, int64(state["favor_effects"][favor, half, 0]), int64(state["favor_effects"][favor, half, 1]))


@compiled
def put_favor_away(state: np.void, seat: int, favor: int) -> None:
    """A favor is played or discarded."""
    state["favors"][seat, favor] -= 1
    state["favors_held"][seat] -= 1
    state["used_favors"][favor] += 1


@compiled
def meets(state: np.void, seat: int, patron: int) -> bool:
    """Free actions: whether a museum meets a patron's requirement."""
    if state["filled"][seat] < state["patron_count"][patron]:
        return False
    period = int64(state["patron_period"][patron])
    domain = int64(state["patron_domain"][patron])
    painter = int64(state["patron_painter"][patron])
    fitting = filled_slots(state, seat)
    if period != ANY:
        fitting &= int64(state["boards"][seat, period])
    if domain != ANY:
        fitting &= int64(state["boards"][seat, PERIODS + domain])
    if painter != ANY:
        fitting &= slots_of_painter(state, seat, painter)
    return count_slots(fitting) >= state["patron_count"][patron]


@compiled
def filled_slots(state: np.void, seat: int) -> int:
    """Which slots of a museum are filled, as a bitboard: every painting is of one period."""
    board = 0
    for period in range(PERIODS):
        board |= int64(state["boards"][seat, period])
    return board


@compiled
def slots_of_painter(state: np.void, seat: int, painter: int) -> int:
    """Which slots of a museum hold a painting of a painter, as a bitboard."""
    board = 0
    for slot in range(SLOTS):
        hanging = int64(state["slots"][seat, slot])
        # An empty slot asks for painting 0 and takes it back.
        filled = int64(hanging != EMPTY)
        board |= (filled & int64(state["painting_painter"][hanging - filled] == painter)) << slot
    return board


@compiled
def claim_patron(state: np.void, seat: int, place: int, reward: bool) -> None:
    """Free actions: claim a shown patron, its points or its reward; it is replaced before the reward acts."""
    patron = int64(state["shown"][place])
    state["patron_taken"] = 1
    state["patron_where"][patron] = PATRON_CLAIMED + seat
    state["patrons_claimed"][seat] += 1
    show_patron(state, place)
    if reward:
        act(state, seat, int64(state["patron_effect"][patron, 0]), int64(state["patron_effect"][patron, 1]))
    else:
        gain(state, seat, int64(state["patron_points"][patron]))
        ask_menu(state)


@compiled
def act(state: np.void, seat: int, effect: int, amount: int) -> None:
    """Card data: an effect acts at once; what cannot act asks nothing."""
    ask_menu(state)
    if effect == EFFECT_PRESTIGE:
        gain(state, seat, amount)
    elif effect == EFFECT_DRAW:
        draw_paintings(state, seat, amount)
    elif effect == EFFECT_FAVOR:
        for _ in range(amount):
            draw_favor(state, seat)
    elif effect == EFFECT_TRADE:
        if state["hand_sizes"][seat] > 0:
            state["trade"] = BY_EFFECT
            ask_for_trade(state, seat)
    elif effect == EFFECT_RECOVER:
        if state["discard_sizes"][seat] > 0:
            state["recover_left"] = amount
            state["phase"] = RECOVERING
    elif effect == EFFECT_FREE_EXHIBIT:
        state["free_exhibit"] = 1
    elif effect == EFFECT_REFRESH:
        replace_patrons(state)


@compiled
def recover_or_stop(state: np.void, seat: int, action: int) -> None:
    """The order of decisions: *recover* asks card by card and may stop."""
    if action < PAINTINGS:
        recover(state, seat, action)
        state["recover_left"] -= 1
        if state["recover_left"] > 0 and state["discard_sizes"][seat] > 0:
            return
    state["recover_left"] = 0
    ask_menu(state)


@compiled
def hang(state: np.void, seat: int, slot: int, painting: int) -> None:
    """Put a painting into an empty slot of a museum."""
    state["slots"][seat, slot] = painting + 1
    state["boards"][seat, state["painting_period"][painting]] |= 1 << slot
    state["boards"][seat, PERIODS + int64(state["painting_domain"][painting])] |= 1 << slot


@compiled
def take_down(state: np.void, seat: int, slot: int) -> None:
    """Empty a slot of a museum."""
    state["slots"][seat, slot] = EMPTY
    for kind in range(KINDS):
        state["boards"][seat, kind] &= ~(1 << slot)


# --- Rearranging ---------------------------------------------------------------------------------------------------


@compiled
def move_limit(state: np.void) -> int:
    """Rearranging: at most so many moves a turn, and 25 before the final scoring."""
    return FINAL_MOVES if state["phase"] == FINAL_MENU else int64(state["rearrange_limit"])


@compiled
def pick_up(state: np.void, slot: int) -> None:
    """Rearranging: one move picks up a filled slot ..."""
    state["chosen_slot"] = slot
    state["phase"] = FINAL_PUT_DOWN if state["phase"] == FINAL_MENU else PUT_DOWN


@compiled
def put_down(state: np.void, seat: int, slot: int) -> None:
    """... and puts it down on another, swapping the two if that is filled."""
    picked = int64(state["chosen_slot"])
    moved = int64(state["slots"][seat, picked]) - 1
    swapped = int64(state["slots"][seat, slot]) - 1
    take_down(state, seat, picked)
    if swapped >= 0:
        take_down(state, seat, slot)
        hang(state, seat, picked, swapped)
    hang(state, seat, slot, moved)
    state["chosen_slot"] = NOTHING
    state["moves_made"] += 1
    state["phase"] = FINAL_MENU if state["phase"] == FINAL_PUT_DOWN else MENU


# --- Collections ---------------------------------------------------------------------------------------------------


@compiled
def connected(board: int, start: int) -> int:
    """Collections: the part of a bitboard that is connected by edges with a start."""
    group = start
    while True:
        beside = ((group & ~RIGHT_COLUMN) << 1) | ((group & ~LEFT_COLUMN) >> 1)
        grown = (group | beside | (group << ROWS) | (group >> ROWS)) & board
        if grown == group:
            return group
        group = grown


@compiled
def count_slots(board: int) -> int:
    """Number of slots in a bitboard."""
    count = 0
    while board != 0:
        board &= board - 1
        count += 1
    return count


@compiled
def largest_collection(state: np.void, seat: int, kind: int) -> int:
    """Collections: the size of the largest collection of a kind, 0 if there is none."""
    board = int64(state["boards"][seat, kind])
    largest = 0
    while board != 0:
        group = connected(board, board & -board)
        board &= ~group
        largest = max(largest, count_slots(group))
    return largest if largest >= state["collection_size"] else 0


@compiled
def value_of_kind(state: np.void, board: int) -> int:
    """The end: the value of every collection of one kind, given which slots show it."""
    value = 0
    while board != 0:
        group = connected(board, board & -board)
        board &= ~group
        size = count_slots(group)
        if size >= state["collection_size"]:
            value += int64(state["collection_values"][size])
    return value


@compiled
def value_of_collections(state: np.void, seat: int) -> int:
    """The end: the value of every collection of a museum."""
    value = 0
    for kind in range(KINDS):
        value += value_of_kind(state, int64(state["boards"][seat, kind]))
    return value


# --- End of the turn -----------------------------------------------------------------------------------------------


@compiled
def hand_limit(state: np.void, seat: int) -> int:
    """End of the turn: eight paintings, more with a reward."""
    return HAND_LIMIT + reward_amount(state, seat, REWARD_HAND_LIMIT)


@compiled
def end_turn(state: np.void) -> None:
    """End of the turn: paintings are discarded first, then favors; then the next player, or the end."""
    seat = int64(state["active"])
    state["free_exhibit"] = 0
    if state["hand_sizes"][seat] > hand_limit(state, seat):
        state["phase"] = DISCARDING
    elif state["favors_held"][seat] > FAVOR_LIMIT:
        state["phase"] = DISCARDING_FAVORS
    else:
        pass_turn(state, seat)


@compiled
def pass_turn(state: np.void, seat: int) -> None:
    """The end: the first player with 50 takes the end token, every other player then has one more turn."""
    if state["end_token"] == NOBODY:
        if state["prestige"][seat] >= state["end_prestige"]:
            state["end_token"] = seat
            state["last_turns"] = int64(state["num_players"]) - 1
    else:
        state["last_turns"] -= 1
    if state["end_token"] != NOBODY and state["last_turns"] == 0:
        final_rearranging(state, int64(state["first_seat"]))
        return
    later = seat_after(state, seat, 1)
    if later == state["first_seat"]:
        state["round"] += 1
        if state["round"] == state["max_rounds"]:
            state["truncated"] = 1
            final_scoring(state)
            return
        turn_public_trend(state)
    begin_turn(state, later)


# --- The end -------------------------------------------------------------------------------------------------------


@compiled
def final_rearranging(state: np.void, seat: int) -> None:
    """The end: from a seat on everybody may rearrange once more; a player with an empty museum is not asked."""
    first_seat = int64(state["first_seat"])
    state["moves_made"] = 0
    while True:
        if state["filled"][seat] > 0:
            state["phase"] = FINAL_MENU
            state["seat"] = seat
            state["active"] = seat
            return
        seat = seat_after(state, seat, 1)
        if seat == first_seat:
            final_scoring(state)
            return


@compiled
def end_final_rearranging(state: np.void, seat: int) -> None:
    """The end: *done* ends a player's final rearranging."""
    later = seat_after(state, seat, 1)
    if later == state["first_seat"]:
        final_scoring(state)
    else:
        final_rearranging(state, later)


@compiled
def final_points(state: np.void, seat: int) -> int:
    """The end: what a player adds; no favors are drawn for it."""
    points = value_of_collections(state, seat)
    in_gallery = 0
    for slot in range(SLOTS):
        painting = int64(state["slots"][seat, slot]) - 1
        if painting >= 0:
            in_gallery += (MAIN_GALLERY >> slot) & 1
            if state["secret_trend"][seat] != NOTHING:
                points += total(state, painting, int64(state["secret_trend"][seat]))
    points += int64(state["exhibition_values"][state["exhibitions"][seat]])
    if in_gallery == MAIN_GALLERY_SLOTS:
        points += int64(state["gallery_value"])
    if state["filled"][seat] == SLOTS:
        points += int64(state["museum_value"])
    points += reward_amount(state, seat, REWARD_END_PATRONS) * int64(state["patrons_claimed"][seat])
    points += reward_amount(state, seat, REWARD_END_GALLERY) * (in_gallery // 2)
    if state["end_token"] == seat:
        points += int64(state["end_token_value"])
    return points - int64(state["discard_penalty"]) * int64(state["discard_sizes"][seat])


@compiled
def final_scoring(state: np.void) -> None:
    """The end: each player adds; a total below 0 counts as 0; the highest prestige wins."""
    num_players = int64(state["num_players"])
    for seat in range(num_players):
        state["prestige"][seat] = max(int64(state["prestige"][seat]) + final_points(state, seat), 0)
    highest = ranking_value(state, 0)
    for seat in range(1, num_players):
        highest = max(highest, ranking_value(state, seat))
    for seat in range(num_players):
        state["winning"][seat] = ranking_value(state, seat) == highest
    state["phase"] = OVER
    state["seat"] = NOBODY


@compiled
def ranking_value(state: np.void, seat: int) -> int:
    """The end: ties: more exhibitions, then fewer discards, then shared. One number that sorts alike."""
    value = int64(state["prestige"][seat]) * (REWARD_SPACES + 1) + int64(state["exhibitions"][seat])
    return value * (PAINTINGS + 1) - int64(state["discard_sizes"][seat])


# --- Actions -------------------------------------------------------------------------------------------------------


@compiled
def claim_action(state: np.void) -> int:
    """The number of the first claim of a patron: behind two halves of each favor type."""
    return FAVOR_ACTION + 2 * int64(state["favor_types"])


@compiled
def discard_favor_action(state: np.void) -> int:
    """The number of the first discard of a favor."""
    return claim_action(state) + 2 * PATRONS_SHOWN


@compiled
def trend_action(state: np.void) -> int:
    """The number of keeping the first trend dealt."""
    return discard_favor_action(state) + int64(state["favor_types"])


@compiled
def yes_action(state: np.void) -> int:
    """The number of *yes*; *no*, *pass* and *done* are the next one."""
    return trend_action(state) + DEALT_TRENDS


@compiled
def number_of_actions(state: np.void) -> int:
    """256 with the default cards, 238 + 3F with F favor types."""
    return yes_action(state) + 2


@compiled
def is_legal(state: np.void, action: int) -> bool:
    """Whether an action number is legal now."""
    if action < 0 or action >= number_of_actions(state) or state["phase"] == OVER:
        return False
    phase = int64(state["phase"])
    seat = int64(state["seat"])
    if action < SLOT_ACTION:
        return (places_named(state, phase, seat) >> int64(state["where"][action])) & 1 == 1
    if action < KIND_ACTION:
        return may_name_slot(state, phase, seat, action - SLOT_ACTION)
    if action < SPACE_ACTION:
        return phase == MENU and may_open_exhibition(state, action - KIND_ACTION)
    if action < INVENTORY_ACTION:
        return phase == REWARD_SPACE and state["spaces"][seat, action - SPACE_ACTION] == 0
    if action == INVENTORY_ACTION:
        return phase == MENU and state["action_taken"] == NO_ACTION
    if action < claim_action(state):
        favor = (action - FAVOR_ACTION) // 2
        return phase == MENU and state["favor_played"] == 0 and state["favors"][seat, favor] > 0
    if action < discard_favor_action(state):
        return phase == MENU and may_claim(state, seat, (action - claim_action(state)) // 2)
    if action < trend_action(state):
        return phase == DISCARDING_FAVORS and state["favors"][seat, action - discard_favor_action(state)] > 0
    if action < yes_action(state):
        return phase == KEEPING_TREND
    if action == yes_action(state):
        return phase == TAKE_FAVOR or phase == REPLACE_PATRONS
    return may_say_no(state, phase)


@compiled
def places_named(state: np.void, phase: int, seat: int) -> int:
    """Actions 0 to 179: take, give, exhibit, pay, discard, recover: one bit for each place that paintings lie in."""
    if phase == TRADE_TAKE:
        return IN_ANY_MUSEUM
    if phase == TRADE_GIVE or phase == EXHIBIT_PAY or phase == DISCARDING:
        return 1 << (IN_HAND + seat)
    if phase == MENU:
        return places_to_exhibit_from(state)
    return 1 << (IN_DISCARD + seat) if phase == RECOVERING else NOWHERE


@compiled
def may_name_slot(state: np.void, phase: int, seat: int, slot: int) -> bool:
    """Actions 180 to 204: place, pick up, put down."""
    is_empty = state["slots"][seat, slot] == EMPTY
    if phase == EXHIBIT_SLOT:
        return is_empty
    if phase == MENU or phase == FINAL_MENU:
        return not is_empty and state["moves_made"] < move_limit(state)
    return (phase == PUT_DOWN or phase == FINAL_PUT_DOWN) and state["chosen_slot"] != slot


@compiled
def may_claim(state: np.void, seat: int, place: int) -> bool:
    """Free actions: a shown patron whose requirement the own museum meets, once a turn."""
    patron = int64(state["shown"][place])
    return state["patron_taken"] == 0 and patron != NOTHING and meets(state, seat, patron)


@compiled
def may_say_no(state: np.void, phase: int) -> bool:
    """Actions: *no* to a question, *pass* for a trade that may be declined or a recovery, *done*."""
    if phase == TRADE_TAKE:
        return state["trade"] != OWN_ACQUISITION
    if phase == MENU:
        return state["action_taken"] != NO_ACTION
    return phase == TAKE_FAVOR or phase == REPLACE_PATRONS or phase == RECOVERING or phase == FINAL_MENU


@compiled
def write_action_mask(state: np.void, action_mask: np.ndarray) -> None:
    """Write 1 for each legal action and 0 for the others; all 0 when the game is over."""
    fill(action_mask, 0)
    phase = int64(state["phase"])
    if phase == OVER:
        return
    seat = int64(state["seat"])
    if phase == MENU:
        write_menu(state, seat, action_mask)
    elif phase == KEEPING_TREND:
        for dealt in range(DEALT_TRENDS):
            action_mask[trend_action(state) + dealt] = 1
    elif phase == REWARD_SPACE:
        for space in range(REWARD_SPACES):
            action_mask[SPACE_ACTION + space] = state["spaces"][seat, space] == 0
    elif phase == DISCARDING_FAVORS:
        for favor in range(int64(state["favor_types"])):
            action_mask[discard_favor_action(state) + favor] = state["favors"][seat, favor] > 0
    elif phase == TAKE_FAVOR or phase == REPLACE_PATRONS:
        action_mask[yes_action(state)] = 1
    elif phase == EXHIBIT_SLOT or phase == PUT_DOWN or phase == FINAL_PUT_DOWN or phase == FINAL_MENU:
        for slot in range(SLOTS):
            action_mask[SLOT_ACTION + slot] = may_name_slot(state, phase, seat, slot)
    else:
        write_paintings_named(state, places_named(state, phase, seat), action_mask)
    action_mask[yes_action(state) + 1] = may_say_no(state, phase)


@compiled
def write_paintings_named(state: np.void, places: int, action_mask: np.ndarray) -> None:
    """Write which paintings lie in one of the places."""
    for painting in range(PAINTINGS):
        action_mask[painting] = (places >> int64(state["where"][painting])) & 1


@compiled
def write_menu(state: np.void, seat: int, action_mask: np.ndarray) -> None:
    """The order of decisions: the menu of the action phase."""
    write_paintings_named(state, places_to_exhibit_from(state), action_mask)
    for slot in range(SLOTS):
        action_mask[SLOT_ACTION + slot] = may_name_slot(state, MENU, seat, slot)
    if state["action_taken"] == NO_ACTION:
        for kind in range(KINDS):
            action_mask[KIND_ACTION + kind] = may_open_exhibition(state, kind)
        action_mask[INVENTORY_ACTION] = 1
    if state["favor_played"] == 0:
        for favor in range(int64(state["favor_types"])):
            if state["favors"][seat, favor] > 0:
                action_mask[FAVOR_ACTION + 2 * favor] = 1
                action_mask[FAVOR_ACTION + 2 * favor + 1] = 1
    first_claim = claim_action(state)
    for place in range(PATRONS_SHOWN):
        if may_claim(state, seat, place):
            action_mask[first_claim + 2 * place] = 1
            action_mask[first_claim + 2 * place + 1] = 1


@compiled
def apply(state: np.void, action: int) -> None:
    """Play one legal action for the seat to move, with all that follows from it."""
    if state["made_anew"][0] != NOTHING:
        forget_decks_made_anew(state)
    phase = int64(state["phase"])
    seat = int64(state["seat"])
    if phase == KEEPING_TREND:
        keep_trend(state, seat, action - trend_action(state))
    elif phase == TRADE_TAKE:
        take_for_trade(state, seat, action)
    elif phase == TRADE_GIVE:
        give_for_trade(state, seat, action)
    elif phase == MENU:
        choose_from_menu(state, seat, action)
    elif phase == EXHIBIT_SLOT:
        choose_exhibit_slot(state, seat, action - SLOT_ACTION)
    elif phase == EXHIBIT_PAY:
        pay_exhibit(state, seat, action)
    elif phase == PUT_DOWN or phase == FINAL_PUT_DOWN:
        put_down(state, seat, action - SLOT_ACTION)
    elif phase == REWARD_SPACE:
        place_token(state, seat, action - SPACE_ACTION)
    elif phase == TAKE_FAVOR:
        if action == yes_action(state):
            draw_favor(state, seat)
        ask_about_patrons(state)
    elif phase == REPLACE_PATRONS:
        if action == yes_action(state):
            replace_patrons(state)
        ask_menu(state)
    elif phase == RECOVERING:
        recover_or_stop(state, seat, action)
    elif phase == DISCARDING:
        discard(state, seat, action)
        end_turn(state)
    elif phase == DISCARDING_FAVORS:
        put_favor_away(state, seat, action - discard_favor_action(state))
        end_turn(state)
    elif action < KIND_ACTION:
        pick_up(state, action - SLOT_ACTION)
    else:
        end_final_rearranging(state, seat)
    fill(state["forced"], 0)


@compiled
def choose_from_menu(state: np.void, seat: int, action: int) -> None:
    """The order of decisions: what was chosen from the menu."""
    if action < SLOT_ACTION:
        choose_exhibit(state, seat, action)
    elif action < KIND_ACTION:
        pick_up(state, action - SLOT_ACTION)
    elif action < SPACE_ACTION:
        open_exhibition(state, seat, action - KIND_ACTION)
    elif action == INVENTORY_ACTION:
        take_inventory(state, seat)
    elif action < claim_action(state):
        play_favor(state, seat, (action - FAVOR_ACTION) // 2, (action - FAVOR_ACTION) % 2)
    elif action < discard_favor_action(state):
        claim = action - claim_action(state)
        claim_patron(state, seat, claim // 2, claim % 2 == 1)
    else:
        end_turn(state)


# --- What a game is worth ------------------------------------------------------------------------------------------


@compiled
def is_truncated(state: np.void) -> bool:
    """The end: whether the game was cut off after ``max_rounds``."""
    return state["truncated"] == 1


@compiled
def total_points(state: np.void, seat: int) -> int:
    """Prestige so far: what the ``score`` reward adds up to, from the starting prestige."""
    return int64(state["prestige"][seat])


@compiled
def standing(state: np.void, seat: int) -> float:
    """What a player who looks one move ahead would maximise: prestige, and what the end would add now.

    What the seat has begun counts as finished. Otherwise a choice of several steps would look worth nothing at its
    first, and an inventory would look worth a point for every card that must be discarded again.
    """
    points = int64(state["prestige"][seat])
    if state["phase"] == OVER:
        return float(points)
    if state["seat"] == seat:
        points += worth_of_unfinished(state, seat)
    if state["active"] == seat and state["action_taken"] != NO_ACTION:
        too_many = int64(state["hand_sizes"][seat]) - hand_limit(state, seat)
        if too_many > 0:
            points -= too_many * int64(state["discard_penalty"])
    return float(points + final_points(state, seat))


@compiled
def worth_of_unfinished(state: np.void, seat: int) -> int:
    """Standing: what finishing a trade or an exhibit brings; a painting picked up for no gain costs a little."""
    phase = state["phase"]
    if phase == TRADE_GIVE:
        trend = int64(state["museum_trends"][state["chosen_from"]])
        highest = 0
        for painting in range(PAINTINGS):
            if state["where"][painting] == IN_HAND + seat:
                highest = max(highest, best(state, painting, trend))
        return highest - best(state, int64(state["chosen"]), trend)
    if phase == EXHIBIT_SLOT or phase == EXHIBIT_PAY:
        painting = int64(state["chosen"])
        points = best(state, painting, int64(state["public_trend"]))
        points += total(state, painting, int64(state["secret_trend"][seat]))
        if not state["free_exhibit"]:
            points -= int64(state["discard_penalty"])
        if state["chosen_from"] != seat:
            points -= 1
        if phase == EXHIBIT_PAY:
            points += worth_of_slot(state, seat, int64(state["chosen_slot"]), painting)
        return points
    return -1 if phase == PUT_DOWN or phase == FINAL_PUT_DOWN else 0


@compiled
def worth_of_slot(state: np.void, seat: int, slot: int, painting: int) -> int:
    """Standing: what a painting would add to the collections in an empty slot."""
    period = int64(state["boards"][seat, state["painting_period"][painting]])
    domain = int64(state["boards"][seat, PERIODS + int64(state["painting_domain"][painting])])
    before = value_of_kind(state, period) + value_of_kind(state, domain)
    return value_of_kind(state, period | (1 << slot)) + value_of_kind(state, domain | (1 << slot)) - before


@compiled
def write_scores(state: np.void, scores: np.ndarray) -> None:
    """Each seat's prestige."""
    for seat in range(int64(state["num_players"])):
        scores[seat] = state["prestige"][seat]


@compiled
def write_final_rewards(state: np.void, rewards: np.ndarray) -> None:
    """The outcome or margin reward of a game that is over."""
    num_players = int64(state["num_players"])
    if state["reward"] == OUTCOME:
        outcome_rewards(state["winning"], num_players, num_players, rewards)
    elif state["reward"] == MARGIN:
        margin_rewards(state["prestige"], num_players, num_players, MARGIN_SCALE, rewards)
