"""A rule-of-thumb player of Museum: Pictura that fills its museum with a few periods and domains.

It looks at one decision at a time and weighs each answer by points, those it has and those it may hope for:

- A painting is worth what the public and the own secret trend pay for it, and what one more of its period and of its
  domain adds to collections. Large collections pay more for each painting than small ones, so that it keeps to the few
  kinds that it has begun; a kind that it may still show in an exhibition counts more.
- A painting is hung where it makes groups of like ones grow, and moved where that pays, never idly.
- Cards are traded for the museums' trends and kept for the own museum; the least useful one pays.
- A turn's action is the one that brings most: as many exhibits as pay, an exhibition (a collection that still grows had
  better wait), or an inventory for the cards in the discard pile.
- It ends the game when it is ahead by what the others' last turn may bring, and rather not while it is behind.

What it cannot know has been dealt anew in the states that it is given, so it cannot peek.
"""

# Compiled code: hints say int where plain Python has NumPy's integers too; the types that count are Numba's.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, call-overload, operator"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.batch import BatchEnv
from env_core.compile import compiled
from pictura_env.rules import (
    LEFT_COLUMN,
    MAIN_GALLERY,
    MAIN_GALLERY_SLOTS,
    RIGHT_COLUMN,
    best,
    claim_action,
    connected,
    count_slots,
    discard_favor_action,
    hand_limit,
    largest_collection,
    may_claim,
    may_open_exhibition,
    move_limit,
    places_to_exhibit_from,
    reward_amount,
    standing,
    total,
    trend_action,
    yes_action,
)
from pictura_env.state import (
    ANY,
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
    FAVOR_ACTION,
    FINAL_MENU,
    FINAL_PUT_DOWN,
    IN_DISCARD,
    IN_HAND,
    IN_MUSEUM,
    INVENTORY_ACTION,
    KEEPING_TREND,
    KIND_ACTION,
    KINDS,
    MAX_PLAYERS,
    MUSEUMS,
    NO_ACTION,
    NOBODY,
    NOTHING,
    OWN_ACQUISITION,
    PAINTINGS,
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
)


class Weights(NamedTuple):
    """What the expert's considerations count, in points where not said otherwise; found by play.

    Attributes:
        begun: Factor of the value hoped for from a collection that is still too small to count.
        kind: Factor of what one more painting of a kind adds to its collection.
        show: How much more a kind counts while it may still be shown in an exhibition, in parts.
        in_hand: How much a painting in hand counts among those of its kind, where a hung one counts 1.
        secret: Factor of what the own secret trend pays.
        patron: Factor of a shown patron's points for the painting that fulfils its wish.
        patron_begun: The same for a painting that brings the wish nearer.
        hung: A filled slot, for a full gallery and museum.
        card: Any card in hand.
        hold: Factor of what a hand card would be worth in the museum.
        trend_card: Factor of the most that a museum's trend pays for a hand card.
        paid: What is lost of a card's worth when it goes to the own discard pile, in parts.
        pile: A card more on the own discard pile.
        exhibit: What an exhibit must bring to be made.
        favor: A favor card.
        refresh: Replacing the shown patrons.
        recovered: A card brought back from the own discard pile.
        drawn: A painting drawn by an effect.
        free: An exhibit without a payment.
        inventory: An inventory, cards and favor apart.
        wait: How much of what a collection may still grow by speaks for a later exhibition, in parts.
        space: A reward space, as a factor of what it may be expected to bring.
        gallery: A painting in the main gallery.
        move: What a rearranging move must bring to be made.
        pace: Prestige that the leader gains in a turn, to tell how many turns are left.
        last_turn: What another player's last turn may bring.
        ending: What it counts to end the game when ahead, and not to when behind.
    """

    begun: float = 1.0
    kind: float = 0.7
    show: float = 0.6
    in_hand: float = 0.3
    secret: float = 1.0
    patron: float = 0.7
    patron_begun: float = 0.2
    hung: float = 0.5
    card: float = 0.7
    hold: float = 0.4
    trend_card: float = 0.4
    paid: float = 0.55
    pile: float = 0.4
    exhibit: float = 1.0
    favor: float = 1.7
    refresh: float = 0.3
    recovered: float = 1.6
    drawn: float = 2.0
    free: float = 2.4
    inventory: float = 1.0
    wait: float = 0.45
    space: float = 1.0
    gallery: float = 0.3
    move: float = 0.7
    pace: float = 7.0
    last_turn: float = 8.0
    ending: float = 8.0


