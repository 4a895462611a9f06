"""Protects the rules of Musée paragraph by paragraph, on positions laid out by hand, worked examples included."""

from __future__ import annotations

import numpy as np
import pytest

from env_core import IllegalActionError, SetupError
from musee_env import musee_v0, rules, state
from musee_env.observation import SCORE_BITS
from tests.musee_env.positions import hand_of, legal_words, place, position, say
from tests.musee_env.second_rules import SecondMusee

EMPTY_MUSEUM = [[0] * 6] * 3
NO_STAIRCASES = [[0] * 6] * 2


def spaces_of(batch, card, gallery=0):
    return [words["column"] for words in legal_words(batch) if (words["card"], words["gallery"]) == (card, gallery)]


# --- Setup -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "cards", "columns", "upper", "lower"),
    [(2, 50, 6, [1, 3, 5], [0, 2, 4]), (3, 60, 5, [1, 3], [0, 2, 4]), (4, 50, 6, [1, 3, 5], [0, 2, 4])],
)
def test_components_and_the_pattern_for_a_first_game(players, cards, columns, upper, lower):
    env = musee_v0.raw_env(num_players=players)
    env.reset(seed=1)
    setup = env.record()["setup"]
    assert [len(hand) for hand in setup["hands"]] == [5] * players
    assert sorted([card for hand in setup["hands"] for card in hand] + setup["deck"]) == list(range(1, cards + 1))
    assert [[c for c in range(columns) if row[c]] for row in setup["staircases"]] == [upper, lower]
    assert env.action_space("player_0").n == (6 * 3 * 6 + 2 if players == 4 else 5 * 3 * columns)
    assert env.table.states[0]["bonus_owner"].tolist() == [-1, -1, -1]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_staircases_are_uniform(players):
    columns = 5 if players == 3 else 6
    patterns = 2 * 10 * 10 if columns == 5 else 20 * 20
    batch = musee_v0.batch_env(patterns * 50, num_players=players, staircases="random")
    batch.reset(seed=5)
    found = batch.states["staircases"][:, :, :columns].reshape(len(batch.states), -1)
    kinds, counts = np.unique(found, axis=0, return_counts=True)
    assert len(kinds) == patterns
    # Chi-square has mean k - 1 and variance 2 (k - 1): five standard deviations.
    assert ((counts - 50) ** 2 / 50).sum() < patterns + 5 * (2 * patterns) ** 0.5


@pytest.mark.parametrize("players", [2, 3, 4])
def test_first_player_hands_and_deck_are_uniform(players):
    rows = 20_000
    batch = musee_v0.batch_env(rows, num_players=players)
    batch.reset(seed=6)
    cards = int(batch.states["paintings"][0])
    starts = np.bincount(batch.seat, minlength=players)
    assert ((starts - rows / players) ** 2 / (rows / players)).sum() < players + 5 * (2 * players) ** 0.5 + 10
    for place_in_pack in (0, 7, cards - 1):
        counts = np.bincount(batch.states["deck"][:, place_in_pack], minlength=cards + 1)[1:]
        assert ((counts - rows / cards) ** 2 / (rows / cards)).sum() < cards + 5 * (2 * cards) ** 0.5


def test_turns_go_clockwise_and_partners_share_a_museum():
    batch = position(options={"num_players": 4}, hands=[[1, 20], [2, 21], [3, 22], [4, 23]], deck=range(30, 45), seat=3)
    seats = []
    for card in (4, 1, 2, 3):
        seats.append(int(batch.seat[0]))
        place(batch, card, 0, {4: 1, 1: 0, 2: 0, 3: 1}[card])
    assert seats == [3, 0, 1, 2]
    assert batch.states[0]["museums"][:2, 0, :2].tolist() == [[1, 3], [2, 4]]


# --- A turn ----------------------------------------------------------------------------------------------------------


