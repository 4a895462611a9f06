"""Protects the rules of Masters Gallery paragraph by paragraph, on positions laid out by hand, with worked examples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from env_core import IllegalActionError, SetupError
from masters_env import masters_v0, rules
from masters_env.kernels import advance
from tests.masters_env.invariants import listed
from tests.masters_env.positions import (
    AWARD,
    DEGAS,
    DOWN,
    DRAW,
    MONET,
    RENOIR,
    TOGETHER,
    UP,
    VAN_GOGH,
    VERMEER,
    award,
    blank_states,
    checked,
    decline,
    legal,
    phase_of,
    play,
    position,
    set_up,
)
from tests.masters_env.second_rules import DEAL, DECLINE, PACK

AWARDS = [30, 31, 32, 33, 34]


def hand_of(batch, seat):
    return listed(batch.states[0]["hands"][seat])


def displays_of(batch):
    return batch.states[0]["displays"][: batch.num_players].tolist()


def totals_of(batch):
    return batch.scores()[0].tolist()


def ender_of(batch):
    """Who counts as the one who ended the round: extra cards begin there."""
    assert phase_of(batch)[1] == "extra"
    return int(batch.states[0]["active"])


# --- Components, setup and deal --------------------------------------------------------------------------------------


def test_components():
    env = masters_v0.raw_env()
    env.reset(seed=1)
    setup = env.record()["setup"]
    cards = Counter(sum(setup["hands"], setup["deck"]))
    assert cards == PACK
    assert [sum(cards[artist * 6 + symbol] for symbol in range(6)) for artist in range(5)] == [17, 18, 19, 20, 21]
    assert [cards[artist * 6] for artist in range(5)] == [11, 12, 13, 14, 15]
    assert all(cards[artist * 6 + symbol] == (2 if symbol == 3 else 1) for artist in range(5) for symbol in range(1, 6))
    assert env.action_space("player_0").n == 36


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_first_round_is_dealt_before_its_extra_card_is_turned(players):
    env = masters_v0.raw_env(num_players=players)
    env.reset(seed=3)
    state, setup = env.table.states[0], env.record()["setup"]
    assert [listed(state["hands"][seat]) for seat in range(players)] == [sorted(hand) for hand in setup["hands"]]
    assert [len(hand) for hand in setup["hands"]] == [13] * players
    assert state["extra_card"] == setup["deck"][0]
    assert state["deck_size"] == 95 - 13 * players - 1
    assert state["works"].sum() == 1
    assert int(state["seat"]) == int(state["starter"]) == setup["first_seat"]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_first_player_and_cards_are_uniform(players):
    rows = 20_000
    batch = masters_v0.batch_env(rows, num_players=players)
    batch.reset(seed=6)
    starts = np.bincount(batch.seat, minlength=players)
    assert ((starts - rows / players) ** 2 / (rows / players)).sum() < players + 5 * (2 * players) ** 0.5 + 10
    expected = np.array([rows * PACK[card] / 95 for card in range(30)])
    for place in (0, 13, 94):
        counts = np.bincount(batch.states["deck"][:, place], minlength=30)
        # Chi-square has mean 29 and variance 58: five standard deviations.
        assert ((counts - expected) ** 2 / expected).sum() < 29 + 5 * 58**0.5


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("next_round", [1, 2, 3])
def test_deal_table_of_later_rounds_extra_card_first(players, next_round):
    limit = 5 if players == 2 else 6
    batch = position(
        options={"num_players": players},
        # With seat 1 to end the round, seat 2 starts the next and is dealt to first.
        hands=[[RENOIR, RENOIR], [MONET, RENOIR]] + [[RENOIR]] * (players - 2),
        displays=[[MONET] * (limit - 1)],
        seat=1,
        round_number=next_round - 1,
    )
    deck = batch.states[0]["deck"][95 - int(batch.states[0]["deck_size"]) :].tolist()
    before = [hand_of(batch, seat) for seat in range(players)]
    before[1].remove(MONET)
    play(batch, MONET)
    assert phase_of(checked(batch)) == (2 % players, "play"), "nobody has a Monet to add: the next round has begun"
    count = DEAL[players][next_round]
    assert batch.states[0]["extra_card"] == deck.pop(0)
    dealt = [[] for _ in range(players)]
    for _ in range(count):
        for turn in range(players):
            dealt[(2 + turn) % players].append(deck.pop(0))
    assert [hand_of(batch, seat) for seat in range(players)] == [
        sorted(old + new) for old, new in zip(before, dealt, strict=True)
    ], "hands carry over"
    assert batch.states[0]["deck_size"] == len(deck)
    assert batch.states[0]["round"] == next_round


def test_the_deck_never_runs_out():
    for players, dealt in DEAL.items():
        draws, extra_cards = 5, 4
        assert players * sum(dealt) + extra_cards + draws == {2: 65, 3: 84, 4: 93, 5: 94}[players]


def test_a_setup_has_the_cards_that_there_are():
    env = masters_v0.raw_env()
    env.reset(seed=1)
    setup = env.record()["setup"]
    setup["deck"][0] = (setup["deck"][0] + 1) % 30
    with pytest.raises(SetupError, match="there are"):
        env.reset(options={"setup": setup})


# --- A turn ----------------------------------------------------------------------------------------------------------


def test_a_plain_card_is_displayed_and_the_turn_goes_clockwise():
    batch = position(options={"num_players": 3}, hands=[[MONET, DEGAS], [RENOIR], [RENOIR]], seat=2)
    seats = []
    for card in (RENOIR, MONET, RENOIR):
        seats.append(int(batch.seat[0]))
        play(batch, card)
    assert seats == [2, 0, 1]
    assert phase_of(checked(batch)) == (0, "play"), "seat 1 and 2 have no cards"
    assert displays_of(batch) == [[0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0]]
    assert batch.states[0]["works"].tolist() == [0, 0, 1, 2, 1], "the extra card counts"


def test_the_player_must_play_and_is_asked_also_with_one_card():
    batch = position(hands=[[DEGAS], [MONET, MONET, MONET + UP]])
    assert legal(batch) == [DEGAS]
    play(batch, DEGAS)
    assert legal(batch) == [MONET, MONET + UP]
    with pytest.raises(IllegalActionError, match="only a second or an extra card may be declined"):
        batch.step([DECLINE])
    with pytest.raises(IllegalActionError, match="the hand has no Degas"):
        batch.step([DEGAS])
    with pytest.raises(IllegalActionError, match="no award token is being given"):
        batch.step([30])


@pytest.mark.parametrize(("players", "limit"), [(2, 5), (3, 6), (4, 6), (5, 6)])
@pytest.mark.parametrize("extra_card", [MONET, DEGAS])
def test_the_round_ends_at_the_limit_extra_card_included(players, limit, extra_card):
    works = limit - 2 - (extra_card == MONET)
    batch = position(
        options={"num_players": players},
        hands=[[MONET, RENOIR], [MONET, MONET]] + [[RENOIR]] * (players - 2),
        displays=[[], [MONET] * works],
        extra_card=extra_card,
    )
    play(batch, MONET)
    assert phase_of(batch) == (1, "play"), "one below the limit"
    play(batch, MONET)
    assert phase_of(checked(batch)) == (1, "extra")
    assert ender_of(batch) == 1


@pytest.mark.parametrize("symbol", [DRAW, UP, DOWN, TOGETHER, AWARD])
def test_the_symbol_of_the_card_that_ends_the_round_is_ignored(symbol):
    batch = position(hands=[[MONET + symbol, MONET, DEGAS], [RENOIR]], displays=[[MONET] * 4])
    deck_size = int(batch.states[0]["deck_size"])
    play(batch, MONET + symbol)
    assert ender_of(checked(batch)) == 0
    assert hand_of(batch, 0) == [DEGAS, MONET], "nothing is drawn"
    assert batch.states[0]["deck_size"] == deck_size


def test_the_symbol_of_the_extra_card_never_acts():
    env = masters_v0.raw_env()
    env.reset(seed=1)
    setup = env.record()["setup"]
    for symbol in (DRAW, UP, DOWN, TOGETHER, AWARD):
        place = next((i for i, card in enumerate(setup["deck"]) if card % 6 == symbol), None)
        if place is not None:
            setup["deck"][0], setup["deck"][place] = setup["deck"][place], setup["deck"][0]
            env.reset(options={"setup": setup})
            assert phase_of(env.table) == (setup["first_seat"], "play")
            assert env.table.states[0]["deck_size"] == 68


# Draw


def test_draw_takes_the_top_card_which_may_be_played_this_round():
    batch = position(hands=[[MONET + DRAW], [RENOIR]], deck=[DEGAS + TOGETHER, VERMEER])
    play(batch, MONET + DRAW)
    assert hand_of(batch, 0) == [DEGAS + TOGETHER]
    assert batch.states[0]["deck_size"] == 1
    play(batch, RENOIR)
    assert legal(checked(batch)) == [DEGAS + TOGETHER]


def test_draw_takes_nothing_from_an_empty_deck():
    batch = position(hands=[[MONET + DRAW, MONET], [RENOIR]], deck=[])
    play(batch, MONET + DRAW)
    assert hand_of(batch, 0) == [MONET]
    assert phase_of(checked(batch)) == (1, "play")


def test_draw_keeps_the_round_alive():
    batch = position(hands=[[MONET + DRAW], []])
    play(batch, MONET + DRAW)
    assert phase_of(checked(batch)) == (0, "play"), "the turn is complete with its symbol, then a hand has a card"


# Second face up


def test_second_face_up_offers_cards_of_the_same_artist():
    batch = position(hands=[[MONET + UP, MONET, MONET + DRAW, DEGAS], [RENOIR]])
    play(batch, MONET + UP)
    assert phase_of(batch) == (0, "second_up")
    assert legal(batch) == [MONET, MONET + DRAW, DECLINE]
    assert batch.describe(0, MONET) == {"kind": "second_up", "artist": 2, "symbol": 0}
    with pytest.raises(IllegalActionError, match="the second card must be by Monet"):
        batch.step([DEGAS])
    play(batch, MONET + DRAW)
    assert phase_of(checked(batch)) == (1, "play")
    assert hand_of(batch, 0) == [DEGAS, MONET], "the second card's symbol is ignored: nothing is drawn"
    assert displays_of(batch)[0] == [0, 0, 2, 0, 0]


def test_second_face_up_may_be_declined():
    batch = position(hands=[[MONET + UP, MONET], [RENOIR]])
    play(batch, MONET + UP)
    decline(batch)
    assert phase_of(checked(batch)) == (1, "play")
    assert hand_of(batch, 0) == [MONET]


def test_worked_example_of_the_only_monet():
    batch = position(hands=[[MONET + UP, DEGAS], [RENOIR]])
    play(batch, MONET + UP)
    assert phase_of(checked(batch)) == (1, "play"), "no decision follows"


def test_second_face_up_counts_at_once_and_can_end_the_round():
    batch = position(hands=[[MONET + UP, MONET, MONET], [RENOIR]], displays=[[MONET] * 3])
    play(batch, MONET + UP)
    assert phase_of(batch) == (0, "second_up")
    play(batch, MONET)
    assert ender_of(checked(batch)) == 0


# Second face down


def test_second_face_down_takes_any_card_and_its_symbol_is_ignored():
    batch = position(hands=[[MONET + DOWN, MONET + DRAW, DEGAS], [RENOIR]])
    play(batch, MONET + DOWN)
    assert phase_of(batch) == (0, "second_down")
    assert legal(batch) == [DEGAS, MONET + DRAW, DECLINE]
    play(batch, MONET + DRAW)
    assert phase_of(checked(batch)) == (1, "play")
    assert hand_of(batch, 0) == [DEGAS]
    state = batch.states[0]
    assert listed(state["face_down"][0]) == [MONET + DRAW]
    assert state["face_down_counts"].tolist() == [1, 0, 0, 0, 0]
    assert state["works"].tolist() == [0, 0, 1, 0, 1], "it does not count"


def test_second_face_down_may_be_declined_and_is_not_asked_with_an_empty_hand():
    batch = position(hands=[[MONET + DOWN, DEGAS], [RENOIR + DOWN]])
    play(batch, MONET + DOWN)
    decline(batch)
    assert not batch.states[0]["face_down"].any()
    play(batch, RENOIR + DOWN)
    assert phase_of(checked(batch)) == (0, "play")


def test_face_down_cards_cannot_end_the_round_but_count_for_the_ranking():
    batch = position(
        hands=[[MONET + DOWN, MONET, MONET], [VERMEER] * 2],
        displays=[[MONET] * 3, [VERMEER] * 3],
        face_down=[[], [VERMEER, DEGAS]],
    )
    play(batch, MONET + DOWN, MONET)
    assert phase_of(checked(batch)) == (1, "play"), "five Monets lie there, one of them unseen"
    play(batch, VERMEER)
    assert phase_of(batch) == (0, "play"), "likewise five Vermeers"
    play(batch, MONET)
    # Vermeer 5, Degas 1, Monet 6, Renoir 0, Van Gogh 1
    assert batch.states[0]["works"].tolist() == [5, 1, 6, 0, 1]
    assert batch.states[0]["tokens"].tolist() == [2, 1, 3, 0, 0]
    assert totals_of(batch) == [18, 0], "seat 0 has nothing to add and scores at once"
    assert phase_of(checked(batch)) == (1, "extra")
    assert not batch.states[0]["face_down"].any()
    decline(batch)
    assert totals_of(batch) == [18, 11], "five Vermeers and the Degas that lay face down"


# Simultaneous


def test_everybody_with_cards_chooses_unseen_the_active_player_first():
    batch = position(
        options={"num_players": 4},
        hands=[[RENOIR, DEGAS], [], [MONET + TOGETHER, MONET + AWARD], [VERMEER + DRAW, VERMEER + TOGETHER]],
        seat=2,
    )
    play(batch, MONET + TOGETHER)
    assert phase_of(batch) == (2, "simultaneous")
    assert legal(batch) == [MONET + AWARD], "no declining"
    play(batch, MONET + AWARD)
    assert phase_of(checked(batch)) == (3, "simultaneous")
    play(batch, VERMEER + DRAW)
    assert phase_of(checked(batch)) == (0, "simultaneous"), "seat 1 has no card"
    state = batch.states[0]
    assert state["hand_sizes"][:4].tolist() == [2, 0, 0, 1], "a chosen card leaves the hand at once"
    assert state["choice"][:4].tolist() == [-1, -1, MONET + AWARD, VERMEER + DRAW]
    assert state["works"].tolist() == [0, 0, 1, 0, 1], "and is displayed when all have chosen"
    play(batch, DEGAS)
    assert phase_of(checked(batch)) == (3, "play"), "all symbols are ignored"
    state = batch.states[0]
    assert displays_of(batch) == [[0, 1, 0, 0, 0], [0] * 5, [0, 0, 2, 0, 0], [1, 0, 0, 0, 0]]
    assert state["choice"].tolist() == [-1] * 5
    assert state["awards"].sum() == 0
    assert hand_of(batch, 3) == [VERMEER + TOGETHER]


def test_simultaneous_begins_with_the_next_player_if_the_active_one_has_no_card_left():
    batch = position(options={"num_players": 3}, hands=[[MONET + TOGETHER], [], [DEGAS, DEGAS]])
    play(batch, MONET + TOGETHER)
    assert phase_of(batch) == (2, "simultaneous")
    play(batch, DEGAS)
    assert phase_of(checked(batch)) == (2, "play")
    assert displays_of(batch) == [[0, 0, 1, 0, 0], [0] * 5, [0, 1, 0, 0, 0]]


def test_simultaneous_with_all_hands_empty_ends_the_round():
    batch = position(hands=[[MONET + TOGETHER], []], displays=[[], [RENOIR]])
    play(batch, MONET + TOGETHER)
    # The next round has been dealt, six cards each.
    assert batch.states[0]["round"] == 1
    assert phase_of(checked(batch)) == (1, "play"), "the active player has ended the round"


def together(ender):
    """Seat 1 plays the symbol; the cards of seats 2 and 0, not its own, bring two artists to the limit and past it."""
    return position(
        options={"num_players": 3, "simultaneous_ender": ender},
        hands=[[MONET, MONET, RENOIR], [DEGAS + TOGETHER, DEGAS, DEGAS], [RENOIR, RENOIR]],
        displays=[[MONET] * 5, [], [RENOIR] * 5],
        seat=1,
    )


@pytest.mark.parametrize(("ender", "seat"), [("active", 1), ("clockwise", 2)])
def test_who_ends_a_round_by_a_simultaneous_play(ender, seat):
    batch = together(ender)
    play(batch, DEGAS + TOGETHER, DEGAS, RENOIR)
    assert phase_of(batch) == (0, "simultaneous"), "the limit is tested when all are shown"
    play(batch, MONET)
    assert ender_of(checked(batch)) == seat
    assert phase_of(batch) == (seat, "extra")
    assert batch.states[0]["works"].tolist() == [0, 2, 6, 6, 1]
    while phase_of(batch)[1] == "extra":
        decline(batch)
    assert int(batch.states[0]["starter"]) == (seat + 1) % 3, "the player to the left starts the next round"


@pytest.mark.parametrize("ender", ["active", "clockwise"])
def test_clockwise_begins_with_the_active_player(ender):
    batch = position(
        options={"num_players": 3, "simultaneous_ender": ender},
        hands=[[MONET, DEGAS], [DEGAS + TOGETHER, MONET, DEGAS], [RENOIR, RENOIR]],
        displays=[[MONET] * 5, [], [RENOIR] * 5],
        seat=1,
    )
    play(batch, DEGAS + TOGETHER, MONET, RENOIR, MONET)
    assert ender_of(checked(batch)) == 1
    assert batch.states[0]["works"].tolist() == [0, 1, 7, 6, 1], "an artist may pass the limit"


def test_clockwise_takes_the_first_whose_artist_is_at_the_limit_whoever_brought_it_there():
    batch = position(
        options={"num_players": 4, "simultaneous_ender": "clockwise"},
        hands=[[MONET, MONET], [RENOIR], [MONET], [MONET + TOGETHER, VERMEER]],
        displays=[[MONET] * 3],
        seat=3,
    )
    play(batch, MONET + TOGETHER, VERMEER, MONET, RENOIR, MONET)
    assert batch.states[0]["works"].tolist() == [1, 0, 6, 1, 1]
    assert ender_of(checked(batch)) == 0, "the sixth Monet is that of seat 2, but seat 0 chose one as well"


def test_hands_that_run_out_in_a_simultaneous_play_end_the_round_by_the_active_player():
    for ender in ("active", "clockwise"):
        batch = position(
            options={"num_players": 3, "simultaneous_ender": ender},
            hands=[[MONET], [DEGAS + TOGETHER], [RENOIR]],
            seat=1,
        )
        play(batch, DEGAS + TOGETHER, RENOIR, MONET)
        assert batch.states[0]["round"] == 1
        assert int(batch.states[0]["starter"]) == 2, ender


# Award


def test_an_award_goes_to_any_artist_cannot_be_declined_and_stacks():
    batch = position(hands=[[MONET + AWARD, DEGAS + AWARD], [RENOIR]], awards=[0, 0, 0, 1, 0])
    # The tokens on Renoir stand for an award card that has left the game.
    play(batch, MONET + AWARD)
    assert phase_of(batch) == (0, "award")
    assert legal(batch) == AWARDS
    for action, reason in ((DECLINE, "only a second or an extra"), (DEGAS + AWARD, "an award token must be put on")):
        with pytest.raises(IllegalActionError, match=reason):
            batch.step([action])
    award(batch, 3)
    play(batch, RENOIR)
    play(batch, DEGAS + AWARD)
    award(batch, 3)
    assert batch.states[0]["awards"].tolist() == [0, 0, 0, 3, 0]


def test_the_last_card_in_all_hands_still_gives_its_award():
    batch = position(hands=[[MONET + AWARD], []], displays=[[], [RENOIR]])
    play(batch, MONET + AWARD)
    assert phase_of(batch) == (0, "award")
    award(batch, 2)
    state = checked(batch).states[0]
    # Renoir, Monet and Van Gogh (the extra card) had one work each: 3 for Monet, 2 for Renoir, 1 for Van Gogh.
    assert state["tokens"].tolist() == [0, 0, 3, 2, 1]
    assert totals_of(batch) == [3 + 2, 2], "the award counts in the same round"
    assert state["awards"].tolist() == [0, 0, 1, 0, 0], "and stays"
    assert state["round"] == 1


# --- The end of a round ----------------------------------------------------------------------------------------------


def test_a_round_ends_when_all_hands_are_empty_and_the_last_to_play_has_ended_it():
    batch = position(options={"num_players": 3}, hands=[[MONET], [], [RENOIR]], seat=2)
    play(batch, RENOIR)
    play(batch, MONET)
    assert batch.states[0]["round"] == 1
    assert phase_of(checked(batch)) == (1, "play"), "left of seat 0"


def test_worked_example_of_the_ranking():
    # Vermeer 3, Degas 1, Monet 3, Renoir 0, Van Gogh 6 on the table.
    batch = position(
        options={"num_players": 3},
        hands=[[VAN_GOGH, VERMEER], [RENOIR], [RENOIR]],
        displays=[[VERMEER] * 3, [MONET] * 3, [VAN_GOGH] * 4 + [DEGAS]],
    )
    play(batch, VAN_GOGH)
    assert batch.states[0]["works"].tolist() == [3, 1, 3, 0, 6]
    assert batch.states[0]["tokens"].tolist() == [2, 0, 1, 0, 3]
    decline(batch)
    assert totals_of(checked(batch)) == [3 * 2 + 3, 3 * 1, 4 * 3]


def test_worked_example_of_a_value():
    for first in (True, False):
        states = blank_states()
        # Tokens 3 and 1 of earlier rounds and one award lie on Monet.
        hand = MONET if first else VAN_GOGH
        displays = [[MONET] * 4, []] if first else [[MONET], [VAN_GOGH] * 3 + [VERMEER, VERMEER, DEGAS, DEGAS]]
        set_up(states[0], hands=[[hand], [RENOIR]], displays=displays, tokens=[0, 0, 4, 0, 0], awards=[0, 0, 1, 0, 0])
        advance(states, np.array([0]), np.array([hand]))
        assert states[0]["tokens"][2] == (7 if first else 4)
        ranked = {"Monet": 5 * (3 + 1 + 2 + 3)} if first else {"Van Gogh": 3}
        assert states[0]["totals"][0] == sum(ranked.values())


def test_works_of_artists_not_ranked_are_worth_nothing_whatever_their_tokens():
    batch = position(
        hands=[[MONET], [RENOIR]],
        displays=[[MONET] * 4 + [RENOIR], [VERMEER, VERMEER, DEGAS, DEGAS]],
        tokens=[0, 0, 0, 9, 0],
        awards=[0, 0, 0, 2, 0],
        round_number=3,
    )
    play(batch, MONET)
    assert totals_of(batch) == [15, 2 * 2 + 2 * 1]


def test_ties_go_to_the_lower_artist():
    batch = position(
        hands=[[MONET], []], displays=[[RENOIR, VERMEER], [VAN_GOGH, DEGAS]], extra_card=MONET, round_number=3
    )
    play(batch, MONET)
    assert totals_of(batch) == [2 + 3, 1], "Monet 2; then Vermeer, Degas, Renoir, Van Gogh with one each"


def test_an_artist_without_works_gets_no_token_unless_the_option_says_so():
    for option, tokens in ((False, [0, 0, 3, 0, 2]), (True, [1, 0, 3, 0, 2])):
        batch = position(
            options={"empty_artist_token": option}, hands=[[MONET], [RENOIR]], displays=[[MONET] * 4], totals=[10, 20]
        )
        play(batch, MONET)
        assert batch.states[0]["tokens"].tolist() == tokens
        assert totals_of(checked(batch)) == [10 + 15, 20]


def test_the_table_is_cleared_and_tokens_stay():
    batch = position(
        hands=[[MONET], [RENOIR]],
        displays=[[MONET] * 3 + [MONET + AWARD], [DEGAS]],
        face_down=[[], [RENOIR]],
        awards=[1, 0, 0, 0, 0],
    )
    play(batch, MONET)
    assert phase_of(batch) == (1, "extra"), "Renoir lay face down, so one may be added"
    decline(batch)
    state = checked(batch).states[0]
    assert listed(state["gone"]) == sorted([MONET] * 4 + [MONET + AWARD, DEGAS, RENOIR, VAN_GOGH])
    assert state["works"].sum() == 1, "the new extra card"
    assert displays_of(batch) == [[0] * 5] * 2
    assert state["tokens"].tolist() == [0, 2, 3, 1, 0]
    assert state["awards"].tolist() == [1, 0, 0, 0, 0]


# Extra cards


def extra_cards(rule, **parts):
    """Seat 0 ends the round with a Monet; it has one Degas on display, and seat 1 a Renoir and a Vermeer."""
    given = {
        "hands": [[MONET, MONET, MONET, DEGAS, DEGAS + DRAW, VAN_GOGH], [RENOIR, RENOIR, VERMEER + AWARD]],
        "displays": [[MONET] * 4 + [DEGAS], [RENOIR, VERMEER]],
        **parts,
    }
    batch = position(options={"extra_card": rule}, **given)
    play(batch, MONET)
    return batch


def test_one_more_card_of_each_artist_on_display_in_any_order():
    batch = extra_cards("same_artist")
    assert phase_of(batch) == (0, "extra")
    assert legal(batch) == [DEGAS, DEGAS + DRAW, MONET, DECLINE], "the extra card is on nobody's display"
    assert batch.describe(0, MONET) == {"kind": "extra", "artist": 2, "symbol": 0}
    with pytest.raises(IllegalActionError, match="no more cards by Van Gogh may be added"):
        batch.step([VAN_GOGH])
    tokens = batch.states[0]["tokens"].tolist()
    play(batch, MONET)
    assert legal(checked(batch)) == [DEGAS, DEGAS + DRAW, DECLINE], "one of each artist"
    deck_size = int(batch.states[0]["deck_size"])
    play(batch, DEGAS + DRAW)
    assert phase_of(checked(batch)) == (1, "extra"), "nothing more to add"
    assert batch.states[0]["deck_size"] == deck_size, "its symbol is ignored"
    assert hand_of(batch, 0) == [DEGAS, MONET, VAN_GOGH]
    assert batch.states[0]["tokens"].tolist() == tokens == [2, 1, 3, 0, 0], "the ranking does not change"
    assert totals_of(batch) == [6 * 3 + 2 * 1, 0], "the total is updated before the next player adds"
    assert legal(batch) == [VERMEER + AWARD, RENOIR, DECLINE], "also of an artist that is worth nothing"
    play(batch, RENOIR, VERMEER + AWARD)
    assert totals_of(batch) == [20, 2 * 2]
    assert batch.states[0]["round"] == 1
    assert batch.states[0]["awards"].sum() == 0


def test_as_many_cards_as_artists_on_display_of_whatever_artist():
    batch = extra_cards("any_artist")
    assert legal(batch) == [DEGAS, DEGAS + DRAW, MONET, VAN_GOGH, DECLINE]
    play(batch, MONET)
    assert legal(checked(batch)) == [DEGAS, DEGAS + DRAW, MONET, VAN_GOGH, DECLINE]
    play(batch, MONET)
    assert phase_of(checked(batch)) == (1, "extra"), "two artists were on display: two cards, several of one artist"
    assert totals_of(batch) == [7 * 3 + 1, 0]
    play(batch, RENOIR)
    play(batch, RENOIR)
    assert VERMEER + AWARD in hand_of(batch, 1)
    assert totals_of(batch) == [22, 2]


def test_an_artist_added_gives_no_further_card():
    batch = extra_cards("any_artist", displays=[[MONET] * 4, [RENOIR]])
    play(batch, VAN_GOGH)
    assert phase_of(checked(batch)) == (1, "extra"), "one artist was on display: one card"


@pytest.mark.parametrize("rule", ["same_artist", "any_artist"])
def test_declining_ends_adding(rule):
    batch = extra_cards(rule)
    play(batch, DEGAS)
    decline(batch)
    assert phase_of(checked(batch)) == (1, "extra")
    assert totals_of(batch) == [5 * 3 + 2 * 1, 0]


def test_adding_goes_clockwise_from_the_ender_and_passes_over_those_who_cannot():
    batch = position(
        options={"num_players": 4},
        hands=[[RENOIR, MONET], [VERMEER], [MONET, MONET, DEGAS], [RENOIR]],
        displays=[[RENOIR], [DEGAS], [MONET] * 5, [VERMEER, RENOIR]],
        seat=2,
    )
    play(batch, MONET)
    asked = []
    while phase_of(batch)[1] == "extra":
        asked.append(int(batch.seat[0]))
        decline(batch)
    assert asked == [2, 3, 0], "seat 1 has only a Degas on display, and none in hand"
    assert int(checked(batch).states[0]["starter"]) == 3


def test_any_artist_asks_nobody_without_a_display_or_a_hand():
    batch = position(
        options={"num_players": 4, "extra_card": "any_artist"},
        hands=[[MONET], [VERMEER], [DEGAS], [RENOIR]],
        displays=[[MONET] * 5],
        extra_card=VERMEER,
        seat=2,
    )
    play(batch, DEGAS)
    play(batch, RENOIR)
    play(batch, MONET)
    assert phase_of(checked(batch)) == (1, "play"), "seat 0, 2 and 3 have no card left, seat 1 no display"
    assert batch.states[0]["round"] == 1


# --- The next round and the end --------------------------------------------------------------------------------------


def test_a_starter_without_cards_is_skipped_but_has_started():
    batch = position(
        options={"num_players": 3},
        hands=[[RENOIR, DEGAS], [MONET], [VERMEER]],
        displays=[[], [MONET] * 5],
        seat=1,
        round_number=2,
    )
    batch.states[0]["hands"][2] = 0
    batch.states[0]["hand_sizes"][2] = 0
    batch.states[0]["gone"][VERMEER] += 1
    play(batch, MONET)
    assert batch.states[0]["round"] == 3
    assert phase_of(checked(batch)) == (0, "play"), "nothing is dealt in round 4 of three players"
    assert int(batch.states[0]["starter"]) == 2


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("empty_artist_token", [False, True])
def test_a_round_that_begins_with_empty_hands_ends_at_once(players, empty_artist_token):
    batch = position(
        options={"num_players": players, "empty_artist_token": empty_artist_token},
        hands=[[MONET]] + [[]] * (players - 1),
        displays=[[DEGAS], [RENOIR]],
        extra_card=DEGAS,
        deck=[VAN_GOGH + TOGETHER, VERMEER],
        round_number=2,
    )
    play(batch, MONET)
    state = checked(batch).states[0]
    assert phase_of(batch) == (-1, "over")
    assert state["round"] == 3
    assert state["deck_size"] == 1, "the extra card of round 4 has been turned"
    assert state["gone"][VAN_GOGH + TOGETHER] == 1
    # Round 3: Degas 3, Monet 2, Renoir 1. Round 4: Van Gogh 3; with the option also Vermeer 2 and Degas 1.
    assert state["tokens"].tolist() == ([2, 4, 2, 1, 3] if empty_artist_token else [0, 3, 2, 1, 3])
    assert totals_of(batch)[:2] == [3 + 2, 1]
    assert (int(state["starter"]), int(state["active"])) == (1, 1), "who would have started has ended the round"


def test_the_highest_total_wins_after_round_four():
    batch = position(
        options={"num_players": 3},
        hands=[[MONET], [RENOIR], [RENOIR]],
        displays=[[MONET] * 5],
        totals=[3, 20, 22],
        round_number=3,
    )
    result = batch.step([MONET])
    assert phase_of(checked(batch)) == (-1, "over")
    assert totals_of(batch) == [21, 20, 22]
    assert batch.winners(0) == [2]
    assert result.terminated.tolist() == [True]
    assert result.truncated.tolist() == [False]
    assert not batch.action_mask.any()
    assert result.rewards[0].tolist() == [-0.5, -0.5, 1.0]


@pytest.mark.parametrize(
    ("reward", "expected"),
    [("outcome", [0.25, 0.25, -0.5]), ("margin", [9 / 50, 9 / 50, -18 / 50]), ("score", [18, 0, 0])],
)
def test_a_shared_win(reward, expected):
    batch = position(
        options={"num_players": 3, "reward": reward},
        hands=[[MONET], [RENOIR], [RENOIR]],
        displays=[[MONET] * 5],
        totals=[4, 22, 4],
        round_number=3,
    )
    rewards = batch.step([MONET]).rewards
    assert totals_of(batch) == [22, 22, 4]
    assert batch.winners(0) == [0, 1]
    assert rewards[0].tolist() == pytest.approx(expected)


def test_the_score_reward_comes_when_a_display_is_scored():
    batch = position(
        options={"reward": "score"},
        hands=[[MONET, RENOIR], [MONET, RENOIR]],
        displays=[[MONET] * 4, [VERMEER, RENOIR]],
    )
    assert batch.step([MONET]).rewards[0].tolist() == [15, 0]
    assert phase_of(batch) == (1, "extra")
    # Renoir and Vermeer have one work each: the lower one is second.
    assert batch.step([RENOIR]).rewards[0].tolist() == [0, 2 + 2 * 1]


# --- What a player who looks one move ahead counts -------------------------------------------------------------------


def test_standings_count_the_own_display_as_if_the_round_ended_now():
    batch = position(
        hands=[[MONET], [RENOIR]],
        displays=[[MONET, MONET], [DEGAS]],
        face_down=[[DEGAS], []],
        tokens=[0, 0, 4, 0, 0],
        awards=[0, 1, 0, 0, 0],
        totals=[10, 20],
        round_number=2,
    )
    # Degas 2 and Monet 2: Degas 3 + 2, Monet 2 + 4; Van Gogh has the extra card.
    assert batch.standings()[0].tolist() == [10 + 2 * 6 + 5, 20 + 5]


def test_standings_count_no_display_twice():
    batch = extra_cards("same_artist")
    before = batch.standings()[0].tolist()
    assert before == [5 * 3 + 1, 2]
    decline(batch)
    assert phase_of(batch) == (1, "extra")
    assert batch.standings()[0].tolist() == before, "seat 0's display is in its total now"
    decline(batch)
    assert batch.standings()[0].tolist() == before


def test_standings_at_the_end_are_the_totals():
    env = masters_v0.raw_env(num_players=4)
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    while actions := env.legal_actions():
        env.step(int(rng.choice(actions)))
    assert env.table.standings()[0].tolist() == env.table.scores()[0].tolist()


# --- Actions in words ------------------------------------------------------------------------------------------------


def test_actions_are_numbered_as_the_rules_say():
    moves = masters_v0.GAME.moves
    batch = position(hands=[[MONET + DOWN, MONET], [RENOIR]])
    for artist in range(5):
        for symbol in range(6):
            words = {"kind": "play", "artist": artist, "symbol": symbol}
            assert batch.describe(0, artist * 6 + symbol) == words
            assert moves.encode(batch.states[0], words) == artist * 6 + symbol
    for action in (-1, 30, 35, 36):
        assert batch.describe(0, action) == {"kind": "none", "action": action}
    play(batch, MONET + DOWN)
    assert batch.describe(0, 35) == {"kind": "decline"}
    assert batch.describe(0, MONET)["kind"] == "second_down"


def test_words_that_mean_nothing_now_are_refused():
    batch = position(hands=[[MONET, DEGAS], [RENOIR]])
    for words in ({"kind": "award", "artist": 0}, {"kind": "decline"}, {"kind": "none", "action": 30}, {}):
        with pytest.raises(IllegalActionError, match="means no action now"):
            masters_v0.GAME.moves.encode(batch.states[0], words)


def test_legal_actions_equal_the_mask():
    batch = extra_cards("same_artist")
    found = [action for action in range(-2, 40) if rules.is_legal(batch.states[0], action)]
    assert found == legal(batch)