# Places in Weights, for compiled code.
BEGUN, KIND, SHOW, HELD, SECRET, PATRON, PATRON_BEGUN, HUNG, CARD, HOLD, TREND_CARD, PAID, PILE = range(13)
EXHIBIT, FAVOR, REFRESH, RECOVERED, DRAWN, FREE, INVENTORY, WAIT, SPACE, GALLERY, MOVE = range(13, 24)
PACE, LAST_TURN, ENDING = range(24, 27)

FINAL_BEGUN = 0.2
"""``Weights.begun`` of the final rearranging, where nothing but a few moves is to come."""

LEAST_FINAL_MOVE = 0.01
"""``Weights.move`` of the final rearranging."""

ROOM = 0.05
"""An empty slot beside a painting that is hung: enough to break ties."""

FOR_TRADE = 0.25
"""How much a painting in an international museum counts where one in hand counts 1, when a trend is kept."""

# What a reward space brings in each turn that is left, for each of what it promises.
CARDS_USED = 1.0
CARDS_OVER_LIMIT = 0.1
TRADES_GAINING = 0.6
EXHIBITIONS_OPENED = 0.4
PATRONS_CLAIMED = 0.3

NEVER = -1e9


class PicturaExpert:
    """Plays Museum: Pictura with 2, 3 or 4 players by rules of thumb; see the module.

    Args:
        weights: What its considerations count.
    """

    needs_states = True

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = Weights() if weights is None else weights

    def __call__(
        self,
        observation: np.ndarray,
        action_mask: np.ndarray,
        seats: np.ndarray,
        rng: np.random.Generator,
        *,
        states: BatchEnv,
    ) -> np.ndarray:
        """Choose an action in each position; see ``env_core.policies.PolicyWithStates``.

        Raises:
            ValueError: The states are of another game.
        """
        if states.game.name != "pictura":
            raise ValueError(f"the expert plays Museum: Pictura, not {states.game.title}.")
        actions = np.empty(len(seats), dtype=np.int64)
        choose(states.states, np.array(self.weights, dtype=np.float64), actions)
        return actions

    def __repr__(self) -> str:
        return "PicturaExpert()" if self.weights == Weights() else f"PicturaExpert({self.weights})"


@compiled(allocates=True)
def choose(states: np.ndarray, weights: np.ndarray, actions: np.ndarray) -> None:
    """Choose an action for the seat to move in each state.

    Args:
        states: Structured array (n,), all dealt under the same options.
        weights: float64, ``Weights``.
        actions: int64 (n,); written.
    """
    values = np.zeros(SLOTS + 2, np.float64)
    wanted = np.zeros(KINDS, np.float64)
    factors = np.zeros(KINDS, np.float64)
    hung = np.zeros(PAINTINGS, np.float64)
    held = np.zeros(PAINTINGS, np.float64)
    used = np.zeros(PAINTINGS, np.uint8)
    missing = np.zeros(PATRONS_SHOWN, np.int64)
    for row in range(len(actions)):
        state = states[row]
        seat = int64(state["seat"])
        write_values(state, FINAL_BEGUN if is_final(state) else weights[BEGUN], values)
        write_factors(state, seat, weights, factors)
        phase = int64(state["phase"])
        if phase == EXHIBIT_SLOT:
            actions[row] = SLOT_ACTION + best_slot(state, seat, weights, values, factors)
        elif phase == PUT_DOWN or phase == FINAL_PUT_DOWN:
            picked = int64(state["chosen_slot"])
            actions[row] = SLOT_ACTION + best_move_from(state, seat, picked, weights, values, factors)[0]
        elif phase == FINAL_MENU:
            actions[row] = move_or_done(state, seat, weights, values, factors)
        elif phase == TAKE_FAVOR:
            actions[row] = yes_action(state)
        elif phase == REPLACE_PATRONS:
            actions[row] = yes_action(state) + (0 if are_patrons_poor(state, seat) else 1)
        elif phase == REWARD_SPACE:
            actions[row] = SPACE_ACTION + best_space(state, seat, weights)
        elif phase == DISCARDING_FAVORS:
            actions[row] = discard_favor_action(state) + worst_favor(state, seat, weights)
        else:
            write_wanted(state, seat, weights, values, factors, wanted)
            write_worths(state, seat, weights, wanted, missing, hung, held)
            if phase == KEEPING_TREND:
                actions[row] = trend_action(state) + best_trend(state, seat)
            elif phase == TRADE_TAKE:
                actions[row] = best_trade(state, seat, weights, held)
            elif phase == TRADE_GIVE:
                actions[row] = best_gift(state, seat, int64(state["chosen"]), int64(state["chosen_from"]), held)[0]
            elif phase == EXHIBIT_PAY or phase == DISCARDING:
                actions[row] = least_useful(state, seat, held, NOTHING)
            elif phase == RECOVERING:
                actions[row] = most_useful_discard(state, seat, held)
            else:
                actions[row] = choose_from_menu(state, seat, weights, values, factors, hung, held, used)