def test_worked_example_of_a_gallery():
    batch = position(
        museums=[[[0, 13, 0, 28, 0, 0], [0] * 6, [0] * 6]], hands=[[5, 14, 18, 38], [1]], deck=range(40, 50)
    )
    assert spaces_of(batch, 14) == [2]
    assert spaces_of(batch, 38) == [4, 5]
    assert spaces_of(batch, 18) == [2]
    assert spaces_of(batch, 5) == [0]
    assert spaces_of(batch, 5, gallery=1) == list(range(6)), "galleries are apart"


def test_each_card_exists_once():
    env = musee_v0.raw_env()
    env.reset(seed=1)
    setup = env.record()["setup"]
    setup["deck"][0] = setup["hands"][0][0]
    with pytest.raises(SetupError, match="each card exists once"):
        env.reset(options={"setup": setup})


def test_a_placed_card_leaves_the_hand_and_one_is_drawn():
    batch = position(hands=[[7, 30], [8]], deck=[11, 12])
    place(batch, 30, 2, 5)
    assert hand_of(batch, 0) == [7, 11]
    assert batch.states[0]["museums"][0, 2, 5] == 30
    assert batch.seat[0] == 1


def test_actions_are_numbered_by_slot_gallery_and_column():
    batch = position(hands=[[7, 30], [8]], deck=[11, 12])
    for slot, card in enumerate([7, 30]):
        for gallery in range(3):
            for column in range(6):
                words = {"kind": "place", "card": card, "gallery": gallery, "column": column}
                assert batch.describe(0, (slot * 3 + gallery) * 6 + column) == words
    assert batch.describe(0, 2 * 18) == {"kind": "none", "action": 36}


def test_the_first_museum_to_fill_a_gallery_takes_its_bonus_card():
    row = [1, 6, 11, 16, 21, 0]
    batch = position(
        museums=[[row, [0] * 6, [0] * 6], [[2, 7, 12, 17, 22, 0], [0] * 6, [0] * 6]],
        staircases=NO_STAIRCASES,
        hands=[[26, 50], [27, 49]],
        deck=range(30, 40),
    )
    before = batch.scores()[0].tolist()
    assert before == [5 + 8, 5 + 8]
    place(batch, 26, 0, 5)
    assert batch.scores()[0].tolist() == [before[0] + 1 + 2 + 4, before[1]]
    place(batch, 27, 0, 5)
    assert batch.scores()[0].tolist() == [before[0] + 7, before[1] + 1 + 2]
    assert batch.states[0]["bonus_owner"].tolist() == [0, -1, -1]


def test_each_gallery_has_a_bonus_card_of_its_own():
    full = [[1, 2, 3, 4, 5, 0], [11, 12, 13, 14, 15, 16], [0] * 6]
    other = [[21, 22, 23, 24, 25, 26], [31, 32, 33, 34, 35, 0], [0] * 6]
    batch = position(museums=[full, other], hands=[[6], [36]], deck=range(40, 50))
    assert batch.states[0]["bonus_owner"].tolist() == [1, 0, -1]
    place(batch, 6, 0, 5)
    place(batch, 36, 1, 5)
    assert batch.states[0]["bonus_owner"].tolist() == [1, 0, -1], "a bonus card never moves"


def test_two_players_draw_to_the_last_card():
    batch = position(hands=[[1, 2], [3]], deck=[40, 41])
    place(batch, 1, 0, 0)
    assert hand_of(batch, 0) == [2, 40]
    place(batch, 3, 0, 0)
    assert hand_of(batch, 1) == [41]


def test_three_players_stop_at_two_cards():
    batch = position(options={"num_players": 3}, hands=[[1, 2], [3, 4], [5, 6]], deck=[40, 41, 42])
    place(batch, 1, 0, 0)
    assert hand_of(batch, 0) == [2, 40]
    place(batch, 3, 0, 0)
    assert hand_of(batch, 1) == [4], "two cards are left: no draw"
    assert batch.seat[0] == 2
    assert batch.states[0]["deck_size"] == 2


