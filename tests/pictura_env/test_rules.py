"""Protects the rules of Museum: Pictura, paragraph by paragraph, on positions laid out by hand.

The worked examples of the rules text are here, and the branches that random games seldom reach: decks made anew, an
empty painting deck, truncation in the middle of the last turns, favors drawn by others, hands far over the limit.
"""

from __future__ import annotations

import numpy as np
import pytest

from env_core import IllegalActionError
from pictura_env import pictura_v0, rules
from pictura_env.state import (
    EXHIBITION,
    EXHIBITS,
    FINAL_MENU,
    INVENTORY,
    NOTHING,
    OTHERS_ACQUISITION,
    OVER,
    TRADE_TAKE,
)
from tests.pictura_env.card_files import changed, written
from tests.pictura_env.positions import (
    deck_of,
    discards_of,
    exhibit,
    hand_of,
    legal_kinds,
    legal_words,
    museum_of,
    painting,
    play,
    position,
)

MYTHOLOGY, HISTORY, RELIGION, LANDSCAPE, STILL_LIFE, PORTRAIT = range(6)
DONATION, EXCHANGE, LOAN, RESTORATION, GALA, INVITATION = range(6)
UPPER, LOWER = 0, 1
BAROQUE = 1
ALL_FAVORS = [favor for favor in range(6) for _ in range(4)]
FREE_ACTIONS = {"play_favor", "claim_patron"}
ROW = range(10, 15)
"""The central row; the central column is 2, 7, 12, 17, 22."""


def prestige(batch):
    return batch.states[0]["prestige"][: batch.num_players].tolist()


def favors_of(batch, seat):
    return [favor for favor, count in enumerate(batch.states[0]["favors"][seat]) for _ in range(count)]


def made_anew(batch):
    """The decks made anew by the last action, in order, as a record has them."""
    return [step["kind"] for step in pictura_v0.GAME.moves.chance_in_words(None, batch.states[0])]


def shown(batch):
    return batch.states[0]["shown"].tolist()


def value(batch, seat=0):
    """What the final scoring would add."""
    return rules.final_points(batch.states[0], seat)


# --- Components ------------------------------------------------------------------------------------------------------


def test_worked_example_of_a_painting_against_a_trend():
    batch = position()
    state = batch.states[0]
    state["trend_domain"][7] = LANDSCAPE
    worth = {
        painting(7, LANDSCAPE): (3, 6),
        painting(8, PORTRAIT): (1, 1),
        painting(0, LANDSCAPE): (2, 2),
        painting(0, PORTRAIT): (0, 0),
        painting(7, PORTRAIT): (3, 4),
        painting(8, LANDSCAPE): (2, 3),
    }
    for number, expected in worth.items():
        assert (rules.best(state, number, 7), rules.total(state, number, 7)) == expected