# --- What things are worth -------------------------------------------------------------------------------------------


@compiled
def is_final(state: np.void) -> bool:
    """Whether the final rearranging has begun."""
    return state["phase"] == FINAL_MENU or state["phase"] == FINAL_PUT_DOWN


@compiled
def is_last_turn(state: np.void) -> bool:
    """Whether nobody has another turn after the present one of theirs."""
    return state["end_token"] != NOBODY or state["round"] + 1 == state["max_rounds"]


@compiled
def write_values(state: np.void, begun: float, values: np.ndarray) -> None:
    """What a group of like paintings is worth by size; one too small to count, by the square of what it has."""
    smallest = int64(state["collection_size"])
    for size in range(SLOTS + 1):
        if size < smallest:
            values[size] = begun * state["collection_values"][smallest] * (size / smallest) ** 2
        else:
            values[size] = state["collection_values"][size]
    values[SLOTS + 1] = values[SLOTS]


@compiled
def write_factors(state: np.void, seat: int, weights: np.ndarray, factors: np.ndarray) -> None:
    """How much the collections of each kind count: more while the kind may still be shown."""
    over = is_final(state) or is_last_turn(state)
    for kind in range(KINDS):
        factors[kind] = 1.0
        shown = state["kinds_shown"][seat, kind] != 0 or state["tokens_left"][kind] == 0
        if not over and not shown and state["exhibitions"][seat] < REWARD_SPACES:
            factors[kind] += weights[SHOW]


@compiled
def write_wanted(
    state: np.void, seat: int, weights: np.ndarray, values: np.ndarray, factors: np.ndarray, wanted: np.ndarray
) -> None:
    """What one more painting of each kind adds, as if like paintings always hung together."""
    fill(wanted, 0)
    if not is_last_turn(state):
        for painting in range(PAINTINGS):
            if state["where"][painting] == IN_HAND + seat:
                wanted[state["painting_period"][painting]] += weights[HELD]
                wanted[PERIODS + int64(state["painting_domain"][painting])] += weights[HELD]
    for kind in range(KINDS):
        count = min(wanted[kind] + count_slots(int64(state["boards"][seat, kind])), float(SLOTS))
        size = int64(count)
        step = values[size + 1] - values[size]
        if size < SLOTS:
            step += (count - size) * (values[size + 2 if size + 2 <= SLOTS else SLOTS] - values[size + 1] - step)
        wanted[kind] = weights[KIND] * factors[kind] * step


@compiled
def write_worths(
    state: np.void,
    seat: int,
    weights: np.ndarray,
    wanted: np.ndarray,
    missing: np.ndarray,
    hung: np.ndarray,
    held: np.ndarray,
) -> None:
    """What each painting would be worth in the museum (``hung``, without the public trend) and in hand (``held``).

    ``missing`` (int64, one for each shown patron) is scratch.
    """
    secret = int64(state["secret_trend"][seat])
    for place in range(PATRONS_SHOWN):
        missing[place] = missing_paintings(state, seat, place)
    for painting in range(PAINTINGS):
        where = int64(state["where"][painting])
        worth = weights[HUNG] + wanted[state["painting_period"][painting]]
        worth += wanted[PERIODS + int64(state["painting_domain"][painting])]
        if secret != NOTHING:
            worth += weights[SECRET] * total(state, painting, secret)
        if where == IN_HAND + seat or IN_DISCARD <= where < IN_DISCARD + MAX_PLAYERS:
            for place in range(PATRONS_SHOWN):
                if missing[place] > 0 and is_asked_for(state, int64(state["shown"][place]), painting):
                    factor = weights[PATRON] if missing[place] == 1 else weights[PATRON_BEGUN]
                    worth += factor * state["patron_points"][state["shown"][place]]
        hung[painting] = worth
        pays = 0
        for museum in range(MUSEUMS):
            pays = max(pays, best(state, painting, int64(state["museum_trends"][museum])))
        held[painting] = weights[CARD] + weights[HOLD] * worth + weights[TREND_CARD] * pays