def test_the_draw_follows_the_placement_that_fills_the_museum():
    full = [[1, 2, 3, 4, 5, 0], [11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25, 26]]
    batch = position(museums=[full], hands=[[6], [7]], deck=[40, 41])
    place(batch, 6, 0, 5)
    assert hand_of(batch, 0) == [40]
    assert not batch.states[0]["out"][0], "found on the own turn, not before"
    place(batch, 7, 0, 0)
    assert batch.states[0]["out"][0]


# --- The last two cards with four players ----------------------------------------------------------------------------


def four(**parts):
    given = {"hands": [[1, 20], [2, 21], [3, 22], [4, 23]], "deck": [40, 41], **parts}
    return position(options={"num_players": 4}, **given)


def test_four_players_draw_while_more_than_two_cards_are_left():
    batch = four(deck=[39, 40, 41])
    place(batch, 1, 0, 0)
    assert hand_of(batch, 0) == [20, 39]
    assert batch.seat[0] == 1


@pytest.mark.parametrize("kind", ["keep", "give"])
def test_the_first_of_a_team_decides_on_its_last_card(kind):
    batch = four()
    place(batch, 1, 0, 0)
    assert batch.seat[0] == 0, "the decision belongs to the turn"
    assert legal_words(batch) == [{"kind": "keep"}, {"kind": "give"}]
    assert np.flatnonzero(batch.action_mask[0]).tolist() == [108, 109]
    say(batch, kind)
    assert hand_of(batch, 0) == ([20, 40] if kind == "keep" else [20])
    assert hand_of(batch, 2) == ([3, 22] if kind == "keep" else [3, 22, 40])
    assert batch.seat[0] == 1
    place(batch, 2, 0, 0)
    assert legal_words(batch) == [{"kind": "keep"}, {"kind": "give"}], "the other team has a card of its own"
    say(batch, "keep")
    assert hand_of(batch, 1) == [21, 41]
    place(batch, 3, 0, 1)
    assert batch.seat[0] == 3, "the team has had its card: no draw, no decision"
    assert batch.states[0]["deck_size"] == 0


def test_a_partner_may_hold_six():
    batch = four(hands=[[1, 20], [2, 21], [3, 22, 30, 31, 32], [4, 23]])
    place(batch, 1, 0, 0)
    say(batch, "give")
    assert hand_of(batch, 2) == [3, 22, 30, 31, 32, 40]
    place(batch, 2, 0, 0)
    say(batch, "keep")
    assert {"kind": "place", "card": 40, "gallery": 2, "column": 5} in legal_words(batch)
    assert np.flatnonzero(batch.action_mask[0]).max() == 107, "the sixth slot has actions of its own"


def test_a_card_given_to_a_partner_who_is_out_brings_nobody_back():
    batch = four(out=[2])
    place(batch, 1, 0, 0)
    say(batch, "give")
    assert hand_of(batch, 2) == [3, 22, 40]
    assert batch.states[0]["out"][2]
    assert batch.states[0]["given_when_out"].tolist() == [0, 0, 1, 0]
    place(batch, 2, 0, 0)
    say(batch, "keep")
    assert batch.seat[0] == 3, "the partner stays out"


def test_the_card_of_a_team_that_never_draws_stays_in_the_deck():
    low = [[50, 0, 0, 0, 0, 0], [49, 0, 0, 0, 0, 0], [48, 0, 0, 0, 0, 0]]
    batch = four(museums=[EMPTY_MUSEUM, low], hands=[[1], [2], [3], [4]], deck=[40, 41], out=[1, 3])
    place(batch, 1, 0, 0)
    say(batch, "keep")
    place(batch, 3, 0, 1)
    while batch.seat[0] >= 0:
        batch.step(batch.sample_legal(1))
    assert batch.states[0]["deck_size"] == 1


