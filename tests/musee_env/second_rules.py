"""Musée a second time, from the rules text and the record format alone: it shares no code with ``musee_env``.

Written to be compared with, not to be fast: cards lie in lists and dictionaries, and everything is counted afresh each
time it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

GALLERIES = range(3)


class Mismatch(AssertionError):
    """A record does not hold; the message begins with the step number."""


def museum_points(museum: dict[tuple[int, int], int], stairs: list[list[int]], columns: int, bonus_cards: int) -> int:
    """The section *Score of a museum*, in its order; ``museum`` maps (gallery, column) to a card."""
    points = len(museum)
    for gallery, column in museum:
        right = museum.get((gallery, column + 1))
        if column + 1 < columns and right is not None and right % 5 == museum[gallery, column] % 5:
            points += 2
    for row, tokens in enumerate(stairs):
        for column, token in enumerate(tokens):
            upper, lower = museum.get((row, column)), museum.get((row + 1, column))
            if token and upper is not None and lower is not None and upper % 5 == lower % 5:
                points += 3
    return points + 4 * bonus_cards


def fits(museum: dict[tuple[int, int], int], gallery: int, column: int, card: int) -> bool:
    """*A turn*, 1: the space is empty, cards to the left are lower, cards to the right are higher."""
    for (other_gallery, other_column), other in museum.items():
        if other_gallery != gallery:
            continue
        if other_column == column or (other_column < column) != (other < card):
            return False
    return True


@dataclass
class SecondMusee:
    """One game, or match, as the rules text has it."""

    options: dict[str, Any]
    setup: dict[str, Any]
    games_won: list[int] = field(init=False)
    points_of_earlier_games: list[int] = field(init=False)
    may_start_next: set[int] | None = field(init=False, default=None)
    finished: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.players = self.options["num_players"]
        self.columns = 5 if self.players == 3 else 6
        self.hand_limit = 6 if self.players == 4 else 5
        self.cards = 60 if self.players == 3 else 50
        self.teams = [[0, 2], [1, 3]] if self.players == 4 else [[seat] for seat in range(self.players)]
        self.team_of = {seat: team for team, seats in enumerate(self.teams) for seat in seats}
        self.games_won = [0] * len(self.teams)
        self.points_of_earlier_games = [0] * len(self.teams)
        self.lay_out(self.setup)

    def lay_out(self, setup: dict[str, Any]) -> None:
        """*Setup*."""
        assert sorted(setup) == ["deck", "first_seat", "hands", "staircases"]
        pack = [card for hand in setup["hands"] for card in hand] + setup["deck"]
        assert sorted(pack) == list(range(1, self.cards + 1))
        assert [len(hand) for hand in setup["hands"]] == [5] * self.players
        if self.may_start_next is not None:
            assert setup["first_seat"] in self.may_start_next
        self.stairs = setup["staircases"]
        self.check_stairs()
        self.hands = [sorted(hand) for hand in setup["hands"]]
        self.deck = list(setup["deck"])
        self.turn = setup["first_seat"]
        self.museums: list[dict[tuple[int, int], int]] = [{} for _ in self.teams]
        self.bonus: dict[int, int] = {}
        self.stuck: set[int] = set()
        self.had_last_card: set[int] = set()
        self.deciding = False
        self.may_start_next = None

    def check_stairs(self) -> None:
        rule = self.options["staircases"]
        counts = sorted(sum(row) for row in self.stairs)
        assert [len(row) for row in self.stairs] == [self.columns] * 2
        assert counts == ([2, 3] if self.columns == 5 else [3, 3])
        if rule == "first_game":
            upper = [1, 3] if self.columns == 5 else [1, 3, 5]
            lower = [0, 2, 4]
            assert self.stairs == [
                [int(c in upper) for c in range(self.columns)],
                [int(c in lower) for c in range(self.columns)],
            ]
        elif rule != "random":
            assert self.stairs == [[int(token) for token in row] for row in rule]

    # --- Moves ---

    def move(self, action: int) -> dict[str, Any] | None:
        """The move that an action number stands for; None for a slot that holds no card."""
        placements = self.hand_limit * 3 * self.columns
        if action >= placements:
            return {"kind": ("keep", "give")[action - placements]}
        slot, rest = divmod(action, 3 * self.columns)
        gallery, column = divmod(rest, self.columns)
        if slot >= len(self.hands[self.turn]):
            return None
        return {"kind": "place", "card": self.hands[self.turn][slot], "gallery": gallery, "column": column}

    def number_of_actions(self) -> int:
        return self.hand_limit * 3 * self.columns + (2 if self.players == 4 else 0)

    def legal_actions(self) -> list[int]:
        """Every legal action number, ascending."""
        if self.finished or self.may_start_next is not None:
            return []
        if self.deciding:
            return [self.number_of_actions() - 2, self.number_of_actions() - 1]
        museum = self.museums[self.team_of[self.turn]]
        legal = []
        for action in range(self.hand_limit * 3 * self.columns):
            move = self.move(action)
            if move is not None and fits(museum, move["gallery"], move["column"], move["card"]):
                legal.append(action)
        return legal

    def play(self, action: int) -> None:
        """*A turn*."""
        seat, team = self.turn, self.team_of[self.turn]
        move = self.move(action)
        assert move is not None
        if move["kind"] in ("keep", "give"):
            receiver = seat if move["kind"] == "keep" else next(s for s in self.teams[team] if s != seat)
            self.hands[receiver] = sorted([*self.hands[receiver], self.deck.pop(0)])
            self.had_last_card.add(team)
            self.deciding = False
            self.pass_turn()
            return
        self.hands[seat].remove(move["card"])
        self.museums[team][move["gallery"], move["column"]] = move["card"]
        filled = sum(gallery == move["gallery"] for gallery, _ in self.museums[team])
        if filled == self.columns:
            self.bonus.setdefault(move["gallery"], team)
        if self.players == 2 or len(self.deck) > 2:
            self.hands[seat] = sorted([*self.hands[seat], self.deck.pop(0)])
        elif self.players == 4 and team not in self.had_last_card:
            self.deciding = True
            return
        self.pass_turn()

    def pass_turn(self) -> None:
        """*Setup* 5 and *Stuck*."""
        seat = self.turn
        while len(self.stuck) < self.players:
            seat = (seat + 1) % self.players
            if seat in self.stuck:
                continue
            museum = self.museums[self.team_of[seat]]
            if any(
                fits(museum, g, c, card) for card in self.hands[seat] for g in GALLERIES for c in range(self.columns)
            ):
                self.turn = seat
                return
            self.stuck.add(seat)
        self.finish_game()

    # --- The end ---

    def points(self, team: int) -> int:
        bonus_cards = sum(owner == team for owner in self.bonus.values())
        return museum_points(self.museums[team], self.stairs, self.columns, bonus_cards)

    def finish_game(self) -> None:
        """*Score of a museum* (the ranking) and *Match*."""
        ranks = [
            (self.points(team), len(self.museums[team]), sum(owner == team for owner in self.bonus.values()))
            for team in range(len(self.teams))
        ]
        best = [team for team, rank in enumerate(ranks) if rank == max(ranks)]
        self.winning_teams = best
        if self.options["games_to_win"] == 1:
            self.finished = True
            return
        if len(best) == 1:
            self.games_won[best[0]] += 1
            if self.games_won[best[0]] == self.options["games_to_win"]:
                self.finished = True
                return
        losers = {seat for seat in range(self.players) if self.team_of[seat] not in best}
        for team in range(len(self.teams)):
            self.points_of_earlier_games[team] += self.points(team)
        self.may_start_next = losers or set(range(self.players))

    def result(self) -> dict[str, Any]:
        """The record's result."""
        match, count = self.options["games_to_win"], len(self.teams)
        points = [self.points(team) for team in range(count)]
        worth = []
        for team in range(count):
            if self.options["reward"] == "outcome":
                w = len(self.winning_teams)
                worth.append((count - w) / (w * (count - 1)) if team in self.winning_teams else -1 / (count - 1))
            elif self.options["reward"] == "margin":
                counted, scale = (points, 20) if match == 1 else (self.games_won, match)
                others = [counted[other] for other in range(count) if other != team]
                worth.append((counted[team] - sum(others) / len(others)) / scale)
            else:
                worth.append(float(points[team] + self.points_of_earlier_games[team]))
        per_seat = range(self.players)
        result = {
            "scores": [points[self.team_of[seat]] for seat in per_seat],
            "winners": [seat for seat in per_seat if self.team_of[seat] in self.winning_teams],
            "rewards": [worth[self.team_of[seat]] for seat in per_seat],
            "ended": "terminated",
        }
        if match > 1:
            result["games_won"] = [self.games_won[self.team_of[seat]] for seat in per_seat]
        return result


