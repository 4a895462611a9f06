"""Protects the arena: who meets whom on which deals, the statistics, failures, interruptions and the files."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("rich")

from agents import arena
from agents.arena import PolicyFailure, bootstrap, compete, fit_ratings, interval, seatings, t_quantile
from agents.games import UnknownGameError
from agents.greedy import GreedyPolicy
from agents.musee_expert import MuseeExpert
from env_core.policies import RandomPolicy
from env_core.records import check
from musee_env import musee_v0

GAME = musee_v0.GAME
CALLED = {"greedy": GreedyPolicy(), "random": RandomPolicy()}


class Spy(RandomPolicy):
    """Random play that keeps the seats it was asked for."""

    def __init__(self) -> None:
        self.seats: set[int] = set()

    def __call__(self, observation: Any, action_mask: Any, seats: Any, rng: Any) -> Any:
        self.seats |= set(seats.tolist())
        return super().__call__(observation, action_mask, seats, rng)


def test_every_pair_meets_in_every_seat() -> None:
    assert seatings(2, 2) == [(0, 1, 0), (0, 1, 1)]
    assert len(seatings(4, 2)) == 6 * 2
    # With three sides each of a pair sits alone against two of the other, in each seat.
    assert len(seatings(2, 3)) == 6
    assert len(set(seatings(3, 3))) == 6 * 3
    for num_players in (2, 3, 4):
        spy = Spy()
        result = compete(GAME, {"spy": spy}, deals=2, options={"num_players": num_players})
        assert spy.seats == set(range(num_players))
        assert result.policies == ("spy", "random")
        assert result.games == 2 * (6 if num_players == 3 else 2)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_it_repeats_and_is_the_same_on_two_threads(num_players: int) -> None:
    given: dict[str, Any] = {"deals": 12, "seed": 5, "options": {"num_players": num_players}}
    first = compete(GAME, CALLED, **given)
    assert first.as_dict() == compete(GAME, CALLED, threads=2, **given).as_dict()
    assert first.as_dict() != compete(GAME, CALLED, **{**given, "seed": 6}).as_dict()


def test_a_policy_that_draws_no_lots_ties_with_its_own_copy() -> None:
    # The same player on both chairs of a duplicate deal: one copy wins what the other loses.
    for num_players in (2, 4):
        result = compete(GAME, {"a": MuseeExpert(), "b": MuseeExpert()}, deals=30, options={"num_players": num_players})
        assert result.win_rate("a", "b") == 0.5
        assert np.allclose(result.margins[:, 0, 1], 0.0)
    result = compete(GAME, {"a": MuseeExpert(), "b": MuseeExpert()}, deals=10, options={"num_players": 3})
    assert result.win_rate("a", "b") == pytest.approx(1 / 3)
    assert result.win_rate("b", "a") == pytest.approx(1 / 3)


def test_wins_and_margins_are_those_of_the_games() -> None:
    result = compete(GAME, CALLED, deals=3, seed=9)
    # With two sides a pair is zero-sum in both.
    assert np.allclose(result.wins[:, 0, 1] + result.wins[:, 1, 0], 1.0)
    assert np.allclose(result.margins[:, 0, 1] + result.margins[:, 1, 0], 0.0)
    assert np.isnan(result.wins[:, 0, 0]).all()
    table = result.standings()
    assert [line.policy for line in table] == ["greedy", "random"]
    assert table[1].rating == 0.0
    assert table[0].win_rate == pytest.approx(result.win_rate("greedy", "random"))


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_ratings_find_the_strengths_that_made_the_results(sides: int) -> None:
    ratings = np.array([300.0, 0.0, -120.0, 77.0])
    strength = np.exp(ratings / arena.ELO_PER_UNIT)
    rates = strength[:, None] / (strength[:, None] + (sides - 1) * strength[None, :])
    found = fit_ratings(rates[None], 10**7, sides, anchor=1)[0]
    assert np.allclose(found, ratings, atol=0.1)


def test_ratings_stay_finite_where_one_always_wins() -> None:
    rates = np.array([[np.nan, 1.0], [0.0, np.nan]])
    for games in (1, 1000, 10**6):
        (rating, anchor) = fit_ratings(rates[None], games, 2, anchor=1)[0]
        assert anchor == 0.0
        assert rating == pytest.approx(400 * np.log10(2 * games + 1), rel=1e-6)


def test_intervals_cover_and_shrink_with_deals() -> None:
    few = compete(GAME, CALLED, deals=20, seed=1).standings()[0]
    many = compete(GAME, CALLED, deals=320, seed=1).standings()[0]
    for line in (few, many):
        assert line.win_rate_low <= line.win_rate <= line.win_rate_high
        assert line.rating_low <= line.rating <= line.rating_high
    assert many.rating_high - many.rating_low < 0.6 * (few.rating_high - few.rating_low)


@pytest.mark.parametrize(("deals", "rate"), [(3, 0.9), (10, 0.5), (10, 0.95), (60, 0.8), (300, 0.97)])
def test_intervals_cover_what_is_true(deals: int, rate: float) -> None:
    # 95 % of them should; of 200 at least 180, or they are falsely sure.
    rng = np.random.default_rng(deals)
    covered = 0
    for seed in range(200):
        won = rng.binomial(2, rate, deals) / 2
        wins = np.full((deals, 2, 2), np.nan)
        wins[:, 0, 1], wins[:, 1, 0] = won, 1 - won
        samples = np.nansum(bootstrap(wins, 2, seed), axis=2)
        low, high = interval(samples, np.array([won.mean(), 1 - won.mean()]), deals)
        assert low[0] + high[1] == pytest.approx(1.0)
        covered += bool(low[0] <= rate <= high[0])
    assert covered >= 180


def test_who_wins_all_of_few_games_may_have_been_lucky() -> None:
    # By Clopper and Pearson's exact interval 5 wins of 5 are compatible with 48 %, 100 of 100 with 96 %.
    for deals, least, most in ((5, 0.2, 0.6), (100, 0.93, 0.975)):
        wins = np.full((deals, 3, 3), np.nan)
        wins[:, 0, 1:], wins[:, 1:, 0], wins[:, 1, 2], wins[:, 2, 1] = 1.0, 0.0, 0.5, 0.5
        low, high = interval(bootstrap(wins, 2, 1)[:, 0, 1:], np.ones(2), deals)
        assert ((least < low) & (low < most)).all()
        assert (high == 1.0).all()


def test_students_t_is_that_of_the_books() -> None:
    for degrees, expected in ((3, 3.182), (4, 2.776), (10, 2.228), (30, 2.042), (1000, 1.962)):
        assert t_quantile(0.975, degrees) == pytest.approx(expected, rel=0.01)


def test_the_table_fits_a_narrow_terminal_and_says_what_it_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "runs/a_run_with_quite_a_long_name/policy.zip"
    result = compete("musee", {name: GreedyPolicy(), "greedy": GreedyPolicy()}, deals=4)
    # No number that can be is wider.
    widest = dataclasses.replace(
        result.standings()[0], win_rate=1.0, win_rate_low=1.0, win_rate_high=1.0, margin=-100.0
    )
    widest = dataclasses.replace(widest, rating=-1000.0, rating_low=-1000.0, rating_high=-1000.0)
    monkeypatch.setattr(arena.ArenaResult, "standings", lambda result: [widest])
    result.show()
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    for part in ("100.0%", "100.0% to 100.0%", "-100.0", "-1000", "-1000 to -1000"):
        assert part in shown
    assert shown.count("95% interval") == 2
    assert "Only 4 deals: too few to rank by" in shown
    dataclasses.replace(result, wins=np.tile(result.wins, (8, 1, 1))).show()
    assert "too few" not in capsys.readouterr().out


def test_results_are_written_as_they_are(tmp_path: Path) -> None:
    result = compete(GAME, CALLED, deals=8, seed=1)
    paths = result.save(tmp_path / "new" / "folder")
    assert [path.name for path in paths] == ["arena.json", "arena.csv", "arena.png"]
    saved = json.loads(paths[0].read_text(encoding="utf-8"))
    assert saved == json.loads(json.dumps(result.as_dict()))
    assert saved["games"] == 16
    with paths[1].open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [line["policy"] for line in lines] == [line.policy for line in result.standings()]
    assert float(lines[0]["rating"]) == result.standings()[0].rating
    assert paths[2].read_bytes().startswith(b"\x89PNG")
    assert not [path for path in paths[0].parent.iterdir() if path.name.startswith(".")]


def test_a_single_deal_has_no_interval(tmp_path: Path) -> None:
    result = compete(GAME, CALLED, deals=1)
    assert np.isnan(result.standings()[0].rating_low)
    result.save(tmp_path)
    assert json.loads((tmp_path / "arena.json").read_text())["standings"][0]["rating_low"] is None


class Cheat(RandomPolicy):
    """Gives an illegal action after some calls."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, observation: Any, action_mask: Any, seats: Any, rng: Any) -> Any:
        actions = super().__call__(observation, action_mask, seats, rng)
        self.calls -= 1
        if self.calls < 0:
            actions[-1] = action_mask[-1].argmin()
        return actions