def test_the_decision_follows_the_placement_that_fills_the_museum():
    full = [[1, 2, 3, 4, 5, 0], [11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25, 26]]
    batch = four(museums=[full], hands=[[6], [30], [31], [32]], deck=[40, 41])
    place(batch, 6, 0, 5)
    assert legal_words(batch) == [{"kind": "keep"}, {"kind": "give"}]


# --- Stuck -----------------------------------------------------------------------------------------------------------

SHUT = [[50, 0, 0, 0, 0, 0], [49, 0, 0, 0, 0, 0], [48, 0, 0, 0, 0, 0]]
"""A museum in which nothing below 48 fits."""


def test_a_stuck_player_is_out_for_good_and_skipped():
    batch = position(
        options={"num_players": 3},
        museums=[[[0] * 5] * 3, [row[:5] for row in SHUT], [[0] * 5] * 3],
        hands=[[1, 2, 3], [4, 5], [6, 7]],
        deck=[30, 31],
    )
    place(batch, 1, 0, 0)
    assert batch.seat[0] == 2
    assert batch.states[0]["out"].tolist() == [0, 1, 0, 0]
    assert hand_of(batch, 1) == [4, 5], "the hand stays"
    place(batch, 6, 0, 0)
    assert batch.seat[0] == 0
    place(batch, 2, 0, 1)
    assert batch.seat[0] == 2


def test_the_last_player_goes_on_alone_until_stuck_too():
    nearly_shut = [[50, 0, 0, 0, 0, 0], [49, 0, 0, 0, 0, 0], [10, 20, 30, 0, 0, 0]]
    batch = position(museums=[nearly_shut, SHUT], hands=[[31, 32, 33], [3]], deck=[1, 2, 4], seat=0)
    place(batch, 31, 2, 3)
    assert batch.seat[0] == 0, "player 1 is found stuck on the own turn and skipped"
    assert batch.states[0]["out"].tolist() == [0, 1, 0, 0]
    place(batch, 32, 2, 4)
    assert batch.seat[0] == 0
    result = place(batch, 33, 2, 5)
    assert batch.states[0]["out"].tolist() == [1, 1, 0, 0]
    assert batch.seat[0] == -1
    assert result.terminated[0]


def test_one_legal_placement_is_asked_like_any_other():
    one_left = [[50, 0, 0, 0, 0, 0], [49, 0, 0, 0, 0, 0], [10, 20, 30, 40, 45, 0]]
    batch = position(museums=[one_left], hands=[[47], [3]], deck=[1, 2])
    assert legal_words(batch) == [{"kind": "place", "card": 47, "gallery": 2, "column": 5}]


def test_a_player_with_no_cards_is_stuck():
    batch = position(options={"num_players": 3}, hands=[[1, 2], [], [3]], deck=[40, 41])
    place(batch, 1, 0, 0)
    assert batch.seat[0] == 2
    assert batch.states[0]["out"][1]


# --- Score of a museum -----------------------------------------------------------------------------------------------


def test_worked_example_of_theme_pairs():
    batch = position(
        museums=[[[0, 13, 28, 38, 0, 0], [0] * 6, [0] * 6]], staircases=NO_STAIRCASES, hands=[[1], [2]], deck=[3]
    )
    assert batch.scores()[0, 0] == 3 + 2 * 2


@pytest.mark.parametrize("stairs", [0, 1])
def test_worked_example_of_a_staircase(stairs):
    rows = [[0, 0, stairs, 0, 0, 0], [0] * 6]
    batch = position(
        museums=[[[0, 0, 28, 0, 0, 0], [0, 0, 18, 0, 0, 0], [0] * 6]], staircases=rows, hands=[[1], [2]], deck=[3]
    )
    assert batch.scores()[0, 0] == 2 + 3 * stairs, "chandeliers score nothing"


