"""Protects what a seat sees: all that it knows and nothing else, own seat first, each feature as the table says.

What a seat knows is put together from the second implementation of the rules and held against what is read back from
the observation alone, in random games with every card file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pictura_env import pictura_v0
from pictura_env.observation import features, knowledge, read_observation, state_features
from pictura_env.state import FINAL_MENU, NOTHING
from tests.pictura_env.card_files import FILES, written
from tests.pictura_env.positions import hand_of, painting, play, position
from tests.pictura_env.second_rules import Question, SecondPictura, Shuffle

PHASE_OF_MOVE = {
    "keep_trend": "keep_trend",
    "trade_take": "trade_take",
    "trade_give": "trade_give",
    "place": "place",
    "pay": "pay",
    "put_down": "put_down",
    "reward_space": "reward_space",
    "take_favor": "take_favor",
    "replace_patrons": "replace_patrons",
    "recover": "recover",
    "discard": "discard",
    "discard_favor": "discard_favor",
}


def seen(batch, seat=0):
    observation = batch.observe(seat)[0]
    return {name: feature.of(observation) for name, feature in batch.observation_features.items()}


def bits(columns):
    return sum(int(bit) << place for place, bit in enumerate(columns))


# --- Completeness, by the second implementation ----------------------------------------------------------------------


def phase_of(second: SecondPictura) -> str:
    """The phase by what is asked."""
    waiting = second.waiting
    assert isinstance(waiting, Question)
    kinds = {words["kind"] for words in waiting.answers.values()}
    if kinds <= {"pick_up", "done"} and second.ended == "terminated":
        return "final_menu"
    found = {PHASE_OF_MOVE[kind] for kind in kinds if kind in PHASE_OF_MOVE}
    assert len(found) <= 1
    if found == {"put_down"} and second.ended == "terminated":
        return "final_put_down"
    return found.pop() if found else "menu"


def what_is_known(second: SecondPictura, seat: int) -> dict[str, Any]:
    """What a seat knows by the rules text, as far as it lies on the table or in its hands."""
    order = second.in_order(seat)

    def turn_of(other: int | None) -> int | None:
        return None if other is None else order.index(other)

    assert isinstance(second.waiting, Question)
    counts = [0] * 24
    for favor, count in second.favors[seat].items():
        counts[favor] = count
    used = [0] * 24
    for favor, count in second.used_favors.items():
        used[favor] = count
    deck_sizes = [len(second.painting_deck), len(second.trend_deck), len(second.favor_deck), len(second.patron_deck)]
    if None in second.secret:
        deck_sizes[1] = len(second.undealt_trends)
    museums = [[second.museums[other].get(slot) for slot in range(25)] for other in order]
    return {
        "hand": sorted(second.hands[seat]),
        "museums": [sorted(paintings) for paintings in second.international],
        "discards": [sorted(second.discards[other]) for other in order],
        "slots": museums,
        "on_the_way": second.on_the_way,
        "public_trend": second.public_trend,
        "museum_trends": second.museum_trends,
        "used_trends": sorted(second.used_trends),
        "secret_trends": [second.secret[seat], *(None for _ in order[1:])],
        "dealt_trends": second.dealt[seat],
        "favors": counts,
        "favors_held": [second.favors[other].total() for other in order],
        "used_favors": used,
        "shown_patrons": second.shown,
        "claimed_patrons": [sorted(second.claimed[other]) for other in order],
        "replaced_patrons": sorted(second.replaced),
        "tokens_left": [len(tokens) for tokens in second.tokens],
        "kinds_shown": [sorted(second.shows[other]) for other in order],
        "spaces": [[second.spaces[other].get(space) for space in range(6)] for other in order],
        "exhibitions": [len(second.shows[other]) for other in order],
        "prestige": [second.prestige[other] for other in order],
        "markers": [second.markers[other] for other in order],
        "hand_sizes": [len(second.hands[other]) for other in order],
        "deck_sizes": deck_sizes,
        "to_move": turn_of(second.waiting.seat),
        "active": turn_of(second.active),
        "first_seat": turn_of(second.first),
        "end_token": turn_of(second.end_token),
        "phase": phase_of(second),
        "moves_made": second.moves,
        "round": second.round,
    }


GAMES = [
    {"num_players": 2},
    {"num_players": 3, "cards": "short"},
    {"num_players": 4, "cards": "many"},
    {"num_players": 2, "cards": "long", "max_rounds": 24, "rearrange_limit": 2, "exhibits_per_action": 2},
]


@pytest.mark.parametrize("options", GAMES, ids=lambda options: "-".join(map(str, options.values())))
def test_what_is_read_back_is_what_the_second_implementation_knows(options, tmp_path):
    if "cards" in options:
        options = {**options, "cards": written(tmp_path / "cards.toml", FILES[options["cards"]])}
    env = pictura_v0.raw_env(**options)
    env.reset(seed=3)
    record = env.record()
    second = SecondPictura(record["options"], record["setup"])
    rng = np.random.default_rng(3)
    phases = set()
    players = second.players
    for step in range(2500):
        if second.waiting is None:
            break
        state = env.table.states[0]
        phases.add(phase_of(second))
        if step % 4 == 0:
            for seat in range(players):
                read = read_observation(env.table.observe(seat)[0], players)
                known = what_is_known(second, seat)
                assert {name: read[name] for name in known} == known
                assert read == knowledge(state, seat)
                assert read["hand_sizes"][0] == len(read["hand"])
        if second.on_the_way is not None:
            read = read_observation(env.table.observe(0)[0], players)
            assert (read["from_museum"] is None) != (read["from_seat"] is None)
        legal = env.legal_actions()
        busy = [action for action in legal if not 180 <= action < 205]
        action = int(rng.choice(busy or legal)) if rng.random() < 0.8 else int(rng.choice(legal))
        env.step(action)
        second.send(action)
        while isinstance(second.waiting, Shuffle):
            stem = second.waiting.deck.removesuffix("_deck")
            count = int(state[f"{stem}_next"]) + int(state[f"{stem}_left"])
            second.send(state[second.waiting.deck][:count].tolist())
    assert phases >= {"keep_trend", "trade_take", "trade_give", "menu", "place", "pay", "put_down", "take_favor"}


# --- Single features -------------------------------------------------------------------------------------------------


def test_the_layout_is_the_same_for_every_number_of_players():
    assert list(features(2).values()) == list(features(4).values())
    for table in (features(3), state_features(3)):
        columns = [column for feature in table.values() for column in range(table.size)[feature.slice]]
        assert columns == list(range(table.size))
        assert all(feature.meaning for feature in table.values())
    env = pictura_v0.raw_env(num_players=3)
    assert env.observation_space("player_0")["observation"].shape == (features(3).size,)
    assert env.state_space.shape == (state_features(3).size,)


def test_every_feature_is_a_bit_unless_the_table_says_otherwise():
    highest = {name: feature.high for name, feature in features(2).items() if feature.high != 1}
    assert highest == {"favors": 24, "favors_held": 24, "used_favors": 24, "exhibitions": 6}


def test_seats_that_are_not_in_play_are_zero():
    batch = position(hands=[[1], [2]], discards=[[3], [4]], museums=[{0: 10}, {1: 11}])
    shown = seen(batch)
    for name in ("discards", "slots", "favors_held", "claimed_patrons", "kinds_shown", "spaces", "exhibitions",
                 "prestige", "markers", "hand_sizes", "in_play", "to_move", "active", "first_seat"):  # fmt: skip
        assert not shown[name][2:].any(), name
    assert shown["in_play"].tolist() == [1, 1, 0, 0]


def test_paintings_on_the_table_are_seen_by_all_and_hands_by_their_owner():
    batch = position(hands=[[1, 2], [3]], discards=[[4], [5, 6]], museums=[{0: painting(7, 3)}, {24: 11}])
    own, other = seen(batch, 0), seen(batch, 1)
    assert np.flatnonzero(own["hand"]).tolist() == [1, 2]
    assert np.flatnonzero(other["hand"]).tolist() == [3]
    assert [np.flatnonzero(pile).tolist() for pile in own["discards"][:2]] == [[4], [5, 6]]
    assert [np.flatnonzero(pile).tolist() for pile in other["discards"][:2]] == [[5, 6], [4]]
    assert bits(own["slots"][0, 0]) == painting(7, 3) + 1
    assert bits(own["slots"][1, 24]) == bits(other["slots"][0, 24]) == 12
    assert np.flatnonzero(own["own_kinds"][0]).tolist() == [1, 5 + 3], "Baroque, landscape"
    assert [bits(size) for size in own["hand_sizes"][:2]] == [2, 1]
    assert [np.flatnonzero(row).size for row in own["museums"]] == [4, 4, 4, 4]


def test_cards_on_their_way_are_public():
    batch = position(hands=[[1, 2], [3]], discards=[[], [5]])
    play(batch, "exhibit", painting=5, **{"from": 1})
    for seat, owner in ((0, 1), (1, 0)):
        shown = seen(batch, seat)
        assert np.flatnonzero(shown["on_the_way"]).tolist() == [5]
        assert np.flatnonzero(shown["from_seat"]).tolist() == [owner]
        assert not shown["from_museum"].any()
        assert not shown["discards"].any()
    play(batch, "place", slot=7)
    assert np.flatnonzero(seen(batch, 1)["chosen_slot"]).tolist() == [7]
    assert not seen(batch, 1)["slots"].any()


def test_a_token_on_its_way_is_public():
    museum = {slot: painting(slot, 3) for slot in range(5)}
    batch = position(museums=[museum], spaces=[{2: 0}])
    play(batch, "open_exhibition", of="domain", index=3)
    shown = seen(batch, 1)
    assert np.flatnonzero(shown["token_kind"]).tolist() == [8]
    assert not shown["on_the_way"].any()
    assert shown["tokens_left"][8].tolist() == [1, 0]
    assert shown["exhibitions"].tolist() == [0, 2, 0, 0]
    assert [bits(kind) for kind in shown["spaces"][1]] == [0, 0, 1, 0, 0, 0]


def test_own_favors_by_type_and_others_by_number():
    batch = position(favors=[[0, 0, 3], [5]], used_favors=[1, 1, 1])
    own, other = seen(batch, 0), seen(batch, 1)
    assert own["favors"].tolist()[:6] == [2, 0, 0, 1, 0, 0]
    assert other["favors"].tolist()[:6] == [0, 0, 0, 0, 0, 1]
    assert own["favors_held"].tolist() == [3, 1, 0, 0]
    assert other["favors_held"].tolist() == [1, 3, 0, 0]
    assert own["used_favors"].tolist()[:6] == [0, 3, 0, 0, 0, 0]
    assert bits(own["favor_deck_size"]) == 17


def test_secret_trends_are_shown_when_the_game_is_over():
    env = pictura_v0.raw_env(num_players=3, max_rounds=1)
    env.reset(seed=3)
    while env.legal_actions():
        for agent in env.agents:
            shown = env.observation_features["secret_trends"].of(env.observe(agent)["observation"])
            assert not shown[1:].any(), "only the own one is seen during the game"
        env.step(env.legal_actions()[-1])
    secret = env.table.states["secret_trend"][0]
    for seat, agent in enumerate(env.possible_agents):
        shown = env.observation_features["secret_trends"].of(env.observe(agent)["observation"])
        assert shown.argmax(axis=1)[:3].tolist() == [secret[(seat + turns) % 3] for turns in range(3)]
        assert shown.sum(axis=1).tolist() == [1, 1, 1, 0]
        again = env.table.resample_hidden(seat, seed=1)
        assert np.array_equal(again.states["secret_trend"][0], secret), "nobody deals anew what all can see"


def test_secret_trends_are_seen_by_their_owner_alone():
    batch = position(secret=[17, 22])
    for seat, trend in ((0, 17), (1, 22)):
        shown = seen(batch, seat)
        assert np.argwhere(shown["secret_trends"]).tolist() == [[0, trend]]
        assert shown["dealt_trends"].sum() == 3
        assert shown["dealt_trends"][0, trend] == 1


def test_patrons_in_their_places():
    batch = position(shown=[7, NOTHING, 9, NOTHING, 11], claimed=[[0, 1, 2], [*range(3, 7), 8, 10, *range(12, 60)]])
    shown = seen(batch, 1)
    assert [np.flatnonzero(place).tolist() for place in shown["shown_patrons"]] == [[7], [], [9], [], [11]]
    assert np.flatnonzero(shown["claimed_patrons"][1]).tolist() == [0, 1, 2]
    assert shown["claimed_patrons"][0].sum() == 54


def test_numbers_past_a_hundred_stand_in_bits():
    batch = position(prestige=[300, 4], hands=[range(100), range(100, 150)], round=59)
    shown = seen(batch, 0)
    assert [bits(number) for number in shown["prestige"][:2]] == [300, 4]
    assert [bits(number) for number in shown["markers"][:2]] == [310, 10]
    assert [bits(number) for number in shown["hand_sizes"][:2]] == [100, 50]
    assert bits(shown["round"]) == 59
    most = features(2)
    assert 2 ** most["prestige"].shape[1] > 30_000
    assert 2 ** most["round"].shape[0] > 10_000
    assert 2 ** most["moves_made"].shape[0] > 100


def test_what_the_turn_has_used_up():
    batch = position(hands=[[61, 62], []], favors=[[0]], museums=[{0: 0, 1: 1}], shown=[0, 5, 6, 7, 8])
    play(batch, "play_favor", favor=0, half=1)
    assert seen(batch, 1)["turn_flags"].tolist() == [1, 0, 0]
    play(batch, "claim_patron", patron=0, place=0, take="points")
    assert seen(batch, 1)["turn_flags"].tolist() == [1, 1, 0]
    play(batch, "pick_up", slot=0)
    play(batch, "put_down", slot=9)
    shown = seen(batch, 1)
    assert bits(shown["moves_made"]) == 1
    assert np.flatnonzero(shown["action_taken"]).tolist() == [0]
    play(batch, "inventory")
    assert np.flatnonzero(seen(batch, 1)["action_taken"]).tolist() == [3]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_seat_sees_what_another_would_in_its_place(players):
    """Turn the whole table by one seat: every observation moves with it."""
    parts = {
        "hands": [[10 * seat, 10 * seat + 1] for seat in range(players)],
        "discards": [[10 * seat + 2] for seat in range(players)],
        "museums": [{seat: 10 * seat + 3, 20: 10 * seat + 4} for seat in range(players)],
        "favors": [[seat, 5] for seat in range(players)],
        "claimed": [[20 + seat] for seat in range(players)],
        "secret": [10 + seat for seat in range(players)],
        "spaces": [{seat: seat} for seat in range(players)],
        "prestige": [7 * seat for seat in range(players)],
    }
    turned = {name: values[1:] + values[:1] for name, values in parts.items()}
    options = {"num_players": players}
    fixed = {"international": [[170, 171, 172, 173]], "phase": FINAL_MENU}
    table = position(options=options, seat=1, end_token=0, first_seat=1, **fixed, **parts)
    other = position(options=options, seat=0, end_token=players - 1, first_seat=0, **fixed, **turned)
    for seat in range(players):
        dealt = table.states[0]["dealt_trends"][(seat + 1) % players].copy()
        other.states[0]["dealt_trends"][seat] = dealt
    for seat in range(players):
        assert np.array_equal(table.observe((seat + 1) % players), other.observe(seat))


# --- Perfect information ---------------------------------------------------------------------------------------------


def test_the_state_shows_every_hand_and_the_decks_in_order():
    batch = position(
        hands=[[1], [2, 3]], favors=[[0], [4, 4]], secret=[20, 21], favor_deck=[5, 3], trend_deck=[7, 9],
        patron_deck=[40, 30], deck=[90, 80, 100], rest="discard pile 0",
    )  # fmt: skip
    state = batch.states[0]
    state["painting_deck"][-3:] = [90, 80, 100]
    everything = batch.perfect_information()[0]
    shown = {name: feature.of(everything) for name, feature in batch.state_features.items()}
    assert np.flatnonzero(shown["hand"]).tolist() == hand_of(batch, 0)
    assert np.flatnonzero(shown["other_hands"][0]).tolist() == [2, 3]
    assert not shown["other_hands"][1:].any()
    assert shown["other_favors"][0].tolist()[:6] == [0, 0, 0, 0, 2, 0]
    assert np.flatnonzero(shown["other_secret_trends"][0]).tolist() == [21]
    assert shown["other_dealt_trends"][0].sum() == 3
    for deck, cards in (("painting", [90, 80, 100]), ("trend", [7, 9]), ("favor", [5, 3]), ("patron", [40, 30])):
        assert [bits(card) - 1 for card in shown[f"{deck}_deck"] if card.any()] == cards


def test_a_finished_game_is_seen_by_every_seat():
    env = pictura_v0.raw_env(num_players=3, max_rounds=1)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    while env.legal_actions():
        env.step(int(rng.choice(env.legal_actions())))
    for seat in range(3):
        read = read_observation(env.table.observe(seat)[0], 3)
        assert read["phase"] == "over"
        assert read["to_move"] is None
        scores = env.table.scores()[0].tolist()
        assert read["prestige"] == scores[seat:] + scores[:seat]