@compiled
def is_asked_for(state: np.void, patron: int, painting: int) -> bool:
    """Whether a patron's wish is for such a painting."""
    painter = int64(state["patron_painter"][patron])
    period = int64(state["patron_period"][patron])
    domain = int64(state["patron_domain"][patron])
    return (
        (painter == ANY or painter == state["painting_painter"][painting])
        and (period == ANY or period == state["painting_period"][painting])
        and (domain == ANY or domain == state["painting_domain"][painting])
    )


@compiled
def missing_paintings(state: np.void, seat: int, place: int) -> int:
    """How many more paintings a shown patron asks a museum for, 0 also where none is shown."""
    patron = int64(state["shown"][place])
    if patron == NOTHING:
        return int64(0)
    missing = int64(state["patron_count"][patron])
    for slot in range(SLOTS):
        painting = int64(state["slots"][seat, slot]) - 1
        if painting >= 0 and is_asked_for(state, patron, painting):
            missing -= 1
    return max(missing, int64(0))


@compiled
def turns_left(state: np.void, weights: np.ndarray) -> float:
    """How many more turns each player may expect, by the leader's prestige."""
    if is_last_turn(state):
        return 0.0
    highest = 0
    for seat in range(int64(state["num_players"])):
        highest = max(highest, int64(state["prestige"][seat]))
    return max((int64(state["end_prestige"]) - highest) / weights[PACE], 1.0)


@compiled
def worth_of_ending(state: np.void, seat: int, weights: np.ndarray) -> float:
    """What it counts to reach the end of the track now: for a player who is ahead much, for one behind the contrary.

    The others' secret trends are supposed to pay them as much as the own one pays here.
    """
    if state["end_token"] != NOBODY:
        return 0.0
    others = 0.0
    for other in range(int64(state["num_players"])):
        if other != seat:
            others = max(others, standing(state, other) - secret_points(state, other))
    ahead = standing(state, seat) - secret_points(state, seat) - others
    ahead += int64(state["end_token_value"]) - weights[LAST_TURN]
    return weights[ENDING] if ahead > 0.0 else -weights[ENDING]


@compiled
def secret_points(state: np.void, seat: int) -> int:
    """What a museum's paintings bring by its owner's secret trend."""
    points = 0
    for slot in range(SLOTS):
        painting = int64(state["slots"][seat, slot]) - 1
        if painting >= 0:
            points += total(state, painting, int64(state["secret_trend"][seat]))
    return points


@compiled
def worth_of_effect(state: np.void, seat: int, effect: int, amount: int, weights: np.ndarray, exhibits: int) -> float:
    """What an effect is worth to a seat that will make so many exhibits in this turn."""
    last = is_last_turn(state)
    if effect == EFFECT_PRESTIGE:
        return float(amount)
    if effect == EFFECT_DRAW:
        useful = (not last) or exhibits > 0
        return weights[DRAWN] * min(amount, int64(state["painting_left"])) if useful else 0.0
    if effect == EFFECT_FAVOR:
        return 0.0 if last else weights[FAVOR] * amount
    if effect == EFFECT_TRADE:
        return weights[FAVOR] if state["hand_sizes"][seat] > 0 else 0.0
    if effect == EFFECT_RECOVER:
        return weights[RECOVERED] * min(amount, int64(state["discard_sizes"][seat]))
    if effect == EFFECT_FREE_EXHIBIT:
        return weights[FREE] if exhibits > 0 else 0.0
    if effect == EFFECT_REFRESH:
        return weights[REFRESH]
    return 0.0


# --- Trends, trades and cards ----------------------------------------------------------------------------------------


@compiled
def best_trend(state: np.void, seat: int) -> int:
    """Setup 5: keep the trend that suits the hand, and a little the paintings that may be traded for."""
    kept = 0
    highest = -1.0
    for dealt in range(DEALT_TRENDS):
        trend = int64(state["dealt_trends"][seat, dealt])
        suits = 0.0
        for painting in range(PAINTINGS):
            where = int64(state["where"][painting])
            if where == IN_HAND + seat:
                suits += total(state, painting, trend)
            elif where >= IN_MUSEUM and where < IN_MUSEUM + MUSEUMS:
                suits += FOR_TRADE * total(state, painting, trend)
        if suits > highest:
            highest = suits
            kept = dealt
    return kept