def test_gaps_part_neighbours_and_a_card_counts_in_several_pairs():
    rows = [[0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]
    museum = [[0, 5, 0, 15, 0, 0], [1, 10, 20, 0, 0, 0], [0, 25, 0, 0, 0, 0]]
    batch = position(museums=[museum], staircases=rows, hands=[[2], [3]], deck=[4])
    # 10 is beside 20, below 5 and above 25; 5 and 15 are no neighbours.
    assert batch.scores()[0, 0] == 6 + 2 + 3 + 3


def test_no_museum_can_score_more_than_the_bound():
    spaces, pairs, staircases, bonus_cards = 18, 15, 6, 3
    bound = (
        spaces * state.POINTS_PER_PAINTING
        + pairs * state.POINTS_PER_THEME_PAIR
        + staircases * state.POINTS_PER_STAIRCASE
        + bonus_cards * state.POINTS_PER_BONUS_CARD
    )
    assert bound == 78
    assert bound < 2**SCORE_BITS


# --- Winning ---------------------------------------------------------------------------------------------------------


def before_the_last_card(**options):
    """A game of two in which player 1 is out and player 0, ahead, places 47 in the last space that takes a card."""
    mine = [[50, 0, 0, 0, 0, 0], [49, 0, 0, 0, 0, 0], [10, 20, 30, 40, 44, 0]]
    hands = [[47], [46]]
    return position(options=options, museums=[mine, SHUT], staircases=NO_STAIRCASES, hands=hands, deck=[45], out=[1])


def test_highest_score_wins_then_paintings_then_bonus_cards():
    def winning(first, second):
        batch = position(museums=[first, second], staircases=NO_STAIRCASES, hands=[[], []], deck=[1])
        rules.end_game(batch.states[0])
        assert batch.states[0]["seat"] == -1
        return batch.winners(0), batch.scores()[0].tolist()

    empty = [0] * 6
    pair, three = [13, 28, 0, 0, 0, 0], [14, 0, 21, 0, 32, 0]
    assert winning([pair, empty, empty], [[11, 0, 0, 0, 0, 0], empty, empty]) == ([0], [4, 1])
    assert winning([pair, empty, empty], [three, [47, 0, 0, 0, 0, 0], empty]) == ([1], [4, 4]), "more paintings"
    assert winning([three, empty, empty], [[1, 0, 7, 0, 13, 0], empty, empty]) == ([0, 1], [3, 3]), "shared"
    # Ten paintings and 14 points each; the one without the bonus card has two theme pairs instead.
    first = [[1, 2, 3, 4, 5, 6], [11, 0, 13, 0, 15, 0], [21, 0, 0, 0, 0, 0]]
    second = [[31, 36, 41, 0, 0, 0], [7, 0, 9, 0, 16, 0], [22, 0, 24, 0, 28, 29]]
    assert winning(first, second) == ([0], [14, 14]), "more bonus cards"


def test_outcome_of_a_finished_game():
    batch = before_the_last_card()
    result = place(batch, 47, 2, 5)
    assert batch.seat[0] == -1
    assert result.terminated[0]
    assert not result.truncated[0]
    assert batch.winners(0) == [0]
    assert result.rewards[0].tolist() == [1.0, -1.0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_margin_is_the_lead_over_the_mean_of_the_others(players):
    env = musee_v0.raw_env(num_players=players, reward="margin")
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    while env.legal_actions():
        env.step(int(rng.choice(env.legal_actions())))
    result = env.record()["result"]
    scores = result["scores"]
    for seat, reward in enumerate(result["rewards"]):
        rivals = (
            [s for other, s in enumerate(scores) if other % 2 != seat % 2]
            if players == 4
            else scores[:seat] + scores[seat + 1 :]
        )
        assert reward == pytest.approx((scores[seat] - np.mean(rivals)) / 20)


# --- Match -----------------------------------------------------------------------------------------------------------


def test_a_loser_starts_the_next_game_and_nothing_but_the_win_carries_over():
    starts = set()
    for generator in range(8):
        batch = before_the_last_card(games_to_win=2)
        batch.states["random"] = generator
        result = place(batch, 47, 2, 5)
        assert not result.terminated[0]
        assert result.rewards[0].tolist() == [0.0, 0.0]
        assert batch.states[0]["games_won"][:2].tolist() == [1, 0]
        assert batch.scores()[0].tolist() == [0, 0]
        assert not batch.states[0]["museums"].any()
        assert not batch.states[0]["out"].any()
        assert batch.states[0]["deck_size"] == 40
        starts.add(int(batch.seat[0]))
    assert starts == {1}


def test_a_shared_win_counts_for_nobody_and_anybody_may_start():
    starts = set()
    for generator in range(16):
        batch = position(options={"games_to_win": 2, "num_players": 3}, hands=[[1], [2], [3]], deck=[4, 5])
        batch.states["random"] = generator
        rules.end_game(batch.states[0])
        assert batch.states[0]["games_won"].tolist() == [0, 0, 0, 0]
        assert batch.states[0]["game_number"] == 1
        starts.add(int(batch.states[0]["seat"]))
    assert starts == {0, 1, 2}


def test_the_match_ends_with_the_win_that_was_missing():
    batch = before_the_last_card(games_to_win=2)
    batch.states[0]["games_won"] = [1, 1, 0, 0]
    result = place(batch, 47, 2, 5)
    assert result.terminated[0]
    assert result.rewards[0].tolist() == [1.0, -1.0]
    assert musee_v0.GAME.moves.result_in_words(batch.states[0]) == {"games_won": [2, 1]}


@pytest.mark.parametrize("reward", ["outcome", "margin", "score"])
def test_rewards_of_a_match(reward):
    env = musee_v0.raw_env(games_to_win=3, reward=reward, num_players=3)
    env.reset(seed=9)
    rng = np.random.default_rng(9)
    points, last = np.zeros(3), np.zeros(3)
    while env.legal_actions():
        env.step(int(rng.choice(env.legal_actions())))
        steps = env.record()["steps"]
        scores = env.table.scores()[0]
        if "chance" in steps[-1]:
            points += last_scores_of_game(env, steps)
        last = scores
    result = env.record()["result"]
    won = result["games_won"]
    assert max(won) == 3
    assert result["winners"] == [won.index(3)]
    if reward == "outcome":
        assert result["rewards"] == [1.0 if w == 3 else -0.5 for w in won]
    elif reward == "margin":
        assert result["rewards"] == pytest.approx([(w - (sum(won) - w) / 2) / 3 for w in won])
    else:
        assert result["rewards"] == pytest.approx((points + last).tolist())


def last_scores_of_game(env, steps):
    """The final scores of the game that ended just before the last chance step."""
    record = env.record()
    second = SecondMusee(record["options"], record["setup"])
    for step in steps[:-1]:
        if "chance" in step:
            second.lay_out({key: value for key, value in step["chance"].items() if key != "kind"})
        else:
            second.play(step["action"])
    return np.array([second.points(team) for team in range(3)])


# --- Refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (1, "column 1 of the top gallery \\[_ 13 _ 28 _ _\\] is filled"),
        (4, "5 does not rise from left to right in column 4 of the top gallery"),
        (4 * 18, "the hand of seat 0 has 4 cards"),
        (90, "out of range 0..89"),
        (-1, "out of range 0..89"),
    ],
)
def test_a_refusal_says_why(action, reason):
    batch = position(
        museums=[[[0, 13, 0, 28, 0, 0], [0] * 6, [0] * 6]], hands=[[5, 14, 18, 38], [1]], deck=range(40, 50)
    )
    before = batch.states.copy()
    with pytest.raises(IllegalActionError, match=reason):
        batch.step([action])
    assert batch.states.tobytes() == before.tobytes()


def test_a_refusal_says_why_with_four_players():
    batch = four()
    with pytest.raises(IllegalActionError, match="keep and give are for the team's last card"):
        batch.step([108])
    place(batch, 1, 0, 0)
    with pytest.raises(IllegalActionError, match="keeps or gives the team's last card"):
        batch.step([0])
