"""Protects what a seat sees: all that the rules let it know, own seat first, and nothing hidden.

What a seat knows is told a second time, by the second implementation of the rules, and held against what can be read
off the observation at every step of random games; single features stand on positions laid out by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from masters_env import masters_v0
from masters_env.observation import features, knowledge, read_observation, state_features
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
    play,
    position,
)
from tests.masters_env.second_rules import SecondMasters, works_by_artist

OPTIONS = [
    {"num_players": 2, "extra_card": "any_artist"},
    {"num_players": 3},
    {"num_players": 4, "extra_card": "any_artist", "empty_artist_token": True},
    {"num_players": 5, "simultaneous_ender": "clockwise"},
]


def seen(batch, seat=0):
    observation = batch.observe(seat)[0]
    return {name: feature.of(observation) for name, feature in batch.observation_features.items()}


def by_type(cards: list[int]) -> list[int]:
    return [cards.count(card) for card in range(30)]


def told_by_the_rules(second: SecondMasters, seat: int) -> dict[str, Any]:
    """*What a player knows*."""
    seats = second.clockwise_from(seat)
    question = second.question
    extra = second.options["extra_card"]
    return {
        "hand": by_type(second.hands[seat]),
        "own_face_down": by_type(second.face_down[seat]),
        "own_choice": second.chosen.get(seat),
        "displays": [works_by_artist(second.displays[other]) for other in seats],
        "face_down_counts": [len(second.face_down[other]) for other in seats],
        "has_chosen": [other in second.chosen for other in seats],
        "on_table": by_type(second.extra + sum(second.displays, [])),
        "gone": by_type(second.left_the_game),
        "extra_card": second.extra[0] if second.extra else None,
        "works": second.works(),
        "tokens": [sum(tokens) for tokens in second.tokens],
        "awards": second.awards,
        "scoring": [int(artist in second.ranked) for artist in range(5)],
        "may_add": [int(artist in second.may_add and extra == "same_artist") for artist in range(5)],
        "may_add_any": len(second.may_add) if extra == "any_artist" else 0,
        "played_artist": second.symbol_of,
        "phase": question.kind if question else "over",
        "round": second.round,
        "to_move": seats.index(question.seat) if question else None,
        "active": seats.index(second.active),
        "starter": seats.index(second.starter),
        "hand_sizes": [len(second.hands[other]) for other in seats],
        "totals": [second.totals[other] for other in seats],
        "deck_size": len(second.deck),
    }


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: str(options["num_players"]))
def test_an_observation_tells_what_the_rules_let_a_seat_know_and_no_more(options):
    env = masters_v0.raw_env(**options)
    phases = set()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        second = SecondMasters(env.options.as_record(), env.record()["setup"])
        while True:
            for seat in range(second.players):
                observation = env.observe(f"player_{seat}")["observation"]
                told = told_by_the_rules(second, seat)
                assert read_observation(observation, second.players) == told
                assert knowledge(env.table.states[0], seat) == told
                phases.add(told["phase"])
            legal = env.legal_actions()
            if not legal:
                break
            action = int(rng.choice(legal))
            env.step(action)
            second.play(action)
    assert len(phases) == 7


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_features_cover_every_column_once(players):
    for table in (features(players), state_features(players)):
        columns = [column for feature in table.values() for column in range(table.size)[feature.slice]]
        assert columns == list(range(table.size))
        assert all(feature.meaning for feature in table.values())
    env = masters_v0.raw_env(num_players=players)
    assert env.observation_space("player_0")["observation"].shape == (features(players).size,)
    assert env.state_space.shape == (state_features(players).size,)


def test_hands_displays_and_tokens_are_seen_from_the_own_seat():
    batch = position(
        options={"num_players": 3},
        hands=[[MONET, MONET, DEGAS + UP], [RENOIR], [VERMEER] * 4],
        displays=[[MONET], [RENOIR + AWARD, RENOIR], []],
        face_down=[[], [VAN_GOGH + DOWN], []],
        extra_card=VERMEER + DRAW,
        seat=1,
        tokens=[0, 5, 1, 0, 0],
        awards=[0, 0, 0, 1, 0],
        totals=[3, 200, 40],
        round_number=1,
    )
    first, second = seen(batch, 0), seen(batch, 1)
    assert np.flatnonzero(first["hand"]).tolist() == [DEGAS + UP, MONET]
    assert first["hand"][MONET] == 2
    assert first["displays"].tolist() == [[0, 0, 1, 0, 0], [0, 0, 0, 2, 0], [0] * 5]
    assert second["displays"].tolist() == [[0, 0, 0, 2, 0], [0] * 5, [0, 0, 1, 0, 0]]
    assert first["face_down_counts"].tolist() == [0, 1, 0]
    assert not first["own_face_down"].any()
    assert np.flatnonzero(second["own_face_down"]).tolist() == [VAN_GOGH + DOWN]
    assert np.flatnonzero(first["on_table"]).tolist() == [VERMEER + DRAW, MONET, RENOIR, RENOIR + AWARD]
    assert np.flatnonzero(first["extra_card"]).tolist() == [VERMEER + DRAW]
    assert first["works"].tolist() == [1, 0, 1, 2, 0], "the face-down Van Gogh is not counted"
    assert first["tokens"].tolist() == [0, 5, 1, 0, 0]
    assert first["awards"].tolist() == [0, 0, 0, 1, 0]
    assert first["hand_sizes"].tolist() == [3, 1, 4]
    assert second["hand_sizes"].tolist() == [1, 4, 3]
    assert first["to_move"].tolist() == [0, 1, 0]
    assert second["to_move"].tolist() == [1, 0, 0]
    assert first["round"].tolist() == [0, 1, 0, 0]
    assert [sum(int(bit) << place for place, bit in enumerate(bits)) for bits in second["totals"]] == [200, 40, 3]
    deck = int(batch.states[0]["deck_size"])
    assert sum(int(bit) << place for place, bit in enumerate(first["deck_size"])) == deck == 95 - 13


def test_a_choice_shows_to_nobody_else_before_the_reveal_and_to_everybody_after():
    options = {"num_players": 3}
    hands = [[MONET + TOGETHER, DEGAS], [RENOIR, VERMEER], [RENOIR]]
    one, other = (position(options=options, hands=hands) for _ in range(2))
    for batch, choice in ((one, RENOIR), (other, VERMEER)):
        play(batch, MONET + TOGETHER, DEGAS, choice)
    for seat in (0, 2):
        assert np.array_equal(one.observe(seat), other.observe(seat)), "which card seat 1 chose does not show"
        assert np.array_equal(one.action_mask, other.action_mask)
        assert not seen(one, seat)["works"][[1, 3]].any()
    assert seen(one, 2)["has_chosen"].tolist() == [0, 1, 1]
    assert seen(one, 2)["hand_sizes"].tolist() == [1, 0, 1]
    assert np.flatnonzero(seen(one, 1)["own_choice"]).tolist() == [RENOIR]
    assert not seen(one, 2)["own_choice"].any()
    for batch in (one, other):
        play(batch, RENOIR)
    assert not any(seen(one, seat)["has_chosen"].any() or seen(one, seat)["own_choice"].any() for seat in range(3))
    assert seen(one, 0)["displays"].tolist() == [[0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0]]
    assert seen(other, 0)["displays"].tolist() == [[0, 1, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0]]


def test_a_face_down_card_shows_to_nobody_else_before_the_round_is_scored():
    hands = [[MONET + DOWN, DEGAS, VERMEER], [MONET, MONET]]
    one, other = (position(hands=hands, displays=[[MONET] * 3]) for _ in range(2))
    for batch, card in ((one, DEGAS), (other, VERMEER)):
        play(batch, MONET + DOWN, card)
    assert np.array_equal(one.observe(1), other.observe(1))
    assert not np.array_equal(one.observe(0), other.observe(0)), "its owner knows it"
    for batch in (one, other):
        play(batch, MONET)
    assert seen(one, 1)["displays"].tolist()[1] == [0, 1, 4, 0, 0]
    assert seen(other, 1)["displays"].tolist()[1] == [1, 0, 4, 0, 0]


def test_a_drawn_card_shows_to_its_owner_alone():
    one, other = (position(hands=[[MONET + DRAW], [RENOIR]], deck=deck) for deck in ([DEGAS, VERMEER, RENOIR],) * 2)
    one.states[0]["deck"][-3:] = [VERMEER, RENOIR, DEGAS]
    for batch in (one, other):
        play(batch, MONET + DRAW)
    assert np.array_equal(one.observe(1), other.observe(1))
    assert not np.array_equal(one.observe(0), other.observe(0))


def test_what_is_being_decided_shows():
    batch = position(hands=[[MONET + UP, MONET, DEGAS + AWARD], [RENOIR, RENOIR]], displays=[[DEGAS]])
    play(batch, MONET + UP)
    assert seen(batch, 1)["played_artist"].tolist() == [0, 0, 1, 0, 0]
    assert seen(batch, 1)["phase"].tolist() == [0, 1, 0, 0, 0, 0, 0]
    play(batch, MONET, RENOIR, DEGAS + AWARD)
    assert seen(batch, 1)["phase"].tolist() == [0, 0, 0, 0, 1, 0, 0]
    award(batch, 1)
    assert seen(batch, 1)["awards"].tolist() == [0, 1, 0, 0, 0]


@pytest.mark.parametrize(("rule", "places"), [("same_artist", [0, 1, 1, 0, 0]), ("any_artist", [1, 1, 0, 0, 0])])
def test_which_extra_cards_may_be_added_shows(rule, places):
    batch = position(
        options={"extra_card": rule}, hands=[[MONET, MONET, DEGAS], [RENOIR]], displays=[[MONET] * 4 + [DEGAS]]
    )
    play(batch, MONET)
    for seat in (0, 1):
        shown, empty = ("may_add", "may_add_any") if rule == "same_artist" else ("may_add_any", "may_add")
        assert seen(batch, seat)[shown].tolist() == places
        assert not seen(batch, seat)[empty].any()
        assert seen(batch, seat)["scoring"].tolist() == [0, 1, 1, 0, 1], "Degas, Monet and the extra card's Van Gogh"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_seat_sees_what_another_would_in_its_place(players):
    """Turn the whole table by one seat: every observation moves with it."""
    hands = [[MONET] * (seat + 1) for seat in range(players)][:3] + [[RENOIR], [DEGAS]][: max(players - 3, 0)]
    displays = [[VERMEER], [DEGAS, DEGAS], [RENOIR + AWARD], [], [VAN_GOGH]][:players]
    face_down = [[], [RENOIR + DOWN]] + [[]] * (players - 2)
    totals = list(range(players))
    parts = {"hands": hands, "displays": displays, "face_down": face_down, "totals": totals}
    table = position(options={"num_players": players}, seat=1, **parts)
    turned = {name: rows[1:] + rows[:1] for name, rows in parts.items()}
    turned_table = position(options={"num_players": players}, seat=0, **turned)
    for seat in range(players):
        assert np.array_equal(table.observe((seat + 1) % players), turned_table.observe(seat))


def test_the_state_shows_every_hand_face_down_card_choice_and_the_deck_in_order():
    batch = position(
        options={"num_players": 3},
        hands=[[MONET], [DEGAS, DEGAS], [RENOIR]],
        face_down=[[], [VAN_GOGH], [VERMEER]],
        chosen={1: RENOIR + UP},
        deck=[MONET + AWARD, VERMEER, VAN_GOGH + AWARD],
        phase="simultaneous",
        active=1,
        seat=2,
    )
    shown = {name: feature.of(batch.perfect_information()[0]) for name, feature in batch.state_features.items()}
    assert shown["hand_of_seat_1"].tolist() == by_type([DEGAS, DEGAS])
    assert shown["hand_of_seat_2"].tolist() == by_type([RENOIR])
    assert shown["face_down_of_seat_1"].tolist() == by_type([VAN_GOGH])
    assert shown["face_down_of_seat_2"].tolist() == by_type([VERMEER])
    assert shown["choice_of_seat_1"].tolist() == by_type([RENOIR + UP])
    assert not shown["choice_of_seat_2"].any()
    assert shown["hand"].tolist() == by_type([MONET]), "seat 0's own observation"
    deck = [sum(int(bit) << place for place, bit in enumerate(bits)) - 1 for bits in shown["deck"]]
    assert deck == [MONET + AWARD, VERMEER, VAN_GOGH + AWARD] + [-1] * 53


def test_counts_stay_within_the_space():
    """The greatest counts that the components allow."""
    many = position(options={"num_players": 5}, hands=[[VAN_GOGH] * 14, [], [], [], []])
    space = many.single_observation_space
    assert many.observe(0)[0] in space
    assert seen(many)["hand"][VAN_GOGH] == 14
    rich = position(hands=[[MONET], []], tokens=[12, 12, 12, 12, 12], awards=[5, 5, 5, 5, 5], totals=[2047, 0])
    assert rich.observe(1)[0] in rich.single_observation_space
    assert read_observation(rich.observe(1)[0], 2)["totals"] == [0, 2047]