@compiled
def best_gift(state: np.void, seat: int, taken: int, museum: int, held: np.ndarray) -> tuple[int, float]:
    """The hand card to give for a painting of a museum, and what prestige and cards then bring."""
    trend = int64(state["museum_trends"][museum])
    lost = best(state, taken, trend)
    extra = reward_amount(state, seat, REWARD_TRADE)
    given = NOTHING
    highest = NEVER
    for painting in range(PAINTINGS):
        if state["where"][painting] == IN_HAND + seat:
            difference = best(state, painting, trend) - lost
            prestige = difference + extra if difference > 0 else max(difference, -int64(state["prestige"][seat]))
            worth = prestige - held[painting]
            if worth > highest:
                highest = worth
                given = painting
    return given, highest + held[taken]


@compiled
def best_trade(state: np.void, seat: int, weights: np.ndarray, held: np.ndarray) -> int:
    """The painting to take, or to decline where one may and nothing is gained."""
    taken = NOTHING
    highest = NEVER
    for painting in range(PAINTINGS):
        where = int64(state["where"][painting])
        if where >= IN_MUSEUM and where < IN_MUSEUM + MUSEUMS:
            worth = best_gift(state, seat, painting, where - IN_MUSEUM, held)[1]
            if worth > highest:
                highest = worth
                taken = painting
    if highest <= 0.0 and state["trade"] != OWN_ACQUISITION:
        return yes_action(state) + 1
    return taken


@compiled
def least_useful(state: np.void, seat: int, held: np.ndarray, other_than: int) -> int:
    """The hand card that is worth least, another one than the given."""
    least = NOTHING
    for painting in range(PAINTINGS):
        if state["where"][painting] == IN_HAND + seat and painting != other_than:
            if least == NOTHING or held[painting] < held[least]:
                least = painting
    return least


@compiled
def most_useful_discard(state: np.void, seat: int, held: np.ndarray) -> int:
    """The card of the own discard pile that is worth most in hand."""
    most = NOTHING
    for painting in range(PAINTINGS):
        if state["where"][painting] == IN_DISCARD + seat:
            if most == NOTHING or held[painting] > held[most]:
                most = painting
    return most


# --- The own museum --------------------------------------------------------------------------------------------------


@compiled
def worth_of_groups(board: int, values: np.ndarray) -> float:
    """What the groups of one kind are worth."""
    worth = 0.0
    while board != 0:
        group = connected(board, board & -board)
        board &= ~group
        worth += values[count_slots(group)]
    return worth