def replay(record: dict[str, Any]) -> list[list[int]]:
    """Play a record back and check every part of it.

    Returns:
        The legal actions before each step that is a move, in order.

    Raises:
        Mismatch: Something in the record is not as the rules have it.
    """
    assert sorted(record) == ["format", "game", "options", "result", "seed", "setup", "steps", "version"]
    assert (record["format"], record["game"], record["version"]) == ("gallery-record/1", "musee", "musee_v0")
    game = SecondMusee(record["options"], record["setup"])
    all_legal = []
    for number, step in enumerate(record["steps"]):
        if game.may_start_next is not None:
            if sorted(step) != ["chance"] or step["chance"]["kind"] != "deal":
                raise Mismatch(f"step {number}: a game of the match has ended, a deal must follow, not {step}")
            game.lay_out({key: value for key, value in step["chance"].items() if key != "kind"})
            continue
        if sorted(step) != ["action", "move", "seat"]:
            raise Mismatch(f"step {number}: keys {sorted(step)}")
        if step["seat"] != game.turn:
            raise Mismatch(f"step {number}: it is the turn of seat {game.turn}, not {step['seat']}")
        legal = game.legal_actions()
        if step["action"] not in legal:
            raise Mismatch(f"step {number}: action {step['action']} is not among the legal {legal}")
        if step["move"] != game.move(step["action"]):
            raise Mismatch(f"step {number}: action {step['action']} is {game.move(step['action'])}, not {step['move']}")
        all_legal.append(legal)
        game.play(step["action"])
    if game.may_start_next is not None:
        raise Mismatch("a chance step stands in a record as soon as it happens: the next deal is missing")
    result = record["result"]
    if not game.finished:
        if result is not None:
            raise Mismatch(f"the game goes on, but the record has the result {result}")
        return all_legal
    expected = game.result()
    if result is None or sorted(result) != sorted(expected):
        raise Mismatch(f"result: expected {expected}, the record has {result}")
    for key, value in expected.items():
        same = (
            all(abs(a - b) < 1e-6 for a, b in zip(value, result[key], strict=True))
            if key == "rewards"
            else value == result[key]
        )
        if not same:
            raise Mismatch(f"result: {key} must be {value}, not {result[key]}")
    return all_legal
