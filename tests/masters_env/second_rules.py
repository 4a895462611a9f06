"""Masters Gallery a second time, from the rules text and the record format alone; no code is shared with the first.

Written to be compared with, not to be fast. A game is one conversation: wherever a player must decide, ``game`` stops
at a ``yield`` and goes on with the answer, so that the text reads like the rules. Cards lie in lists, and everything is
counted afresh each time it is asked for. ``totals_of_record`` counts a record's points a third time, in another way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

ARTISTS = range(5)
PLAIN, DRAW, SECOND_UP, SECOND_DOWN, SIMULTANEOUS, AWARD = range(6)
WORKS = (17, 18, 19, 20, 21)
PACK = Counter(
    {artist * 6 + symbol: (WORKS[artist] - 6, 1, 1, 2, 1, 1)[symbol] for artist in ARTISTS for symbol in range(6)}
)
DEAL = {2: (13, 6, 6, 3), 3: (13, 6, 6, 0), 4: (13, 4, 4, 0), 5: (13, 2, 2, 0)}
LIMIT = {2: 5, 3: 6, 4: 6, 5: 6}
DECLINE = 35


class Mismatch(AssertionError):
    """A record does not hold; the message begins with the step number."""


@dataclass
class Question:
    """A decision: who is asked, for what, and every legal answer as an action number, ascending."""

    seat: int
    kind: str
    legal: list[int]


Conversation = Generator[Question, int, Any]


def artist_of(card: int) -> int:
    return card // 6


def works_by_artist(cards: list[int]) -> list[int]:
    return [sum(artist_of(card) == artist for card in cards) for artist in ARTISTS]


def token_winners(works: list[int], empty_artist_token: bool) -> dict[int, int]:
    """*The end of a round*, 2: the value token of each artist that gets one."""
    ranking = sorted(ARTISTS, key=lambda artist: (-works[artist], artist))
    return {
        artist: token
        for artist, token in zip(ranking, (3, 2, 1), strict=False)
        if works[artist] > 0 or empty_artist_token
    }


class SecondMasters:
    """One game as the rules text has it.

    Attributes:
        question: The decision that is due; None when the game is over.
        active: Whose turn it is, or who has ended the round.
        symbol_of: The artist of the card whose symbol acts, or None.
        ranked: The artists whose works score, while the round is being scored.
        may_add: While a player adds extra cards: one artist for each card that may still be added.
    """

    def __init__(self, options: dict[str, Any], setup: dict[str, Any]) -> None:
        assert sorted(setup) == ["deck", "first_seat", "hands"]
        self.options = options
        self.players = options["num_players"]
        self.first_seat = setup["first_seat"]
        self.hands = [list(hand) for hand in setup["hands"]]
        self.deck = list(setup["deck"])
        assert Counter(sum(self.hands, []) + self.deck) == PACK
        assert [len(hand) for hand in self.hands] == [13] * self.players
        self.displays: list[list[int]] = [[] for _ in range(self.players)]
        self.face_down: list[list[int]] = [[] for _ in range(self.players)]
        self.chosen: dict[int, int] = {}
        self.extra: list[int] = []
        self.left_the_game: list[int] = []
        self.tokens: list[list[int]] = [[] for _ in ARTISTS]
        self.awards = [0] * 5
        self.totals = [0] * self.players
        self.round = 0
        self.starter = self.active = self.first_seat
        self.symbol_of: int | None = None
        self.ranked: list[int] = []
        self.may_add: list[int] = []
        self.conversation = self.game()
        self.question: Question | None = next(self.conversation)

    def play(self, action: int) -> None:
        """Answer the question."""
        assert self.question is not None
        assert action in self.question.legal
        try:
            self.question = self.conversation.send(action)
        except StopIteration:
            self.question = None

    def clockwise_from(self, seat: int) -> list[int]:
        return [(seat + turn) % self.players for turn in range(self.players)]

    def works(self) -> list[int]:
        """Face up on the table, by artist."""
        return works_by_artist([*self.extra, *sum(self.displays, [])])

    # --- Decisions ---

    def card_of(self, seat: int, kind: str, cards: list[int]) -> Conversation:
        """A card that the player must play out of some of the hand."""
        card = yield Question(seat, kind, sorted(set(cards)))
        self.hands[seat].remove(card)
        return card

    def card_or_none_of(self, seat: int, kind: str, cards: list[int]) -> Conversation:
        """A card that the player may play; a player who could only decline is not asked."""
        if not cards:
            return None
        answer = yield Question(seat, kind, [*sorted(set(cards)), DECLINE])
        if answer == DECLINE:
            return None
        self.hands[seat].remove(answer)
        return answer

    # --- The rules ---

    def game(self) -> Conversation:
        """Four rounds."""
        for self.round in range(4):
            self.extra = [self.deck.pop(0)]
            if self.round > 0:
                for _ in range(DEAL[self.players][self.round]):
                    for seat in self.clockwise_from(self.starter):
                        self.hands[seat].append(self.deck.pop(0))
            ender = yield from self.turns()
            yield from self.end_of_round(ender)
            if self.round < 3:
                self.starter = self.clockwise_from(ender)[1]

    def turns(self) -> Conversation:
        """*A turn*, again and again; who ends the round."""
        seat = self.starter
        while any(self.hands):
            if self.hands[seat]:
                self.active = seat
                ender = yield from self.turn(seat)
                self.symbol_of = None
                if ender is not None:
                    return ender
                if not any(self.hands):
                    return seat
            seat = self.clockwise_from(seat)[1]
        return self.starter

    def turn(self, seat: int) -> Conversation:
        """*A turn*; who ends the round by bringing an artist to the limit, or None."""
        limit = LIMIT[self.players]
        card = yield from self.card_of(seat, "play", self.hands[seat])
        self.displays[seat].append(card)
        artist, symbol = divmod(card, 6)
        if self.works()[artist] == limit:
            return seat
        self.symbol_of = artist
        if symbol == DRAW:
            self.hands[seat] += self.deck[:1]
            del self.deck[:1]
        if symbol == SECOND_UP:
            alike = [other for other in self.hands[seat] if artist_of(other) == artist]
            second = yield from self.card_or_none_of(seat, "second_up", alike)
            if second is not None:
                self.displays[seat].append(second)
            if self.works()[artist] == limit:
                return seat
        if symbol == SECOND_DOWN:
            second = yield from self.card_or_none_of(seat, "second_down", self.hands[seat])
            if second is not None:
                self.face_down[seat].append(second)
        if symbol == SIMULTANEOUS:
            return (yield from self.simultaneous_play(seat))
        if symbol == AWARD:
            action = yield Question(seat, "award", [30 + one for one in ARTISTS])
            self.awards[action - 30] += 1
        return None

    def simultaneous_play(self, active: int) -> Conversation:
        """*Simultaneous*; who ends the round, or None."""
        for seat in self.clockwise_from(active):
            if self.hands[seat]:
                self.chosen[seat] = yield from self.card_of(seat, "simultaneous", self.hands[seat])
        revealed, self.chosen = self.chosen, {}
        for seat, card in revealed.items():
            self.displays[seat].append(card)
        works = self.works()
        at_limit = [seat for seat, card in revealed.items() if works[artist_of(card)] >= LIMIT[self.players]]
        if not at_limit:
            return None
        return active if self.options["simultaneous_ender"] == "active" else at_limit[0]

    def end_of_round(self, ender: int) -> Conversation:
        """*The end of a round*, 1 to 5."""
        self.active = ender
        for seat in range(self.players):
            self.displays[seat] += self.face_down[seat]
            self.face_down[seat] = []
        winners = token_winners(self.works(), self.options["empty_artist_token"])
        for artist, token in winners.items():
            self.tokens[artist].append(token)
        self.ranked = sorted(winners)
        value = [sum(self.tokens[one]) + 2 * self.awards[one] if one in winners else 0 for one in ARTISTS]
        for seat in self.clockwise_from(ender):
            yield from self.extra_cards(seat)
            self.totals[seat] += sum(value[artist_of(card)] for card in self.displays[seat])
        self.left_the_game += self.extra + sum(self.displays, [])
        self.extra = []
        self.ranked = []
        self.displays = [[] for _ in range(self.players)]

    def extra_cards(self, seat: int) -> Conversation:
        """*The end of a round*, 4, for one player."""
        self.may_add = sorted({artist_of(card) for card in self.displays[seat]})
        while self.may_add:
            cards = self.hands[seat]
            if self.options["extra_card"] == "same_artist":
                cards = [card for card in cards if artist_of(card) in self.may_add]
            card = yield from self.card_or_none_of(seat, "extra", cards)
            if card is None:
                self.may_add = []
            else:
                self.displays[seat].append(card)
                self.may_add.remove(artist_of(card) if artist_of(card) in self.may_add else self.may_add[0])

    # --- The result ---

    def result(self) -> dict[str, Any]:
        """The record's result."""
        best = max(self.totals)
        winners = [seat for seat, total in enumerate(self.totals) if total == best]
        rewards = []
        for seat, total in enumerate(self.totals):
            if self.options["reward"] == "outcome":
                p, w = self.players, len(winners)
                rewards.append((p - w) / (w * (p - 1)) if seat in winners else -1 / (p - 1))
            elif self.options["reward"] == "margin":
                others = [other for place, other in enumerate(self.totals) if place != seat]
                rewards.append((total - sum(others) / len(others)) / 50)
            else:
                rewards.append(float(total))
        return {"scores": self.totals, "winners": winners, "rewards": rewards, "ended": "terminated"}