@compiled
def worth_of_gallery(state: np.void, seat: int, paintings: int, weights: np.ndarray) -> float:
    """What so many paintings in the main gallery are worth."""
    worth = weights[GALLERY] * paintings + reward_amount(state, seat, REWARD_END_GALLERY) * (paintings // 2)
    return worth + (int64(state["gallery_value"]) if paintings == MAIN_GALLERY_SLOTS else 0)


@compiled
def paintings_in_gallery(state: np.void, seat: int) -> int:
    """Number of paintings in the main gallery."""
    count = 0
    for slot in range(SLOTS):
        count += ((MAIN_GALLERY >> slot) & 1) * (state["slots"][seat, slot] != EMPTY)
    return count


@compiled
def best_slot(state: np.void, seat: int, weights: np.ndarray, values: np.ndarray, factors: np.ndarray) -> int:
    """The empty slot in which the chosen painting makes most of the groups beside it; room to grow breaks ties."""
    painting = int64(state["chosen"])
    period = int64(state["painting_period"][painting])
    domain = PERIODS + int64(state["painting_domain"][painting])
    of_period = int64(state["boards"][seat, period])
    of_domain = int64(state["boards"][seat, domain])
    empty = int64(0)
    for slot in range(SLOTS):
        if state["slots"][seat, slot] == EMPTY:
            empty |= 1 << slot
    in_gallery = paintings_in_gallery(state, seat)
    gallery_step = worth_of_gallery(state, seat, in_gallery + 1, weights)
    gallery_step -= worth_of_gallery(state, seat, in_gallery, weights)
    chosen = NOTHING
    highest = NEVER
    for slot in range(SLOTS):
        if state["slots"][seat, slot] != EMPTY:
            continue
        bit = 1 << slot
        worth = factors[period] * worth_of_groups(of_period | bit, values)
        worth += factors[domain] * worth_of_groups(of_domain | bit, values)
        beside = ((bit & ~RIGHT_COLUMN) << 1) | ((bit & ~LEFT_COLUMN) >> 1) | (bit << ROWS) | (bit >> ROWS)
        worth += ROOM * count_slots(beside & empty)
        if (MAIN_GALLERY >> slot) & 1:
            worth += gallery_step
        if worth > highest:
            highest = worth
            chosen = slot
    return chosen


@compiled
def worth_of_move(
    state: np.void, seat: int, first: int, second: int, weights: np.ndarray, values: np.ndarray, factors: np.ndarray
) -> float:
    """What it brings to swap what hangs in two slots, one of which may be empty."""
    both = (1 << first) | (1 << second)
    worth = 0.0
    for kind in range(KINDS):
        board = int64(state["boards"][seat, kind])
        moved = board & both
        if moved != 0 and moved != both:
            worth += factors[kind] * (worth_of_groups(board ^ both, values) - worth_of_groups(board, values))
    leaves = (state["slots"][seat, first] != EMPTY) * 1 - (state["slots"][seat, second] != EMPTY) * 1
    step = leaves * (((MAIN_GALLERY >> second) & 1) - ((MAIN_GALLERY >> first) & 1))
    if step != 0:
        in_gallery = paintings_in_gallery(state, seat)
        worth += worth_of_gallery(state, seat, in_gallery + step, weights)
        worth -= worth_of_gallery(state, seat, in_gallery, weights)
    return worth


@compiled
def best_move_from(
    state: np.void, seat: int, slot: int, weights: np.ndarray, values: np.ndarray, factors: np.ndarray
) -> tuple[int, float]:
    """Where to put down what hangs in a slot, and what that brings."""
    chosen = NOTHING
    highest = NEVER
    for other in range(SLOTS):
        if other != slot:
            worth = worth_of_move(state, seat, slot, other, weights, values, factors)
            if worth > highest:
                highest = worth
                chosen = other
    return chosen, highest


@compiled
def slot_to_empty(state: np.void, seat: int, weights: np.ndarray, values: np.ndarray, factors: np.ndarray) -> int:
    """The slot from which a move brings most, or ``NOTHING`` if none brings enough."""
    chosen = NOTHING
    if state["moves_made"] >= move_limit(state):
        return chosen
    highest = LEAST_FINAL_MOVE if is_final(state) else weights[MOVE]
    for slot in range(SLOTS):
        if state["slots"][seat, slot] != EMPTY:
            worth = best_move_from(state, seat, slot, weights, values, factors)[1]
            if worth > highest:
                highest = worth
                chosen = slot
    return chosen


@compiled
def move_or_done(state: np.void, seat: int, weights: np.ndarray, values: np.ndarray, factors: np.ndarray) -> int:
    """The end: rearrange while that brings anything."""
    slot = slot_to_empty(state, seat, weights, values, factors)
    return SLOT_ACTION + slot if slot != NOTHING else yes_action(state) + 1


# --- The menu --------------------------------------------------------------------------------------------------------


@compiled
def choose_from_menu(
    state: np.void,
    seat: int,
    weights: np.ndarray,
    values: np.ndarray,
    factors: np.ndarray,
    hung: np.ndarray,
    held: np.ndarray,
    used: np.ndarray,
) -> int:
    """A patron and a favor first, then what to rearrange, then the action, and nothing after it."""
    first, exhibits, exhibits_worth, scored = plan_exhibits(state, seat, weights, hung, held, used)
    kind, exhibition_worth, exhibition_scores = best_exhibition(state, seat, weights)
    inventory_worth = worth_of_inventory(state, seat, weights)
    if state["action_taken"] == NO_ACTION:
        ending = worth_of_ending(state, seat, weights)
        to_the_end = int64(state["end_prestige"]) - int64(state["prestige"][seat])
        if scored >= to_the_end:
            exhibits_worth += ending
        if exhibition_scores >= to_the_end:
            exhibition_worth += ending
        if exhibits_worth < max(exhibition_worth, inventory_worth):
            exhibits = 0
    claim = best_claim(state, seat, weights, exhibits)
    if claim != NOTHING:
        return claim
    favor = best_favor(state, seat, weights, exhibits)
    if favor != NOTHING:
        return favor
    if state["action_taken"] == NO_ACTION:
        slot = slot_to_empty(state, seat, weights, values, factors)
        if slot != NOTHING:
            return SLOT_ACTION + slot
        if exhibits > 0:
            return first
        return KIND_ACTION + kind if exhibition_worth >= inventory_worth else INVENTORY_ACTION
    return first if exhibits > 0 else yes_action(state) + 1


@compiled
def plan_exhibits(
    state: np.void, seat: int, weights: np.ndarray, hung: np.ndarray, held: np.ndarray, used: np.ndarray
) -> tuple[int, int, float, int]:
    """The exhibits that pay, best first: the first painting, their number, what they bring, prestige scored at once.

    ``used`` (uint8, one for each painting) is scratch.
    """
    first, number, worth, scored = NOTHING, 0, 0.0, 0
    places = places_to_exhibit_from(state)
    empty = SLOTS - int64(state["filled"][seat])
    limit = int64(state["exhibits_per_action"])
    if limit > 0:
        empty = min(empty, limit - int64(state["exhibits"]))
    others_share = 1.0 / (int64(state["num_players"]) - 1)
    last = is_last_turn(state)
    fee = float(state["discard_penalty"]) if last else weights[PILE]
    least = 0.0 if last else weights[EXHIBIT]
    fill(used, 0)
    free = state["free_exhibit"] != 0
    own = 1 << (IN_HAND + seat)
    left = int64(state["hand_sizes"][seat])
    while places != 0 and number < empty:
        chosen = NOTHING
        highest = NEVER
        for painting in range(PAINTINGS):
            where = int64(state["where"][painting])
            if (places >> where) & 1 == 0 or used[painting]:
                continue
            gain = hung[painting] + best(state, painting, int64(state["public_trend"]))
            gain -= (0.0 if last else weights[CARD]) if (own >> where) & 1 else 1.0 + others_share
            if gain > highest:
                highest = gain
                chosen = painting
        if chosen == NOTHING:
            break
        needed = 0 if free else 1
        from_hand = state["where"][chosen] == IN_HAND + seat
        if left < needed + (1 if from_hand else 0):
            break
        payment = NOTHING
        if not free:
            for painting in range(PAINTINGS):
                if (
                    state["where"][painting] == IN_HAND + seat
                    and painting != chosen
                    and not used[painting]
                    and (payment == NOTHING or held[painting] < held[payment])
                ):
                    payment = painting
            highest -= fee + (0.0 if last else weights[PAID] * held[payment])
        if highest <= least:
            break
        free = False
        used[chosen] = 1
        left -= needed + (1 if from_hand else 0)
        if payment != NOTHING:
            used[payment] = 1
        if first == NOTHING:
            first = chosen
        number += 1
        worth += highest
        scored += best(state, chosen, int64(state["public_trend"]))
    return first, number, worth, scored


@compiled
def best_exhibition(state: np.void, seat: int, weights: np.ndarray) -> tuple[int, float, int]:
    """The kind to open an exhibition of, what it brings in all, less what waiting may bring, and prestige at once."""
    chosen, highest, prestige = NOTHING, NEVER, 0
    if state["action_taken"] != NO_ACTION:
        return chosen, highest, prestige
    shown = int64(state["exhibitions"][seat])
    later = turns_left(state, weights)
    largest_value = int64(state["collection_values"][SLOTS])
    for kind in range(KINDS):
        if not may_open_exhibition(state, kind):
            continue
        token = TOKENS_OF_A_KIND - int64(state["tokens_left"][kind])
        value = int64(state["collection_values"][largest_collection(state, seat, kind)])
        scores = value + int64(state["token_values"][kind, token]) + reward_amount(state, seat, REWARD_EXHIBITION)
        worth = float(scores)
        worth += int64(state["exhibition_values"][shown + 1]) - int64(state["exhibition_values"][shown])
        if later > 1.0:
            worth -= weights[WAIT] * (largest_value - value)
        worth += weights[SPACE] * worth_of_space(state, seat, best_space(state, seat, weights), later)
        if worth > highest:
            chosen, highest, prestige = kind, worth, scores
    return chosen, highest, prestige


@compiled
def worth_of_inventory(state: np.void, seat: int, weights: np.ndarray) -> float:
    """What an inventory brings: the cards of the discard pile that fit into the hand, and a favor."""
    pile = int64(state["discard_sizes"][seat])
    # In a last turn nothing counts but cards that are no discards any more.
    if is_last_turn(state):
        room = hand_limit(state, seat) - int64(state["hand_sizes"][seat])
        return float(max(min(pile, room), 0)) * state["discard_penalty"]
    return weights[RECOVERED] * pile + weights[FAVOR] + weights[INVENTORY]


@compiled
def best_claim(state: np.void, seat: int, weights: np.ndarray, exhibits: int) -> int:
    """The patron to claim and whether for its points or its reward, or ``NOTHING``."""
    chosen = NOTHING
    highest = NEVER
    for place in range(PATRONS_SHOWN):
        if may_claim(state, seat, place):
            patron = int64(state["shown"][place])
            effect, amount = int64(state["patron_effect"][patron, 0]), int64(state["patron_effect"][patron, 1])
            reward = worth_of_effect(state, seat, effect, amount, weights, exhibits)
            points = float(state["patron_points"][patron])
            if max(points, reward) > highest:
                highest = max(points, reward)
                chosen = claim_action(state) + 2 * place + (1 if reward > points else 0)
    return chosen


@compiled
def best_favor(state: np.void, seat: int, weights: np.ndarray, exhibits: int) -> int:
    """The favor to play, or ``NOTHING`` if none is worth its card."""
    chosen = NOTHING
    highest = 0.0
    if state["favor_played"] != 0:
        return chosen
    for favor in range(int64(state["favor_types"])):
        if state["favors"][seat, favor] == 0:
            continue
        for half in range(2):
            effect = int64(state["favor_effects"][favor, half, 0])
            amount = int64(state["favor_effects"][favor, half, 1])
            worth = worth_of_effect(state, seat, effect, amount, weights, exhibits)
            if worth > highest:
                highest = worth
                chosen = FAVOR_ACTION + 2 * favor + half
    return chosen


@compiled
def worst_favor(state: np.void, seat: int, weights: np.ndarray) -> int:
    """The favor held that is worth least."""
    chosen = NOTHING
    lowest = -NEVER
    for favor in range(int64(state["favor_types"])):
        if state["favors"][seat, favor] == 0:
            continue
        worth = 0.0
        for half in range(2):
            effect = int64(state["favor_effects"][favor, half, 0])
            amount = int64(state["favor_effects"][favor, half, 1])
            worth = max(worth, worth_of_effect(state, seat, effect, amount, weights, 1))
        if worth < lowest:
            lowest = worth
            chosen = favor
    return chosen


@compiled
def are_patrons_poor(state: np.void, seat: int) -> bool:
    """Whether the shown patrons suit the others' museums better than the own."""
    own = 0.0
    others = 0.0
    for other in range(int64(state["num_players"])):
        near = 0.0
        for place in range(PATRONS_SHOWN):
            patron = int64(state["shown"][place])
            if patron != NOTHING:
                near += 1.0 - missing_paintings(state, other, place) / int64(state["patron_count"][patron])
        if other == seat:
            own = near
        else:
            others += near / (int64(state["num_players"]) - 1)
    return own <= others


@compiled
def worth_of_space(state: np.void, seat: int, space: int, later: float) -> float:
    """What a reward space may be expected to bring in the turns that are left."""
    if space == NOTHING:
        return 0.0
    reward = int64(state["space_reward"][space])
    amount = int64(state["space_amount"][space])
    if reward == REWARD_ACQUISITION:
        return CARDS_USED * amount * later
    if reward == REWARD_HAND_LIMIT:
        return CARDS_OVER_LIMIT * amount * later
    if reward == REWARD_TRADE:
        return TRADES_GAINING * amount * later * int64(state["num_players"])
    if reward == REWARD_EXHIBITION:
        return amount * min(EXHIBITIONS_OPENED * later, float(REWARD_SPACES - int64(state["exhibitions"][seat])))
    if reward == REWARD_END_PATRONS:
        return amount * (int64(state["patrons_claimed"][seat]) + PATRONS_CLAIMED * later)
    if reward == REWARD_END_GALLERY:
        return amount * (min(int64(state["filled"][seat]) + later, float(MAIN_GALLERY_SLOTS)) // 2)
    return 0.0


@compiled
def best_space(state: np.void, seat: int, weights: np.ndarray) -> int:
    """The free reward space that brings most, or ``NOTHING`` if all have a token."""
    later = turns_left(state, weights)
    chosen = NOTHING
    highest = -1.0
    for space in range(REWARD_SPACES):
        if state["spaces"][seat, space] == 0:
            worth = worth_of_space(state, seat, space, later)
            if worth > highest:
                highest = worth
                chosen = space
    return chosen
