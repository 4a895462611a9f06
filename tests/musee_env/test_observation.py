"""Protects what a seat sees: every feature of the table means what it says, own seat first, and nothing hidden shows.

That an observation is complete and leaks nothing is the conformance kit's to check; here stand the single features, on
positions laid out by hand, and that an observation looks the same from every seat.
"""

from __future__ import annotations

import numpy as np
import pytest

from musee_env import musee_v0
from musee_env.observation import features, knowledge, state_features
from tests.musee_env.positions import place as place_card
from tests.musee_env.positions import position, say


def seen(batch, seat=0):
    observation = batch.observe(seat)[0]
    return {name: feature.of(observation) for name, feature in batch.observation_features.items()}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_features_cover_every_column_once(players):
    for table in (features(players), state_features(players)):
        columns = [column for feature in table.values() for column in range(table.size)[feature.slice]]
        assert columns == list(range(table.size))
        assert all(feature.meaning for feature in table.values())
    env = musee_v0.raw_env(num_players=players)
    assert env.observation_space("player_0")["observation"].shape == (features(players).size,)
    assert env.state_space.shape == (state_features(players).size,)


def test_a_museum_is_seen_with_themes_and_numbers():
    batch = position(museums=[[[0, 13, 0, 28, 0, 0], [0] * 6, [50, 0, 0, 0, 0, 0]]], hands=[[1], [2]], deck=[3])
    own, next_one = seen(batch, 0), seen(batch, 1)
    assert np.argwhere(own["museum_0_themes"]).tolist() == [[0, 1, 3], [0, 3, 3], [2, 0, 0]]
    assert np.argwhere(own["museum_0_paintings"]).tolist() == [[0, 12], [0, 27], [2, 49]]
    assert not own["museum_1_paintings"].any()
    assert np.array_equal(next_one["museum_1_paintings"], own["museum_0_paintings"]), "own museum first"
    assert own["museum_0_score"].tolist() == [1, 1, 0, 0, 0, 0, 0]


def test_bonus_cards_scores_and_games_won():
    full = [[1, 2, 3, 4, 5, 6], [0] * 6, [0] * 6]
    batch = position(options={"games_to_win": 3}, museums=[full], hands=[[11], [12]], deck=[13])
    batch.states[0]["games_won"][:2] = [1, 2]
    own, rival = seen(batch, 0), seen(batch, 1)
    assert own["museum_0_bonus_cards"].tolist() == [1, 0, 0]
    assert rival["museum_1_bonus_cards"].tolist() == [1, 0, 0]
    assert own["museum_0_score"].tolist() == [0, 1, 0, 1, 0, 0, 0], "six paintings and a bonus card: 10"
    assert own["side_0_games_won"].tolist() == [1, 0, 0, 0, 0]
    assert own["side_1_games_won"].tolist() == [1, 1, 0, 0, 0]
    assert own["games_to_win"].tolist() == [1, 1, 1, 0, 0]


def test_hand_sizes_out_and_turn_are_told_from_the_own_seat():
    batch = position(
        options={"num_players": 3}, hands=[[7, 30], [8], [9, 10, 11]], deck=list(range(20, 57)), seat=1, out=[2]
    )
    last = seen(batch, 2)
    assert np.argwhere(last["hand"]).tolist() == [[0, 8], [1, 9], [2, 10]]
    assert last["hand_sizes"].sum(axis=1).tolist() == [3, 2, 1]
    assert last["out"].tolist() == [1, 0, 0]
    assert last["to_move"].tolist() == [0, 0, 1]
    assert last["deck_size"].tolist() == [1, 0, 1, 0, 0, 1], "37 cards"


def test_the_last_card_is_seen_by_all_but_for_its_number():
    batch = position(options={"num_players": 4}, hands=[[1, 20], [2, 21], [3, 22], [4, 23]], deck=[40, 41], out=[2])
    place_card(batch, 1, 0, 0)
    assert [seen(batch, seat)["last_card_decision"].item() for seat in range(4)] == [1] * 4
    say(batch, "give")
    rival, partner = seen(batch, 1), seen(batch, 2)
    assert rival["last_card_decision"].item() == 0
    assert rival["last_card_taken"].tolist() == [0, 1]
    assert rival["given_when_out"].tolist() == [0, 1, 0, 0]
    assert rival["hand_sizes"].sum(axis=1).tolist() == [2, 3, 2, 1]
    assert np.argwhere(partner["hand"])[:, 1].tolist() == [2, 21, 39]
    assert not any(seen(batch, seat)["hand"][:, 39].any() for seat in (0, 1, 3)), "given unseen"


def test_partners_do_not_see_each_others_hands():
    env = musee_v0.raw_env(num_players=4)
    env.reset(seed=1)
    state = env.table.states[0]
    for seat in range(4):
        held = {int(card) for card in state["hands"][seat][:5]}
        hand = env.observation_features["hand"].of(env.observe(f"player_{seat}")["observation"])
        assert {int(number) + 1 for number in np.argwhere(hand)[:, 1]} == held
        assert not held & {card for other in range(4) if other != seat for card in state["hands"][other][:5].tolist()}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_seat_sees_what_another_would_in_its_place(players):
    """Turn the whole table by one side: every observation moves with it."""
    options = {"num_players": players}
    columns = 5 if players == 3 else 6
    sides = 2 if players == 4 else players
    museums = [[[10 * side + 1] + [0] * (columns - 1), [0] * columns, [0] * columns] for side in range(sides)]
    hands = [[10 * seat + 5, 10 * seat + 7] for seat in range(players)]
    table = position(options=options, museums=museums, hands=hands, deck=[46, 48], seat=1, out=[0])
    turned = position(
        options=options,
        museums=museums[1:] + museums[:1],
        hands=hands[1:] + hands[:1],
        deck=[46, 48],
        seat=0,
        out=[players - 1],
    )
    for seat in range(players):
        assert np.array_equal(table.observe((seat + 1) % players), turned.observe(seat))


def test_the_state_shows_every_hand_and_the_deck_in_order():
    env = musee_v0.raw_env(num_players=3)
    env.reset(seed=4)
    env.step(env.legal_actions()[5])
    features_of_state = {name: feature.of(env.state()) for name, feature in env.state_features.items()}
    state = env.table.states[0]
    for seat in (1, 2):
        assert (np.flatnonzero(features_of_state[f"hand_of_seat_{seat}"]) + 1).tolist() == state["hands"][seat][
            :5
        ].tolist()
    deck = [sum(int(bit) << place for place, bit in enumerate(bits)) for bits in features_of_state["deck"]]
    first = int(state["deck_next"])
    assert deck == state["deck"][first : first + 44].tolist() + [0]


def test_knowledge_is_plain_and_own_seat_comes_first():
    batch = position(hands=[[7, 30], [8]], deck=[9], seat=1)
    known = knowledge(batch.states[0], 1)
    assert known["hand"] == [8]
    assert known["hand_sizes"] == [1, 2]
    assert known["to_move"] == 0


def test_a_finished_game_is_seen_by_every_seat():
    env = musee_v0.raw_env(num_players=3)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    while env.legal_actions():
        env.step(int(rng.choice(env.legal_actions())))
    for agent in env.agents:
        observation = env.observe(agent)["observation"]
        assert not env.observation_features["to_move"].of(observation).any()
        assert env.observation_features["out"].of(observation).all()