def move_in_words(question: Question, action: int) -> dict[str, Any]:
    """*Actions*."""
    if action == DECLINE:
        return {"kind": "decline"}
    if question.kind == "award":
        return {"kind": "award", "artist": action - 30}
    return {"kind": question.kind, "artist": action // 6, "symbol": action % 6}


def replay(record: dict[str, Any]) -> list[list[int]]:
    """Play a record back and check every part of it.

    Returns:
        The legal actions before each step, in order.

    Raises:
        Mismatch: Something in the record is not as the rules have it.
    """
    assert sorted(record) == ["format", "game", "options", "result", "seed", "setup", "steps", "version"]
    assert (record["format"], record["game"], record["version"]) == ("gallery-record/1", "masters", "masters_v0")
    game = SecondMasters(record["options"], record["setup"])
    all_legal = []
    for number, step in enumerate(record["steps"]):
        question = game.question
        if sorted(step) != ["action", "move", "seat"]:
            raise Mismatch(f"step {number}: keys {sorted(step)}")
        if question is None:
            raise Mismatch(f"step {number}: the game is over")
        if step["seat"] != question.seat:
            raise Mismatch(f"step {number}: it is the turn of seat {question.seat}, not {step['seat']}")
        if step["action"] not in question.legal:
            raise Mismatch(f"step {number}: action {step['action']} is not among the legal {question.legal}")
        words = move_in_words(question, step["action"])
        if step["move"] != words:
            raise Mismatch(f"step {number}: action {step['action']} is {words}, not {step['move']}")
        all_legal.append(question.legal)
        game.play(step["action"])
    result = record["result"]
    if game.question is not None:
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


def totals_of_record(record: dict[str, Any]) -> tuple[list[int], list[Counter[int]]]:
    """Count the points of a finished game from nothing but the moves in its record and the deck.

    No player's turn and no hand is followed, only who showed what in which round: extra cards change no value, so it
    does not matter who added them when.

    Returns:
        The total of each seat, and for each round the value tokens that artists got.
    """
    players, options, steps = record["options"]["num_players"], record["options"], record["steps"]
    deck = list(record["setup"]["deck"])
    cards_in_hands = 13 * players
    step = 0
    values_before = [0] * 5
    totals, tokens = [0] * players, []

    def at(number: int) -> str:
        return steps[number]["move"]["kind"] if number < len(steps) else "none"

    for number in range(4):
        dealt = DEAL[players][number] * players if number else 0
        extra_card = deck.pop(0)
        del deck[:dealt]
        cards_in_hands += dealt
        face_up, hidden, shown = Counter([artist_of(extra_card)]), Counter(), Counter()
        ended = cards_in_hands == 0
        while not ended:
            move, seat = steps[step]["move"], steps[step]["seat"]
            kind = move["kind"]
            if kind == "award":
                values_before[move["artist"]] += 2
            elif kind != "decline":
                shown[seat, move["artist"]] += 1
                cards_in_hands -= 1
                (hidden if kind == "second_down" else face_up)[move["artist"]] += 1
            step += 1
            if at(step) == kind == "simultaneous":
                continue
            ended = max(face_up.values()) >= LIMIT[players]
            if not ended:
                if kind == "play" and move["symbol"] == DRAW and deck:
                    del deck[0]
                    cards_in_hands += 1
                turn_goes_on = at(step) in ("second_up", "second_down", "simultaneous", "award")
                turn_goes_on |= at(step) == "decline" and kind == "play"
                ended = cards_in_hands == 0 and not turn_goes_on
        on_table = face_up + hidden
        tokens.append(Counter(token_winners([on_table[artist] for artist in ARTISTS], options["empty_artist_token"])))
        while at(step) in ("extra", "decline"):
            if at(step) == "extra":
                shown[steps[step]["seat"], steps[step]["move"]["artist"]] += 1
                cards_in_hands -= 1
            step += 1
        for artist, token in tokens[-1].items():
            values_before[artist] += token
            for seat in range(players):
                totals[seat] += values_before[artist] * shown[seat, artist]
    assert step == len(steps)
    return totals, tokens