def test_a_painting_id_is_painter_times_six_plus_domain():
    state = position().states[0]
    for painter in range(30):
        for domain in range(6):
            number = painting(painter, domain)
            assert state["painting_painter"][number] == painter
            assert state["painting_period"][number] == painter // 6
            assert state["painting_domain"][number] == domain
    for trend in range(30):
        shows = [int(state[f"trend_{what}"][trend]) for what in ("painter", "period", "domain")]
        assert shows == [trend, trend // 6, trend % 6]
        assert state["trend_values"][trend].tolist() == [1, 2, 3]


# --- Setup -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_setup(players):
    first_seats = set()
    for seed in range(12):
        env = pictura_v0.raw_env(num_players=players)
        env.reset(seed=seed)
        state = env.table.states[0]
        first = int(state["first_seat"])
        first_seats.add(first)
        order = [(first + turns) % players for turns in range(players)]
        assert state["prestige"][order].tolist() == [4, 3, 2, 1][:players]
        assert state["markers"][:players].tolist() == [10] * players
        assert state["hand_sizes"][:players].tolist() == [5] * players
        assert state["favors_held"][:players].tolist() == [1] * players
        assert state["painting_left"] == 180 - 16 - 5 * players
        assert state["patron_left"] == 55
        asked = []
        for _ in range(players):
            asked.append(int(state["seat"]))
            assert legal_kinds(env.table) == {"keep_trend"}
            dealt = state["dealt_trends"][asked[-1]].tolist()
            assert [env.describe(action)["trend"] for action in env.legal_actions()] == dealt
            assert env.legal_actions() == [251, 252, 253]
            env.step(252)
            assert state["secret_trend"][asked[-1]] == dealt[1]
        assert asked == order
        assert state["trend_left"] == 30 - 5 - players, "the rest are shuffled back"
        returned = {int(state["dealt_trends"][seat][place]) for seat in range(players) for place in (0, 2)}
        assert returned <= set(deck_of(env.table, "trend"))
        assert env.record()["steps"][players]["chance"]["order"] == deck_of(env.table, "trend")
        assert state["hand_sizes"][first] == 7, "the first turn has begun: two paintings drawn"
    assert first_seats == set(range(players))


# --- Acquisition -----------------------------------------------------------------------------------------------------

# Museum 0 has trend 1: painter 1, Renaissance, history.
FULL_MATCH, PERIOD_ONLY, NO_MATCH = painting(1, MYTHOLOGY), painting(2, MYTHOLOGY), painting(20, MYTHOLOGY)


def before_a_trade(given, taken, players=2, **parts):
    hands = [[given, 100], *[[110 + 2 * seat, 111 + 2 * seat] for seat in range(players - 1)]]
    return position(options={"num_players": players}, phase=TRADE_TAKE, hands=hands, international=[[taken]], **parts)


def test_worked_example_of_a_trade():
    batch = before_a_trade(FULL_MATCH, PERIOD_ONLY)
    play(batch, "trade_take", painting=PERIOD_ONLY, museum=0)
    assert batch.states[0]["hand_sizes"][0] == 2, "a card on its way is in nobody's hand"
    assert {words["painting"] for words in legal_words(batch)} == {FULL_MATCH, 100}, "not the one just taken"
    play(batch, "trade_give", painting=FULL_MATCH)
    assert prestige(batch) == [7, 5]
    assert hand_of(batch, 0) == sorted([PERIOD_ONLY, 100])


def test_worked_example_of_a_trade_at_no_prestige():
    batch = before_a_trade(NO_MATCH, FULL_MATCH, prestige=[0, 5])
    play(batch, "trade_take", painting=FULL_MATCH, museum=0)
    play(batch, "trade_give", painting=NO_MATCH)
    assert prestige(batch) == [0, 5]


def test_the_difference_counts_once():
    batch = before_a_trade(NO_MATCH, FULL_MATCH, prestige=[2, 5])
    play(batch, "trade_take", painting=FULL_MATCH, museum=0)
    play(batch, "trade_give", painting=NO_MATCH)
    assert prestige(batch) == [0, 5], "2 - 3 is none"
    batch = before_a_trade(FULL_MATCH, FULL_MATCH + 2, prestige=[9, 5])
    play(batch, "trade_take", painting=FULL_MATCH + 2, museum=0)
    play(batch, "trade_give", painting=FULL_MATCH)
    assert prestige(batch) == [9, 5], "not + 3, which would draw a favor, and then - 3"
    assert favors_of(batch, 0) == []


def test_the_active_player_must_trade_and_the_others_may():
    batch = before_a_trade(FULL_MATCH, PERIOD_ONLY, players=4)
    assert len(legal_words(batch)) == 16, "any painting of the four museums, and nothing else"
    play(batch, "trade_take", painting=PERIOD_ONLY, museum=0)
    play(batch, "trade_give", painting=FULL_MATCH)
    assert batch.seat[0] == 1
    assert {"kind": "pass"} in legal_words(batch)
    play(batch, "pass")
    assert batch.seat[0] == 2
    play(batch, "trade_take", painting=FULL_MATCH, museum=0)
    assert {words["painting"] for words in legal_words(batch)} == {112, 113}, "no way back once a card is taken"
    play(batch, "trade_give", painting=113)
    assert prestige(batch) == [7, 5, 2, 5]
    assert batch.seat[0] == 3
    play(batch, "pass")
    assert batch.seat[0] == 0, "each only once, then the action phase"
    assert "inventory" in legal_kinds(batch)


def test_the_next_turn_draws_two_and_three_with_the_reward():
    for spaces, drawn in (([], 2), ([{}, {0: 3}], 3)):
        batch = position(hands=[[1], [2]], deck=[7, 8, 9], rest="discard pile 0", action_taken=INVENTORY, spaces=spaces)
        play(batch, "done")
        assert batch.seat[0] == 1
        assert hand_of(batch, 1) == [2, 7, 8, 9][: drawn + 1]
        assert hand_of(batch, 0) == [1]


def test_an_empty_painting_deck_gives_fewer_cards():
    batch = position(hands=[[1], [2]], deck=[7], rest="discard pile 0", action_taken=INVENTORY)
    play(batch, "done")
    assert hand_of(batch, 1) == [2, 7]
    assert deck_of(batch, "painting") == []
    batch = position(hands=[[1], [2]], favors=[[DONATION]], deck=[7], rest="discard pile 0")
    play(batch, "play_favor", favor=DONATION, half=UPPER)
    assert hand_of(batch, 0) == [1, 7]


def test_a_player_without_a_hand_card_cannot_trade_but_the_others_may():
    parts = {"options": {"num_players": 3}, "deck": [], "rest": "discard pile 0", "action_taken": INVENTORY}
    batch = position(hands=[[1], [], [3]], **parts)
    play(batch, "done")
    assert batch.states[0]["active"] == 1
    assert batch.seat[0] == 2
    assert {"kind": "pass"} in legal_words(batch)
    play(batch, "pass")
    assert batch.seat[0] == 0
    play(batch, "pass")
    assert batch.seat[0] == 1
    assert legal_kinds(batch) == {"inventory"}
    batch = position(hands=[[], [], []], **parts)
    play(batch, "done")
    assert batch.seat[0] == 1, "nobody can trade: nobody is asked"
    batch = position(hands=[[], [2], []], **parts)
    play(batch, "done")
    play(batch, "trade_take", painting=legal_words(batch)[0]["painting"], museum=legal_words(batch)[0]["museum"])
    play(batch, "trade_give", painting=2)
    assert batch.seat[0] == 1
    assert "inventory" in legal_kinds(batch), "those without a card are passed over"


def test_the_reward_for_trades_counts_where_prestige_is_gained():
    on_space = [{2: 0}, {2: 0}]
    batch = before_a_trade(FULL_MATCH, PERIOD_ONLY, spaces=on_space)
    play(batch, "trade_take", painting=PERIOD_ONLY, museum=0)
    play(batch, "trade_give", painting=FULL_MATCH)
    assert prestige(batch) == [5 + 2 + 1, 5]
    play(batch, "trade_take", painting=FULL_MATCH, museum=0)
    play(batch, "trade_give", painting=110)
    assert prestige(batch) == [8, 2], "no reward for a loss"
    batch = before_a_trade(FULL_MATCH, FULL_MATCH + 2, spaces=on_space)
    play(batch, "trade_take", painting=FULL_MATCH + 2, museum=0)
    play(batch, "trade_give", painting=FULL_MATCH)
    assert prestige(batch) == [5, 5], "nor for no change"
    batch = before_a_trade(FULL_MATCH, PERIOD_ONLY, spaces=on_space, trade=OTHERS_ACQUISITION, active=1, action_taken=0)
    play(batch, "trade_take", painting=PERIOD_ONLY, museum=0)
    play(batch, "trade_give", painting=FULL_MATCH)
    assert prestige(batch) == [8, 5], "an own trade in another's acquisition"


# --- Exhibits --------------------------------------------------------------------------------------------------------


def test_an_exhibit_is_card_slot_and_payment():
    batch = position(hands=[[6, 7, 100], [3]], public_trend=1, museum_trends=[0, 2, 3, 4])
    assert {words["painting"] for words in legal_words(batch, "exhibit")} == {6, 7, 100}
    play(batch, "exhibit", painting=7, **{"from": "hand"})
    assert hand_of(batch, 0) == [6, 100]
    assert legal_words(batch) == [{"kind": "place", "slot": slot} for slot in range(25)]
    play(batch, "place", slot=12)
    assert prestige(batch) == [5, 5], "everything happens once it is paid for"
    assert legal_words(batch) == [{"kind": "pay", "painting": 6}, {"kind": "pay", "painting": 100}]
    play(batch, "pay", painting=100)
    assert museum_of(batch, 0) == {12: 7}
    assert discards_of(batch, 0) == [100]
    assert prestige(batch) == [5 + 3, 5], "best, not total, against the public trend"
    assert legal_kinds(batch) == {"pick_up", "done"}, "no card is left to pay for the last one"


def test_a_payment_with_one_card_left_is_still_asked():
    batch = position(hands=[[6, 7], [3]])
    play(batch, "exhibit", painting=7, **{"from": "hand"})
    play(batch, "place", slot=0)
    assert legal_words(batch) == [{"kind": "pay", "painting": 6}]


def test_exhibits_may_be_repeated_up_to_the_limit():
    hands = [[1, 2, 3, 4, 5, 6, 7, 8], []]
    batch = position(hands=hands)
    for slot in range(4):
        exhibit(batch, slot + 1, slot, pay=slot + 5)
    assert legal_kinds(batch) - FREE_ACTIONS == {"pick_up", "done"}
    batch = position(options={"exhibits_per_action": 2}, hands=hands)
    exhibit(batch, 1, 1, pay=5)
    assert "exhibit" in legal_kinds(batch)
    exhibit(batch, 2, 2, pay=6)
    assert not legal_words(batch, "exhibit")


def test_after_an_exhibit_no_other_action():
    batch = position(hands=[[1, 2, 3, 4], []], museums=[{slot: 6 * slot for slot in range(4)}])
    assert {"open_exhibition", "inventory", "exhibit"} <= legal_kinds(batch)
    assert "done" not in legal_kinds(batch), "one of three, and it must be taken"
    exhibit(batch, 1, 10, pay=2)
    assert legal_kinds(batch) - FREE_ACTIONS == {"exhibit", "pick_up", "done"}


def test_anothers_discard_costs_one_prestige_which_the_owner_gains():
    batch = position(
        options={"num_players": 3}, hands=[[100], [], []], discards=[[9], [7], [8]], public_trend=1,
        museum_trends=[0, 2, 3, 4], prestige=[1, 5, 5],
    )  # fmt: skip
    assert {words["from"] for words in legal_words(batch, "exhibit")} == {1, 2}, "not the own pile"
    exhibit(batch, 7, 0, pay=100, source=1)
    assert prestige(batch) == [1 - 1 + 3, 6, 5]
    assert discards_of(batch, 0) == [9, 100]
    assert discards_of(batch, 1) == []


def test_anothers_discard_needs_prestige_and_a_payment():
    batch = position(hands=[[100], []], discards=[[], [7]], prestige=[0, 5])
    assert not legal_words(batch, "exhibit")
    batch = position(hands=[[], []], discards=[[], [7]])
    assert not legal_words(batch, "exhibit")
    batch = position(hands=[[], []], discards=[[], [7]], free_exhibit=1)
    exhibit(batch, 7, 0, source=1)
    assert prestige(batch)[1] == 6, "a free exhibit skips the payment, not the 1 prestige"


def test_what_an_exhibit_scores_comes_in_order():
    batch = position(
        hands=[[100], []], discards=[[], [7]], public_trend=1, museum_trends=[0, 2, 3, 4], prestige=[9, 9],
        favor_deck=[GALA, LOAN, EXCHANGE],
    )  # fmt: skip
    exhibit(batch, 7, 0, pay=100, source=1)
    assert prestige(batch) == [11, 10]
    assert favors_of(batch, 1) == [GALA], "the owner, who is not to move, draws first"
    assert favors_of(batch, 0) == [LOAN]
    assert batch.states[0]["markers"][:2].tolist() == [20, 20]


def test_no_exhibit_in_a_full_museum():
    full = {slot: 30 + slot for slot in range(25)}
    batch = position(hands=[[1, 2], []], museums=[full], discards=[[], [7]])
    assert not legal_words(batch, "exhibit")
    del full[3]
    batch = position(hands=[[1, 2], []], museums=[full])
    play(batch, "exhibit", painting=1, **{"from": "hand"})
    assert legal_words(batch) == [{"kind": "place", "slot": 3}]


def test_a_free_exhibit_waits_for_the_next_one():
    batch = position(hands=[[1], [2]], favors=[[LOAN]])
    assert not legal_words(batch, "exhibit")
    play(batch, "play_favor", favor=LOAN, half=UPPER)
    exhibit(batch, 1, 0)
    assert museum_of(batch, 0) == {0: 1}
    assert discards_of(batch, 0) == []
    batch = position(hands=[[1, 2, 3], []], favors=[[LOAN]])
    play(batch, "play_favor", favor=LOAN, half=UPPER)
    exhibit(batch, 1, 0)
    exhibit(batch, 2, 1, pay=3)


def test_a_free_exhibit_lapses_with_the_turn():
    batch = position(hands=[[NO_MATCH], []], favors=[[LOAN]], deck=[], rest="discard pile 1", prestige=[0, 5])
    play(batch, "inventory")
    play(batch, "take_favor", yes=False)
    play(batch, "replace_patrons", yes=False)
    play(batch, "play_favor", favor=LOAN, half=UPPER)
    assert not legal_words(batch, "exhibit"), "legal, but an action of another kind was taken"
    assert batch.states[0]["free_exhibit"] == 1
    play(batch, "done")
    assert batch.seat[0] == 0, "the other has no card; this player may trade"
    play(batch, "pass")
    play(batch, "inventory")
    while batch.seat[0] == 1:
        batch.step([np.flatnonzero(batch.action_mask[0])[-1]])
    play(batch, "trade_take", painting=legal_words(batch)[0]["painting"], museum=legal_words(batch)[0]["museum"])
    play(batch, "trade_give", painting=NO_MATCH)
    play(batch, "pass")
    assert "inventory" in legal_kinds(batch)
    assert len(hand_of(batch, 0)) == 1
    assert not legal_words(batch, "exhibit")


# --- Temporary exhibitions -------------------------------------------------------------------------------------------


def baroque_and_others():
    """Four Baroque paintings in an L, five religions in a row below, and nothing else that touches."""
    museum = {0: painting(6, 0), 5: painting(7, 1), 10: painting(8, 3), 11: painting(9, 4)}
    return museum | {20 + column: painting(painter, RELIGION) for column, painter in enumerate((0, 6, 12, 18, 1))}


def test_worked_example_of_collections():
    batch = position(museums=[baroque_and_others()], hands=[[], []])
    opened = legal_words(batch, "open_exhibition")
    assert opened == [
        {"kind": "open_exhibition", "of": "period", "index": BAROQUE},
        {"kind": "open_exhibition", "of": "domain", "index": RELIGION},
    ]
    corner = {0: painting(6, 0), 1: painting(7, 1), 7: painting(8, 3), 8: painting(9, 4)}
    batch = position(museums=[corner], hands=[[], []])
    assert not legal_words(batch, "open_exhibition"), "two and two touching at a corner"


def test_rows_do_not_join_at_the_edges_of_the_museum():
    around = {3: painting(6, 0), 4: painting(7, 1), 5: painting(8, 3), 6: painting(9, 4)}
    assert not legal_words(position(museums=[around]), "open_exhibition")
    upper_and_lower = {0: painting(6, 0), 1: painting(7, 1), 20: painting(8, 3), 21: painting(9, 4)}
    assert not legal_words(position(museums=[upper_and_lower]), "open_exhibition")


def test_an_exhibition_scores_the_largest_collection_and_the_token():
    museum = baroque_and_others() | {3: painting(10, 0), 4: painting(10, 1), 8: painting(10, 3)}
    museum |= {9: painting(11, 4), 13: painting(11, 3), 14: painting(11, 5)}
    batch = position(museums=[museum], hands=[[], []], prestige=[5, 5])
    play(batch, "open_exhibition", of="period", index=BAROQUE)
    assert prestige(batch) == [5 + 8 + 3, 5], "six Baroque paintings count 8, the upper token 3"
    assert favors_of(batch, 0) == [DONATION], "scored, favor drawn, before the space is chosen"
    assert legal_words(batch) == [{"kind": "reward_space", "space": space} for space in range(6)]
    play(batch, "reward_space", space=3)
    assert prestige(batch) == [16, 5], "the reward holds for exhibitions after this one"
    assert museum_of(batch, 0) == museum, "the paintings stay"
    assert legal_kinds(batch) == {"pick_up", "play_favor", "done"}


def test_the_lower_token_shows_nothing_and_the_reward_adds_two():
    batch = position(museums=[baroque_and_others()], spaces=[{3: 0}, {0: BAROQUE}])
    play(batch, "open_exhibition", of="period", index=BAROQUE)
    assert prestige(batch) == [5 + 4 + 0 + 2, 5]
    assert legal_words(batch) == [{"kind": "reward_space", "space": space} for space in (0, 1, 2, 4, 5)]


def test_what_keeps_an_exhibition_from_being_opened():
    museum = [baroque_and_others()]
    three = {"num_players": 3}
    for spaces, of_kinds in (
        ([{0: BAROQUE}], ["domain"]),
        ([{}, {0: BAROQUE}, {0: BAROQUE}], ["domain"]),
        ([{}, {0: BAROQUE}], ["period", "domain"]),
        ([dict(enumerate((0, 2, 3, 4, 5, 6)))], []),
    ):
        batch = position(options=three, museums=museum, spaces=spaces)
        assert [words["of"] for words in legal_words(batch, "open_exhibition")] == of_kinds, spaces
    for action in (EXHIBITS, EXHIBITION, INVENTORY):
        assert not legal_words(position(museums=museum, action_taken=action), "open_exhibition", "inventory")


def test_the_sixth_exhibition_is_asked_for_its_space_too():
    batch = position(museums=[baroque_and_others()], spaces=[dict(enumerate((0, 2, 3, 4, 5)))])
    play(batch, "open_exhibition", of="period", index=BAROQUE)
    assert legal_words(batch) == [{"kind": "reward_space", "space": 5}]
    play(batch, "reward_space", space=5)
    assert batch.states[0]["exhibitions"][0] == 6


@pytest.mark.parametrize(
    ("size", "worth"), [(4, 4), (5, 6), (6, 8), (7, 11), (8, 14), (9, 17), (10, 20), (11, 20), (25, 20)]
)
def test_the_value_of_a_collection_by_its_size(size, worth):
    museum = {slot: painting(6 * (slot % 5) + slot // 5, LANDSCAPE) for slot in range(size)}
    batch = position(museums=[museum])
    play(batch, "open_exhibition", of="domain", index=LANDSCAPE)
    assert prestige(batch)[0] == 5 + worth + 3


# --- Inventory -------------------------------------------------------------------------------------------------------


def test_an_inventory_takes_back_the_pile_and_asks_twice():
    batch = position(hands=[[1], [2]], discards=[[3, 4], [5]], favor_deck=[GALA])
    play(batch, "inventory")
    assert hand_of(batch, 0) == [1, 3, 4]
    assert discards_of(batch, 1) == [5]
    assert [words["kind"] for words in legal_words(batch)] == ["take_favor", "take_favor"]
    play(batch, "take_favor", yes=True)
    assert favors_of(batch, 0) == [GALA]
    assert [words["kind"] for words in legal_words(batch)] == ["replace_patrons", "replace_patrons"]
    play(batch, "replace_patrons", yes=True)
    assert shown(batch) == [5, 6, 7, 8, 9]
    assert legal_kinds(batch) == {"play_favor", "done"}


def test_an_inventory_of_an_empty_pile_is_possible_and_asks_what_can_be_asked():
    batch = position(hands=[[], []], favors=[ALL_FAVORS[:12], ALL_FAVORS[12:]], favor_deck=[])
    play(batch, "inventory")
    assert legal_kinds(batch) == {"replace_patrons"}, "no favor can be drawn"
    play(batch, "replace_patrons", yes=False)
    assert shown(batch) == [0, 1, 2, 3, 4]
    nothing_shown = {"claimed": [range(30), range(30, 60)], "shown": [NOTHING] * 5}
    batch = position(hands=[[], []], **nothing_shown)
    play(batch, "inventory")
    play(batch, "take_favor", yes=False)
    assert "done" in legal_kinds(batch), "no patron is shown"
    batch = position(favors=[ALL_FAVORS[:12], ALL_FAVORS[12:]], favor_deck=[], **nothing_shown)
    play(batch, "inventory")
    assert "done" in legal_kinds(batch)


def test_a_hand_far_over_the_limit_is_discarded_down_card_by_card():
    pile = list(range(100, 140))
    batch = position(hands=[[1], [2]], discards=[pile])
    play(batch, "inventory")
    play(batch, "take_favor", yes=False)
    play(batch, "replace_patrons", yes=False)
    assert len(hand_of(batch, 0)) == 41
    play(batch, "done")
    for card in pile[:33]:
        assert legal_kinds(batch) == {"discard"}
        assert batch.seat[0] == 0
        play(batch, "discard", painting=card)
    assert discards_of(batch, 0) == pile[:33]
    assert batch.states[0]["active"] == 1


# --- Free actions: favors --------------------------------------------------------------------------------------------


def test_a_favor_has_two_halves_and_is_played_once_a_turn():
    batch = position(hands=[[1, 2], []], favors=[[DONATION, DONATION, GALA]])
    assert len(legal_words(batch, "play_favor")) == 4
    play(batch, "play_favor", favor=DONATION, half=LOWER)
    assert prestige(batch) == [7, 5]
    assert favors_of(batch, 0) == [DONATION, GALA]
    assert batch.states[0]["used_favors"][DONATION] == 1
    assert not legal_words(batch, "play_favor")
    exhibit(batch, 1, 0, pay=2)
    assert not legal_words(batch, "play_favor")


def test_free_actions_come_before_after_and_between():
    museum = {0: painting(0, 0), 9: painting(0, 1)}
    for taken in (EXHIBITS, EXHIBITION, INVENTORY, 0):
        batch = position(hands=[[60, 61], []], museums=[museum], favors=[[DONATION]], action_taken=taken)
        assert {"play_favor", "claim_patron"} <= legal_kinds(batch)
        play(batch, "claim_patron", patron=0, place=0, take="points")
        play(batch, "play_favor", favor=DONATION, half=UPPER)
        assert ("exhibit" in legal_kinds(batch)) == (taken in (0, EXHIBITS))


def test_effects_of_the_default_favors():
    def after(favor, half, **parts):
        batch = position(favors=[[favor]], **{"hands": [[1], [2]], **parts})
        play(batch, "play_favor", favor=favor, half=half)
        return batch

    assert len(hand_of(after(DONATION, UPPER), 0)) == 3
    assert prestige(after(EXCHANGE, LOWER)) == [7, 5]
    assert after(LOAN, UPPER).states[0]["free_exhibit"] == 1
    assert len(hand_of(after(LOAN, LOWER), 0)) == 2
    assert prestige(after(RESTORATION, LOWER)) == [6, 5]
    assert shown(after(GALA, UPPER)) == [5, 6, 7, 8, 9]
    assert prestige(after(GALA, LOWER)) == [7, 5]
    assert favors_of(after(INVITATION, UPPER, favor_deck=[LOAN]), 0) == [LOAN]
    assert len(hand_of(after(INVITATION, LOWER), 0)) == 2


def test_a_trade_by_a_favor_may_be_declined_and_opens_none_for_the_others():
    for decline in (True, False):
        batch = position(hands=[[FULL_MATCH], [2]], international=[[PERIOD_ONLY]], favors=[[EXCHANGE]])
        play(batch, "play_favor", favor=EXCHANGE, half=UPPER)
        assert len(legal_words(batch)) == 17
        if decline:
            play(batch, "pass")
        else:
            play(batch, "trade_take", painting=PERIOD_ONLY, museum=0)
            assert legal_words(batch) == [{"kind": "trade_give", "painting": FULL_MATCH}]
            play(batch, "trade_give", painting=FULL_MATCH)
        assert prestige(batch) == [5 if decline else 7, 5]
        assert batch.seat[0] == 0
        assert "inventory" in legal_kinds(batch)


def test_recovering_goes_card_by_card_and_may_stop():
    def recovering(discards):
        batch = position(hands=[[1], [2]], discards=[discards], favors=[[RESTORATION]])
        play(batch, "play_favor", favor=RESTORATION, half=UPPER)
        return batch

    batch = recovering([3, 4, 5])
    assert legal_words(batch)[:3] == [{"kind": "recover", "painting": card} for card in (3, 4, 5)]
    play(batch, "recover", painting=4)
    play(batch, "recover", painting=3)
    assert hand_of(batch, 0) == [1, 3, 4]
    assert "inventory" in legal_kinds(batch), "two at most"
    batch = recovering([3, 4, 5])
    play(batch, "recover", painting=4)
    play(batch, "pass")
    assert hand_of(batch, 0) == [1, 4]
    batch = recovering([3])
    play(batch, "recover", painting=3)
    assert "inventory" in legal_kinds(batch), "the pile is empty"


def test_what_cannot_act_is_legal_and_asks_nothing():
    batch = position(hands=[[], [2]], favors=[[EXCHANGE]])
    play(batch, "play_favor", favor=EXCHANGE, half=UPPER)
    assert legal_kinds(batch) == {"inventory"}, "a trade without a hand card"
    batch = position(hands=[[1], [2]], favors=[[RESTORATION]])
    play(batch, "play_favor", favor=RESTORATION, half=UPPER)
    assert legal_kinds(batch) == {"inventory"}, "recover from an empty pile"
    batch = position(hands=[[], []], favors=[[GALA]], claimed=[range(30), range(30, 60)], shown=[NOTHING] * 5)
    play(batch, "play_favor", favor=GALA, half=UPPER)
    assert shown(batch) == [NOTHING] * 5
    batch = position(hands=[[], []], favors=[[DONATION]], deck=[], rest="discard pile 1")
    play(batch, "play_favor", favor=DONATION, half=UPPER)
    assert hand_of(batch, 0) == []


# --- Free actions: patrons -------------------------------------------------------------------------------------------


def test_a_patron_is_claimed_for_points_or_reward_once_a_turn():
    museum = {0: painting(0, 0), 24: painting(0, 1), 3: painting(1, 0), 4: painting(1, 5)}
    batch = position(hands=[[], []], museums=[museum], shown=[1, 5, 0, 7, 31], patron_deck=[50, 51])
    assert [(w["patron"], w["place"], w["take"]) for w in legal_words(batch, "claim_patron")] == [
        (1, 0, "points"),
        (1, 0, "reward"),
        (0, 2, "points"),
        (0, 2, "reward"),
    ]
    assert np.flatnonzero(batch.action_mask[0][235:245]).tolist() == [0, 1, 4, 5]
    play(batch, "claim_patron", patron=0, place=2, take="points")
    assert prestige(batch) == [8, 5]
    assert shown(batch) == [1, 5, 50, 7, 31], "replaced at once, in its place"
    assert batch.states[0]["patrons_claimed"][0] == 1
    assert not legal_words(batch, "claim_patron")


def test_patrons_of_a_period_and_domain_want_both():
    shows = {
        0: painting(6, LANDSCAPE),
        1: painting(7, LANDSCAPE),
        2: painting(0, STILL_LIFE),
        3: painting(6, STILL_LIFE),
    }
    landscapes, still_lifes = 30 + 6 * BAROQUE + LANDSCAPE, 30 + 6 * BAROQUE + STILL_LIFE
    batch = position(museums=[shows], shown=[landscapes, still_lifes, 6, 7, 8])
    assert {words["patron"] for words in legal_words(batch, "claim_patron")} == {landscapes, 6}


def test_the_rewards_of_patrons():
    def after(patron, **parts):
        museum = {0: painting(patron, 0), 24: painting(patron, 1)}
        batch = position(museums=[museum], shown=[50, 51, 52, 53, patron], **{"hands": [[60], [61]], **parts})
        play(batch, "claim_patron", patron=patron, place=4, take="reward")
        assert prestige(batch) == [5, 5]
        return batch

    assert favors_of(after(4, favor_deck=[LOAN]), 0) == [LOAN]
    assert len(hand_of(after(5), 0)) == 3
    assert len(legal_words(after(6))) == 17
    assert legal_kinds(after(7, discards=[[90]])) == {"recover", "pass"}


def test_a_patron_is_replaced_before_the_reward_acts():
    museum = {0: painting(0, 0), 24: painting(0, 1)}
    batch = position(
        museums=[museum], shown=[0, 5, 6, 7, 8], patron_deck=[], favors=[[DONATION]], favor_deck=[],
    )  # fmt: skip
    play(batch, "claim_patron", patron=0, place=0, take="reward")
    assert made_anew(batch) == ["patron_deck", "favor_deck"]
    # The same with points that draw a favor.
    batch = position(museums=[museum], shown=[0, 5, 6, 7, 8], patron_deck=[], favor_deck=[], prestige=[8, 5])
    play(batch, "claim_patron", patron=0, place=0, take="points")
    assert made_anew(batch) == ["patron_deck", "favor_deck"]


# --- Decks made anew -------------------------------------------------------------------------------------------------


def test_the_patron_deck_is_made_anew_from_the_replaced_not_the_claimed():
    museum = {0: painting(0, 0), 24: painting(0, 1)}
    batch = position(
        museums=[museum], shown=[0, 5, 6, 7, 8], claimed=[range(9, 30), [*range(1, 5), *range(30, 50)]], patron_deck=[],
    )  # fmt: skip
    play(batch, "claim_patron", patron=0, place=0, take="points")
    assert shown(batch)[0] in range(50, 60)
    assert sorted([shown(batch)[0], *deck_of(batch, "patron")]) == list(range(50, 60))


def test_a_place_of_a_patron_stays_empty_when_none_is_left():
    museum = {0: painting(0, 0), 24: painting(0, 1)}
    claimed = [range(20, 40), [*range(1, 5), *range(9, 20), *range(40, 60)]]
    batch = position(museums=[museum], shown=[5, 6, 0, 7, 8], claimed=claimed, patron_deck=[], favors=[[GALA]])
    play(batch, "claim_patron", patron=0, place=2, take="points")
    assert shown(batch) == [5, 6, NOTHING, 7, 8]
    assert made_anew(batch) == []
    play(batch, "play_favor", favor=GALA, half=UPPER)
    after = shown(batch)
    assert after[2] == NOTHING, "only the same places are filled"
    assert sorted(after) == [NOTHING, 5, 6, 7, 8], "those put away are shuffled and shown again"
    assert made_anew(batch) == ["patron_deck"]


def test_places_are_counted_with_the_empty_ones():
    museum = {0: painting(8, 0), 24: painting(8, 1)}
    claimed = [range(4), [4, *range(9, 60)]]
    batch = position(museums=[museum], shown=[5, NOTHING, 6, 8, 7], claimed=claimed)
    words = legal_words(batch, "claim_patron")
    assert [word["place"] for word in words] == [3, 3]
    assert np.flatnonzero(batch.action_mask[0][235:245]).tolist() == [6, 7]


def test_patrons_are_all_put_away_before_the_places_are_filled():
    batch = position(shown=[0, 1, 2, 3, 4], patron_deck=[10, 11], action_taken=0, hands=[[], []], claimed=[
        range(12, 40), [*range(5, 10), *range(40, 60)]
    ])  # fmt: skip
    play(batch, "inventory")
    play(batch, "take_favor", yes=False)
    play(batch, "replace_patrons", yes=True)
    assert shown(batch)[:2] == [10, 11]
    assert set(shown(batch)[2:]) | set(deck_of(batch, "patron")) == {0, 1, 2, 3, 4}
    assert made_anew(batch) == ["patron_deck"]


def test_a_favor_being_played_is_among_those_the_deck_is_made_of():
    others = [favor for favor in ALL_FAVORS if favor != INVITATION] + [INVITATION] * 3
    batch = position(favors=[[INVITATION], others], favor_deck=[])
    play(batch, "play_favor", favor=INVITATION, half=UPPER)
    assert favors_of(batch, 0) == [INVITATION]
    assert made_anew(batch) == ["favor_deck"]
    assert not batch.states[0]["used_favors"].any()


def test_the_favor_deck_is_made_anew_when_a_favor_is_wanted_not_before():
    batch = position(favors=[[INVITATION]], favor_deck=[LOAN])
    play(batch, "play_favor", favor=INVITATION, half=UPPER)
    assert deck_of(batch, "favor") == []
    assert made_anew(batch) == []
    assert batch.states[0]["used_favors"].sum() == 23


def test_with_no_favor_to_draw_the_marker_moves_on_all_the_same():
    batch = position(favors=[ALL_FAVORS[:12], ALL_FAVORS[12:]], favor_deck=[], prestige=[8, 5])
    rules.gain(batch.states[0], 0, 13)
    assert batch.states[0]["markers"][0] == 30
    assert batch.states[0]["favors_held"][0] == 12


def test_the_trend_deck_is_made_anew_from_all_used_the_present_one_too():
    batch = position(
        seat=1, hands=[[1], [2]], action_taken=INVENTORY, trend_deck=[], public_trend=9, museum_trends=[1, 2, 3, 4],
        secret=[10, 11],
    )  # fmt: skip
    used = set(np.flatnonzero(batch.states[0]["used_trends"]).tolist())
    assert len(used) == 23
    play(batch, "done")
    state = batch.states[0]
    assert made_anew(batch) == ["trend_deck"]
    assert {int(state["public_trend"]), *deck_of(batch, "trend")} == used | {9}
    assert len(deck_of(batch, "trend")) == 23
    assert not state["used_trends"].any()
    only_one = position(
        seat=1, hands=[[1], [2]], action_taken=INVENTORY, trend_deck=[20], public_trend=9, secret=[10, 11]
    )
    play(only_one, "done")
    assert made_anew(only_one) == []
    assert only_one.states[0]["public_trend"] == 20
    assert only_one.states[0]["used_trends"][9]


# --- Prestige and favors ---------------------------------------------------------------------------------------------


def test_worked_example_of_the_favor_marker():
    batch = position(prestige=[8, 5], favor_deck=[GALA, LOAN, EXCHANGE])
    rules.gain(batch.states[0], 0, 13)
    assert prestige(batch) == [21, 5]
    assert favors_of(batch, 0) == [LOAN, GALA]
    assert batch.states[0]["markers"][:2].tolist() == [30, 10]


def test_losses_do_not_move_the_marker_back_and_reaching_it_is_enough():
    batch = position(prestige=[9, 5], favor_deck=[GALA, LOAN])
    state = batch.states[0]
    rules.gain(state, 0, 1)
    assert favors_of(batch, 0) == [GALA], "to the marker"
    rules.lose(state, 0, 4)
    rules.gain(state, 0, 5)
    assert prestige(batch) == [11, 5]
    assert favors_of(batch, 0) == [GALA]
    assert state["markers"][0] == 20
    rules.lose(state, 0, 50)
    assert prestige(batch) == [0, 5]
    rules.gain(state, 0, 120)
    assert prestige(batch) == [120, 5], "there is no upper end"
    assert state["markers"][0] == 130


# --- Rearranging -----------------------------------------------------------------------------------------------------


def test_a_move_goes_to_an_empty_slot_or_swaps():
    batch = position(museums=[{0: 1, 1: 2}], hands=[[], []])
    play(batch, "pick_up", slot=0)
    assert legal_words(batch) == [{"kind": "put_down", "slot": slot} for slot in range(1, 25)]
    play(batch, "put_down", slot=24)
    assert museum_of(batch, 0) == {24: 1, 1: 2}
    play(batch, "pick_up", slot=24)
    play(batch, "put_down", slot=1)
    assert museum_of(batch, 0) == {24: 2, 1: 1}
    assert batch.states[0]["moves_made"] == 2


@pytest.mark.parametrize("limit", [0, 1, 5, 100])
def test_moves_are_limited_in_a_turn(limit):
    batch = position(options={"rearrange_limit": limit}, museums=[{0: 1}], hands=[[2, 3], []])
    for move in range(limit):
        if move == 1:
            exhibit(batch, 2, 24, pay=3)
        play(batch, "pick_up", slot=0 if move % 2 == 0 else 1)
        play(batch, "put_down", slot=1 if move % 2 == 0 else 0)
    assert not legal_words(batch, "pick_up")
    assert legal_kinds(batch) >= ({"done"} if limit > 1 else {"inventory"})


# --- End of the turn -------------------------------------------------------------------------------------------------


def test_paintings_are_discarded_first_then_favors():
    hand = list(range(100, 110))
    batch = position(hands=[hand, []], favors=[[DONATION, GALA, GALA, LOAN, LOAN], [INVITATION] * 4], action_taken=1)
    batch.states[0]["exhibits"] = 1
    play(batch, "done")
    assert legal_words(batch) == [{"kind": "discard", "painting": card} for card in hand]
    play(batch, "discard", painting=104)
    play(batch, "discard", painting=100)
    assert legal_words(batch) == [{"kind": "discard_favor", "favor": favor} for favor in (DONATION, LOAN, GALA)]
    play(batch, "discard_favor", favor=LOAN)
    play(batch, "discard_favor", favor=LOAN)
    assert favors_of(batch, 0) == [DONATION, GALA, GALA]
    assert batch.states[0]["used_favors"][LOAN] == 2
    assert batch.states[0]["favors_held"][1] == 4, "only the active player discards"
    assert batch.states[0]["active"] == 1


def test_the_hand_limit_is_two_more_with_the_reward():
    for cards, spaces, asked in ((8, [], False), (9, [], True), (10, [{1: 0}], False), (11, [{1: 0}], True)):
        batch = position(hands=[range(100, 100 + cards), [1]], action_taken=INVENTORY, spaces=spaces)
        play(batch, "done")
        assert (legal_kinds(batch) == {"discard"}) == asked, cards


def test_others_keep_more_than_three_favors_until_their_own_turn_ends():
    batch = position(
        hands=[[100], [101]], discards=[[], [7]], prestige=[9, 9], favors=[[], [0, 1, 2]], favor_deck=[GALA, LOAN]
    )
    exhibit(batch, 7, 0, pay=100, source=1)
    assert batch.states[0]["favors_held"][1] == 4
    play(batch, "done")
    assert batch.states[0]["active"] == 1
    assert "trade_take" in legal_kinds(batch)


def test_a_new_trend_at_the_end_of_the_round_only():
    batch = position(options={"num_players": 3}, hands=[[1], [2], [3]], action_taken=INVENTORY, public_trend=20)
    play(batch, "done")
    assert batch.states[0]["public_trend"] == 20
    assert batch.states[0]["round"] == 0
    batch = position(options={"num_players": 3}, seat=2, hands=[[1], [2], [3]], action_taken=INVENTORY, public_trend=20)
    following = deck_of(batch, "trend")[0]
    play(batch, "done")
    assert batch.states[0]["public_trend"] == following
    assert batch.states[0]["round"] == 1
    assert batch.states[0]["active"] == 0


# --- The end ---------------------------------------------------------------------------------------------------------


def end_of_turn(seat, players=3, options=None, **parts):
    hands = [[seat_ + 1] for seat_ in range(players)]
    return position(
        options={"num_players": players, **(options or {})},
        seat=seat,
        **{"hands": hands, "museums": [{0: 100}, {}, {0: 102}], "action_taken": INVENTORY, **parts},
    )


def test_the_end_token_is_taken_at_the_end_of_the_own_turn_with_fifty():
    for points, taker in ((49, -1), (50, 1), (93, 1)):
        batch = end_of_turn(1, prestige=[60, points, 3])
        play(batch, "done")
        assert batch.states[0]["end_token"] == taker, "another's fifty does not count at this turn's end"
        assert batch.states[0]["active"] == 2


def test_every_other_player_has_one_more_turn():
    batch = end_of_turn(1, prestige=[60, 55, 3])
    turns = []
    while batch.states[0]["phase"] not in (FINAL_MENU, OVER):
        active = int(batch.states[0]["active"])
        if not turns or turns[-1] != active:
            turns.append(active)
        legal = np.flatnonzero(batch.action_mask[0])
        batch.step([222 if 222 in legal else legal[-1]])
    assert turns == [1, 2, 0], "also those who come earlier in the round"
    assert batch.states[0]["end_token"] == 1, "the token is taken once"
    assert batch.states[0]["round"] == 1


def test_the_end_comes_even_if_its_taker_falls_back():
    batch = end_of_turn(2, end_token=1, last_turns=1, prestige=[5, 20, 5])
    play(batch, "done")
    assert batch.states[0]["phase"] == FINAL_MENU


def test_final_rearranging_in_seat_order_without_those_who_have_nothing():
    batch = end_of_turn(0, end_token=1, last_turns=1, first_seat=1)
    trend = batch.states[0]["public_trend"]
    play(batch, "done")
    assert batch.seat[0] == 2, "from the first player, who has an empty museum"
    for move in range(25):
        play(batch, "pick_up", slot=move)
        play(batch, "put_down", slot=(move + 1) % 25)
    assert legal_words(batch) == [{"kind": "done"}]
    play(batch, "done")
    assert batch.seat[0] == 0
    assert legal_words(batch) == [{"kind": "pick_up", "slot": 0}, {"kind": "done"}]
    result = play(batch, "done")
    assert result.terminated[0]
    assert not result.truncated[0]
    assert batch.states[0]["public_trend"] == trend, "no new trend once the game ends"


def test_with_empty_museums_nobody_is_asked():
    batch = end_of_turn(2, end_token=1, last_turns=1, museums=[])
    assert play(batch, "done").terminated[0]


def test_truncation_after_the_last_round_scores_without_rearranging():
    batch = end_of_turn(2, options={"max_rounds": 4}, round=3, prestige=[5, 6, 7], secret=[16, 29, 17], public_trend=5)
    result = play(batch, "done")
    assert result.truncated[0]
    assert not result.terminated[0]
    assert batch.seat[0] == -1
    assert batch.states[0]["public_trend"] == 5
    assert result.scores[0].tolist() == [5 + 6, 6, 7 + 4], "the final scoring takes place"
    batch = end_of_turn(1, options={"max_rounds": 4}, round=3)
    assert not play(batch, "done").truncated[0], "the round is played to its end"


def test_truncation_in_the_middle_of_the_last_turns():
    batch = end_of_turn(2, options={"max_rounds": 4}, round=3, end_token=1, last_turns=2, prestige=[9, 55, 9])
    result = play(batch, "done")
    assert result.truncated[0]
    parts = batch.states[0]
    assert parts["end_token"] == 1
    assert result.scores[0][1] == 55 + 5, "the end token counts"
    batch = end_of_turn(2, options={"max_rounds": 4}, round=3, prestige=[9, 9, 60], museums=[])
    result = play(batch, "done")
    assert result.truncated[0], "taken in the very last turn"
    assert result.scores[0].tolist() == [9, 9, 65]


def test_a_last_turn_that_ends_the_last_round_ends_the_game():
    batch = end_of_turn(2, options={"max_rounds": 4}, round=3, end_token=1, last_turns=1)
    assert not play(batch, "done").truncated[0]
    assert batch.states[0]["phase"] == FINAL_MENU


# --- Final scoring ---------------------------------------------------------------------------------------------------

# A secret trend that shows none of the paintings used below: painter 29, Impressionism, portrait.
BLIND = {"secret": [29, 28]}


def test_collections_of_both_sorts_count():
    assert value(position(museums=[baroque_and_others()], **BLIND)) == 4 + 6
    # Four Baroque religions: one painting may be in a collection of each sort.
    both = {slot: painting(6 + slot, RELIGION) for slot in range(4)}
    assert value(position(museums=[both], **BLIND)) == 4 + 4
    two = {slot: painting(6 + slot % 6, slot // 6) for slot in (0, 1, 2, 3)}
    two |= {20 + slot: painting(6 + slot, 4) for slot in range(4)}
    # Four Baroque above, four Baroque below that are still lifes as well: every collection counts.
    assert value(position(museums=[two], **BLIND)) == (4 + 4) + (4 + 4)


def test_the_secret_trend_counts_in_total():
    museum = {0: painting(7, HISTORY), 12: painting(7, PORTRAIT), 4: painting(8, 0), 24: painting(0, HISTORY)}
    batch = position(museums=[museum], secret=[7, 8])
    assert value(batch) == 6 + 4 + 1 + 2


@pytest.mark.parametrize(("count", "worth"), list(enumerate([0, 1, 3, 6, 10, 15, 21])))
def test_exhibitions_count_by_number(count, worth):
    spaces = [{space: space for space in range(count)}]
    assert value(position(spaces=spaces, **BLIND)) == worth


def test_a_full_gallery_and_a_full_museum_both_count():
    gallery = [*ROW, 2, 7, 17, 22]
    # Paintings of five periods and six domains, laid so that no four are together.
    spread = {
        slot: painting(6 * ((slot + slot // 5 * 2) % 4) + slot // 5, (slot * 2 + slot // 5) % 5) for slot in range(25)
    }
    museum = {slot: spread[slot] for slot in gallery}
    batch = position(museums=[museum], **BLIND)
    assert value(batch) == 5
    del museum[2]
    assert value(position(museums=[museum], **BLIND)) == 0
    full = position(museums=[spread], **BLIND)
    assert value(full) == rules.value_of_collections(full.states[0], 0) + 5 + 15


def test_rewards_that_say_so():
    batch = position(spaces=[{4: 0}], claimed=[[10, 11, 12], [13]], **BLIND)
    assert value(batch) == 1 + 3
    assert value(position(claimed=[[10, 11, 12]], **BLIND)) == 0
    for filled, worth in ((0, 0), (1, 0), (2, 1), (3, 1), (4, 2)):
        museum = {slot: painting(6 * (slot % 2), slot % 5) for slot in list(ROW)[:filled]} | {0: painting(12, 0)}
        assert value(position(museums=[museum], spaces=[{5: 0}], **BLIND)) == 1 + worth


def test_the_end_token_and_the_discards():
    assert value(position(end_token=0, **BLIND)) == 5
    assert value(position(end_token=1, **BLIND)) == 0
    assert value(position(discards=[[1, 2, 3], [4]], **BLIND)) == -3


def last_done(**parts):
    """The end of a game of two: the result of the last *done*."""
    batch = end_of_turn(1, players=2, end_token=0, last_turns=1, museums=[], **{"prestige": [20, 20], **BLIND, **parts})
    result = play(batch, "done")
    assert result.terminated[0]
    return batch, result


def test_a_total_below_zero_counts_as_none_and_draws_no_favor():
    batch, result = last_done(prestige=[2, 9], markers=[10, 10], discards=[range(50, 60), []])
    assert result.scores[0].tolist() == [0, 9]
    batch, result = last_done(prestige=[9, 9], markers=[10, 10])
    assert result.scores[0].tolist() == [14, 9]
    assert favors_of(batch, 0) == [], "no favors for the final scoring"


def test_highest_prestige_wins_then_exhibitions_then_fewer_discards_then_shared():
    def winners(**parts):
        batch, result = last_done(**parts)
        return batch.winners(0), result.scores[0].tolist(), result.rewards[0].tolist()

    assert winners(prestige=[20, 26]) == ([1], [25, 26], [-1.0, 1.0])
    assert winners(prestige=[20, 25]) == ([0, 1], [25, 25], [0.0, 0.0])
    assert winners(prestige=[20, 24], spaces=[{}, {0: 3}])[:2] == ([1], [25, 25]), "more exhibitions"
    assert winners(prestige=[22, 26], discards=[[50, 51], [52]])[:2] == ([1], [25, 25]), "fewer discards"
    assert winners(prestige=[21, 24], spaces=[{}, {0: 3}], discards=[[50], []])[:2] == ([1], [25, 25])
    assert winners(prestige=[21, 25], spaces=[{0: 4}, {0: 3}], discards=[[50, 51], [52]])[0] == [1]
    assert winners(prestige=[21, 26], discards=[[51], [52]])[:2] == ([0, 1], [25, 25])


def test_rewards_of_a_game_of_four():
    batch = end_of_turn(
        3, players=4, options={"reward": "margin"}, end_token=0, last_turns=1, museums=[], prestige=[20, 12, 45, 0],
        secret=[29, 28, 27, 26],
    )  # fmt: skip
    result = play(batch, "done")
    assert result.scores[0].tolist() == [25, 12, 45, 0]
    others = [57 / 3, 70 / 3, 37 / 3, 82 / 3]
    assert result.rewards[0].tolist() == pytest.approx(
        [(score - mean) / 50 for score, mean in zip([25, 12, 45, 0], others, strict=True)]
    )


# --- Card files and refusals -----------------------------------------------------------------------------------------


def test_a_changed_card_file_needs_no_code(tmp_path):
    words = changed(
        trends={"values": [[5, 1, 0]] * 30},
        collections={"smallest": 3, "values": [10, 30]},
        full={"main_gallery": 7, "museum": 15},
        reward_spaces={"spaces": ["trade 4", *["acquisition 1"] * 5]},
        penalties={"discarded_card": 0},
    )
    options = {"cards": written(tmp_path / "cards.toml", words)}
    batch = position(
        options=options, phase=TRADE_TAKE, hands=[[painting(5, 0)], [2]], international=[[painting(20, HISTORY)]],
        spaces=[{0: 0}],
    )  # fmt: skip
    play(batch, "trade_take", painting=painting(20, HISTORY), museum=0)
    play(batch, "trade_give", painting=painting(5, 0))
    assert prestige(batch)[0] == 5 + (5 - 1) + 4
    batch = position(options=options, museums=[{0: 36, 1: 43, 2: 50}], discards=[[100]], **BLIND)
    assert value(batch) == 10


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (0, "it means nothing while the phase is 'menu'"),
        (60, "an exhibit needs an empty slot, a hand card to pay with"),
        (180, "the slot is empty, or no rearranging move is left"),
        (206, "it needs a collection of that kind"),
        (216, "it means nothing"),
        (223, "this favor is not held"),
        (235, "the museum does not meet what the patron asks for"),
        (255, "it means nothing"),
        (256, r"out of range 0\.\.255"),
        (-1, r"out of range 0\.\.255"),
    ],
)
def test_a_refusal_says_why(action, reason):
    batch = position(hands=[[60], [61]])
    before = batch.states.copy()
    with pytest.raises(IllegalActionError, match=reason):
        batch.step([action])
    assert batch.states.tobytes() == before.tobytes()