def test_an_illegal_action_stops_it_with_name_and_position() -> None:
    with pytest.raises(
        PolicyFailure, match=r"(?s)'cheat' failed.*not legal.*The position, after \d+ steps.*Musée"
    ) as failed:
        compete(GAME, {"cheat": Cheat(4), "greedy": GreedyPolicy()}, deals=3, seed=2)
    assert failed.value.policy == "cheat"
    record = failed.value.record
    assert record is not None
    assert len(record["steps"]) >= 4
    assert check(musee_v0.raw_env, record).legal_actions()


def test_an_error_inside_a_policy_names_it() -> None:
    class Broken(RandomPolicy):
        def __call__(self, *given: Any) -> Any:
            raise KeyError("lost")

    with pytest.raises(PolicyFailure, match="policy 'broken' failed: KeyError: 'lost'"):
        compete(GAME, {"broken": Broken()}, deals=1)


class Interrupting(RandomPolicy):
    """Presses Ctrl-C at a given call."""

    def __init__(self, call: int) -> None:
        self.left = call

    def __call__(self, observation: Any, action_mask: Any, seats: Any, rng: Any) -> Any:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().__call__(observation, action_mask, seats, rng)


def test_interrupting_keeps_the_deals_that_were_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "ROWS_AT_ONCE", 8)
    whole = compete(GAME, {"a": RandomPolicy()}, deals=12, seed=3)
    part = compete(GAME, {"a": Interrupting(50)}, deals=12, seed=3)
    assert part.interrupted
    assert not whole.interrupted
    assert 0 < part.deals < 12
    assert part.deals % 4 == 0
    assert np.array_equal(part.wins[:, 0, 1], whole.wins[: part.deals, 0, 1])
    assert part.standings()
    with pytest.raises(KeyboardInterrupt):
        compete(GAME, {"a": Interrupting(1)}, deals=12, seed=3)


def test_wrong_numbers_are_refused() -> None:
    for wrong in ({"deals": 0}, {"seed": -1}, {"options": {"num_players": 5}}):
        with pytest.raises(ValueError):
            compete(GAME, CALLED, **wrong)
    for wrong_game in ("muse", "chess"):
        with pytest.raises(UnknownGameError, match=wrong_game):
            compete(wrong_game, CALLED)
    with pytest.raises(TypeError, match=r"the policy 'greedy' must be a policy .* Did you mean GreedyPolicy\(\)"):
        compete("musee", {"greedy": GreedyPolicy})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="besides 'random'"):
        compete(GAME, {"random": RandomPolicy()})


def test_a_match_counts_by_its_winner() -> None:
    result = compete(GAME, CALLED, deals=10, seed=2, options={"games_to_win": 2})
    assert set(np.unique(result.wins[:, 0, 1])) <= {0.0, 0.5, 1.0}
