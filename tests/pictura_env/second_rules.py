"""Museum: Pictura a second time, from the rules text and the record format alone; no code is shared with the first.

Written to be compared with, not to be fast. The whole game is one generator that reads like the rules: it yields each
question that a seat is asked, and each deck that has to be made anew, and is sent the answer.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT_CARDS = Path(__file__).parents[2] / "pictura_env" / "cards" / "default.toml"

SETUP = {
    "first_seat",
    "cards_sha256",
    "public_trend",
    "museum_trends",
    "museum_paintings",
    "hands",
    "favors",
    "trends_dealt",
    "patrons_shown",
    "painting_deck",
    "favor_deck",
    "patron_deck",
}


class Mismatch(AssertionError):
    """A record does not hold; the message begins with the step number."""


@dataclass
class Question:
    """A seat is asked: each legal action number with the move that it stands for."""

    seat: int
    answers: dict[int, dict[str, Any]]


@dataclass
class Shuffle:
    """A deck is made anew from these cards, in an order that chance decides."""

    deck: str
    cards: list[int]


Course = Generator[Any, Any, None]


class Cards:
    """A card file, taken on trust: malformed ones are not this program's job."""

    def __init__(self, name: str) -> None:
        content = (DEFAULT_CARDS if name == "default" else Path(name)).read_bytes()
        self.sha256 = hashlib.sha256(content).hexdigest()
        self.file = tomllib.loads(content.decode())
        self.favors = self.file["favors"]["types"]
        self.patrons = self.file["patrons"]["cards"]
        self.spaces = [word.split() for word in self.file["reward_spaces"]["spaces"]]

    def shows(self, painting: int) -> dict[str, int]:
        """What a painting shows: painter, period, domain."""
        return {what: self.file["paintings"][what][painting] for what in ("period", "domain", "painter")}

    def matches(self, painting: int, trend: int) -> list[int]:
        """The values of all that matches."""
        trends, shown = self.file["trends"], self.shows(painting)
        return [
            value
            for what, value in zip(("period", "domain", "painter"), trends["values"][trend], strict=True)
            if trends[what][trend] == shown[what]
        ]

    def best(self, painting: int, trend: int) -> int:
        return max(self.matches(painting, trend), default=0)

    def total(self, painting: int, trend: int) -> int:
        return sum(self.matches(painting, trend))

    def collections(self, museum: dict[int, int], of: str, index: int) -> list[int]:
        """The sizes of all groups of enough paintings of one period or domain, connected by edges."""
        unseen = {slot for slot, painting in museum.items() if self.shows(painting)[of] == index}
        sizes = []
        while unseen:
            group, edge = set(), {min(unseen)}
            while edge:
                group |= edge
                unseen -= edge
                edge = {other for slot in edge for other in neighbours(slot)} & unseen
            if len(group) >= self.file["collections"]["smallest"]:
                sizes.append(len(group))
        return sizes

    def value_of_collection(self, size: int) -> int:
        values, smallest = self.file["collections"]["values"], self.file["collections"]["smallest"]
        return values[-1] if size - smallest >= len(values) else values[size - smallest]

    def meets(self, museum: dict[int, int], patron: int) -> bool:
        asked = {
            what: number for what, number in self.patrons[patron].items() if what in ("painter", "period", "domain")
        }
        fitting = [painting for painting in museum.values() if asked.items() <= self.shows(painting).items()]
        return len(fitting) >= self.patrons[patron]["count"]


def neighbours(slot: int) -> set[int]:
    """The slots that share an edge with a slot."""
    row, column = divmod(slot, 5)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return {r * 5 + c for r, c in around if 0 <= r < 5 and 0 <= c < 5}


def kinds() -> list[tuple[str, int]]:
    """The eleven kinds of collection: five periods, then six domains."""
    return [("period", index) for index in range(5)] + [("domain", index) for index in range(6)]


class SecondPictura:
    """One game as the rules text has it; ``waiting`` is what it waits for, None once it is over."""

    def __init__(self, options: dict[str, Any], setup: dict[str, Any]) -> None:
        self.options = options
        self.cards = Cards(options["cards"])
        self.players = options["num_players"]
        self.seats = range(self.players)
        self.favor_types = len(self.cards.favors)
        self.to_discard_favor = 223 + 2 * self.favor_types + 10
        self.to_keep = self.to_discard_favor + self.favor_types
        self.yes = self.to_keep + 3
        self.no = self.yes + 1
        self.lay_out(setup)
        self.ended: str | None = None
        self.course = self.game()
        self.waiting: Question | Shuffle | None = next(self.course)

    def number_of_actions(self) -> int:
        return self.no + 1

    def send(self, answer: Any) -> None:
        """Answer what the game waits for: an action number, or the order of a deck made anew."""
        if isinstance(self.waiting, Question):
            assert answer in self.waiting.answers, f"{answer} is not among {sorted(self.waiting.answers)}"
        else:
            assert self.waiting is not None, "the game is over"
            assert sorted(answer) == sorted(self.waiting.cards), f"the {self.waiting.deck} holds other cards"
        try:
            self.waiting = self.course.send(answer)
        except StopIteration:
            self.waiting = None

    # --- Setup ---

    def lay_out(self, setup: dict[str, Any]) -> None:
        """*Setup* 1 to 5, and that the cards of the setup are those of the game."""
        prestige = self.cards.file["prestige"]
        assert set(setup) == SETUP
        assert setup["cards_sha256"] == self.cards.sha256
        paintings = sum([*setup["museum_paintings"], *setup["hands"]], []) + setup["painting_deck"]
        assert sorted(paintings) == list(range(180))
        assert sorted(setup["patrons_shown"] + setup["patron_deck"]) == list(range(60))
        favors = Counter({favor: self.cards.favors[favor]["copies"] for favor in range(self.favor_types)})
        assert Counter(setup["favors"] + setup["favor_deck"]) == favors
        self.first = setup["first_seat"]
        self.public_trend = setup["public_trend"]
        self.museum_trends = list(setup["museum_trends"])
        self.dealt = [list(trends) for trends in setup["trends_dealt"]]
        seen = [self.public_trend, *self.museum_trends, *sum(self.dealt, [])]
        assert len(set(seen)) == len(seen) == 5 + 3 * self.players
        self.secret: list[int | None] = [None] * self.players
        self.undealt_trends = [trend for trend in range(30) if trend not in seen]
        self.trend_deck: list[int] = list(self.undealt_trends)
        self.used_trends: set[int] = set()
        assert [len(row) for row in setup["museum_paintings"]] == [4] * 4
        self.international = [set(row) for row in setup["museum_paintings"]]
        assert [len(hand) for hand in setup["hands"]] == [5] * self.players
        self.hands = [set(hand) for hand in setup["hands"]]
        self.discards: list[set[int]] = [set() for _ in self.seats]
        self.museums: list[dict[int, int]] = [{} for _ in self.seats]
        self.painting_deck = list(setup["painting_deck"])
        self.favors = [Counter([favor]) for favor in setup["favors"]]
        self.favor_deck = list(setup["favor_deck"])
        self.used_favors: Counter[int] = Counter()
        self.shown: list[int | None] = list(setup["patrons_shown"])
        self.patron_deck = list(setup["patron_deck"])
        self.replaced: set[int] = set()
        self.claimed: list[set[int]] = [set() for _ in self.seats]
        self.tokens = [list(values) for values in self.cards.file["tokens"]["values"]]
        self.shows: list[set[int]] = [set() for _ in self.seats]
        self.spaces: list[dict[int, int]] = [{} for _ in self.seats]
        self.prestige = [0] * self.players
        for place in self.seats:
            self.prestige[(self.first + place) % self.players] = prestige["starting"][place]
        self.starting = list(self.prestige)
        self.markers = [prestige["first_marker"]] * self.players
        self.round = 0
        self.end_token: int | None = None
        self.on_the_way: int | None = None
        self.active = self.first
        self.action: str | None = None
        self.exhibits = self.moves = 0
        self.favor_played = self.patron_taken = self.free = False

    def in_order(self, start: int) -> list[int]:
        """All seats in turn order."""
        return [(start + turns) % self.players for turns in self.seats]

    # --- The course of the game ---

    def game(self) -> Course:
        for seat in self.in_order(self.first):
            trends = self.dealt[seat]
            kept = yield Question(
                seat, {self.to_keep + i: {"kind": "keep_trend", "trend": trend} for i, trend in enumerate(trends)}
            )
            self.secret[seat] = trends[kept - self.to_keep]
        given_back = [trend for seat in self.seats for trend in self.dealt[seat] if trend != self.secret[seat]]
        self.trend_deck = yield Shuffle("trend_deck", self.undealt_trends + given_back)
        turns_left = None
        seat = self.first
        while True:
            yield from self.turn(seat)
            if turns_left is not None:
                turns_left -= 1
            elif self.prestige[seat] >= self.cards.file["end_token"]["at"]:
                self.end_token = seat
                turns_left = self.players - 1
            if turns_left == 0:
                self.ended = "terminated"
                break
            seat = (seat + 1) % self.players
            if seat == self.first:
                self.round += 1
                if self.round == self.options["max_rounds"]:
                    self.ended = "truncated"
                    break
                yield from self.turn_public_trend()
        if self.ended == "terminated":
            for seat in self.in_order(self.first):
                if self.museums[seat]:
                    yield from self.rearrange_finally(seat)
        self.score()

    def turn_public_trend(self) -> Course:
        self.used_trends.add(self.public_trend)
        if not self.trend_deck:
            cards, self.used_trends = sorted(self.used_trends), set()
            self.trend_deck = yield Shuffle("trend_deck", cards)
        self.public_trend = self.trend_deck.pop(0)

    def turn(self, seat: int) -> Course:
        self.active = seat
        self.action, self.exhibits, self.moves = None, 0, 0
        self.favor_played = self.patron_taken = self.free = False
        # Acquisition.
        self.draw(seat, 2 + self.reward(seat, "acquisition"))
        yield from self.trade(seat, may_decline=False)
        for other in self.in_order(seat)[1:]:
            yield from self.trade(other, may_decline=True)
        # Action, free actions, rearranging.
        while True:
            menu = self.menu(seat)
            action = yield Question(seat, menu)
            move = menu[action]
            if move["kind"] == "done":
                break
            yield from getattr(self, "do_" + move["kind"])(seat, move)
        # End of the turn.
        self.free = False
        limit = 8 + self.reward(seat, "hand_limit")
        while len(self.hands[seat]) > limit:
            painting = yield from self.ask_for_hand_card(seat, "discard")
            self.hands[seat].remove(painting)
            self.discards[seat].add(painting)
        while self.favors[seat].total() > 3:
            held = sorted(+self.favors[seat])
            action = yield Question(
                seat, {self.to_discard_favor + f: {"kind": "discard_favor", "favor": f} for f in held}
            )
            self.favors[seat][action - self.to_discard_favor] -= 1
            self.used_favors[action - self.to_discard_favor] += 1

    # --- Acquisition ---

    def draw(self, seat: int, count: int) -> None:
        drawn, self.painting_deck = self.painting_deck[:count], self.painting_deck[count:]
        self.hands[seat] |= set(drawn)

    def trade(self, seat: int, *, may_decline: bool) -> Course:
        if not self.hands[seat]:
            return
        answers = {
            painting: {"kind": "trade_take", "painting": painting, "museum": museum}
            for museum, paintings in enumerate(self.international)
            for painting in paintings
        }
        if may_decline:
            answers[self.no] = {"kind": "pass"}
        taken = yield Question(seat, answers)
        if taken == self.no:
            return
        museum = answers[taken]["museum"]
        self.international[museum].remove(taken)
        self.on_the_way = taken
        given = yield from self.ask_for_hand_card(seat, "trade_give")
        self.hands[seat].remove(given)
        self.international[museum].add(given)
        self.hands[seat].add(taken)
        self.on_the_way = None
        trend = self.museum_trends[museum]
        change = self.cards.best(given, trend) - self.cards.best(taken, trend)
        if change > 0:
            yield from self.gain(seat, change + self.reward(seat, "trade"))
        else:
            self.lose(seat, -change)

    def ask_for_hand_card(self, seat: int, kind: str) -> Generator[Any, Any, int]:
        painting = yield Question(seat, {card: {"kind": kind, "painting": card} for card in self.hands[seat]})
        return painting

    # --- Action ---

    def menu(self, seat: int) -> dict[int, dict[str, Any]]:
        """All that is possible now in the action phase."""
        answers: dict[int, dict[str, Any]] = {}
        museum, hand = self.museums[seat], self.hands[seat]
        limit = self.options["exhibits_per_action"]
        may_exhibit = self.action in (None, "exhibit") and len(museum) < 25
        if may_exhibit and (limit is None or self.exhibits < limit):
            if len(hand) > 1 or (self.free and hand):
                answers |= {card: {"kind": "exhibit", "painting": card, "from": "hand"} for card in hand}
            if (hand or self.free) and self.prestige[seat] > 0:
                for other in self.seats:
                    if other != seat:
                        for card in self.discards[other]:
                            answers[card] = {"kind": "exhibit", "painting": card, "from": other}
        if self.action is None:
            for number, (of, index) in enumerate(kinds()):
                is_new = number not in self.shows[seat] and len(self.spaces[seat]) < 6
                if is_new and self.tokens[number] and self.cards.collections(museum, of, index):
                    answers[205 + number] = {"kind": "open_exhibition", "of": of, "index": index}
            answers[222] = {"kind": "inventory"}
        if not self.favor_played:
            for favor in +self.favors[seat]:
                for half in (0, 1):
                    answers[223 + 2 * favor + half] = {"kind": "play_favor", "favor": favor, "half": half}
        if not self.patron_taken:
            for place, patron in enumerate(self.shown):
                if patron is not None and self.cards.meets(museum, patron):
                    for offset, take in enumerate(("points", "reward")):
                        action = 223 + 2 * self.favor_types + 2 * place + offset
                        answers[action] = {"kind": "claim_patron", "patron": patron, "place": place, "take": take}
        if self.moves < self.options["rearrange_limit"]:
            answers |= {180 + slot: {"kind": "pick_up", "slot": slot} for slot in museum}
        if self.action is not None:
            answers[self.no] = {"kind": "done"}
        return answers

    def do_exhibit(self, seat: int, move: dict[str, Any]) -> Course:
        painting, owner = move["painting"], seat if move["from"] == "hand" else move["from"]
        (self.hands if owner == seat else self.discards)[owner].remove(painting)
        self.on_the_way = painting
        empty = [slot for slot in range(25) if slot not in self.museums[seat]]
        slot = (yield Question(seat, {180 + slot: {"kind": "place", "slot": slot} for slot in empty})) - 180
        if self.free:
            self.free = False
        else:
            payment = yield from self.ask_for_hand_card(seat, "pay")
            self.hands[seat].remove(payment)
            self.discards[seat].add(payment)
        self.on_the_way = None
        self.museums[seat][slot] = painting
        self.action = "exhibit"
        self.exhibits += 1
        if owner != seat:
            self.lose(seat, 1)
            yield from self.gain(owner, 1)
        yield from self.gain(seat, self.cards.best(painting, self.public_trend))

    def do_open_exhibition(self, seat: int, move: dict[str, Any]) -> Course:
        kind = kinds().index((move["of"], move["index"]))
        largest = max(self.cards.collections(self.museums[seat], move["of"], move["index"]))
        self.action = "exhibition"
        self.shows[seat].add(kind)
        token = self.tokens[kind].pop(0)
        value = self.cards.value_of_collection(largest)
        yield from self.gain(seat, value + token + self.reward(seat, "exhibition"))
        free = [space for space in range(6) if space not in self.spaces[seat]]
        space = (yield Question(seat, {216 + r: {"kind": "reward_space", "space": r} for r in free})) - 216
        self.spaces[seat][space] = kind

    def do_inventory(self, seat: int, move: dict[str, Any]) -> Course:
        self.action = "inventory"
        self.hands[seat] |= self.discards[seat]
        self.discards[seat] = set()
        if self.favor_deck or self.used_favors.total():
            if (yield self.yes_or_no(seat, "take_favor")) == self.yes:
                yield from self.draw_favor(seat)
        if any(patron is not None for patron in self.shown):
            if (yield self.yes_or_no(seat, "replace_patrons")) == self.yes:
                yield from self.replace_patrons()

    def yes_or_no(self, seat: int, kind: str) -> Question:
        return Question(seat, {self.yes: {"kind": kind, "yes": True}, self.no: {"kind": kind, "yes": False}})

    def do_pick_up(self, seat: int, move: dict[str, Any]) -> Course:
        slot, museum = move["slot"], self.museums[seat]
        others = [other for other in range(25) if other != slot]
        other = (yield Question(seat, {180 + o: {"kind": "put_down", "slot": o} for o in others})) - 180
        picked = museum.pop(slot)
        if other in museum:
            museum[slot] = museum[other]
        museum[other] = picked
        self.moves += 1

    # --- Free actions ---

    def do_play_favor(self, seat: int, move: dict[str, Any]) -> Course:
        favor = move["favor"]
        self.favor_played = True
        self.favors[seat][favor] -= 1
        self.used_favors[favor] += 1
        yield from self.effect(seat, self.cards.favors[favor][("upper", "lower")[move["half"]]])

    def do_claim_patron(self, seat: int, move: dict[str, Any]) -> Course:
        self.patron_taken = True
        self.claimed[seat].add(move["patron"])
        yield from self.show_patron(move["place"])
        patron = self.cards.patrons[move["patron"]]
        yield from self.effect(seat, f"prestige {patron['points']}" if move["take"] == "points" else patron["reward"])

    def effect(self, seat: int, effect: str) -> Course:
        name, *rest = effect.split()
        amount = int(rest[0]) if rest else 0
        if name == "prestige":
            yield from self.gain(seat, amount)
        elif name == "draw":
            self.draw(seat, amount)
        elif name == "favor":
            for _ in range(amount):
                yield from self.draw_favor(seat)
        elif name == "trade":
            yield from self.trade(seat, may_decline=True)
        elif name == "recover":
            for _ in range(amount):
                pile = self.discards[seat]
                if not pile:
                    break
                answers = {painting: {"kind": "recover", "painting": painting} for painting in pile}
                painting = yield Question(seat, answers | {self.no: {"kind": "pass"}})
                if painting == self.no:
                    break
                pile.remove(painting)
                self.hands[seat].add(painting)
        elif name == "free_exhibit":
            self.free = True
        elif name == "refresh":
            yield from self.replace_patrons()
        else:
            assert name == "none", effect

    def show_patron(self, place: int) -> Course:
        self.shown[place] = None
        if not self.patron_deck and self.replaced:
            cards, self.replaced = sorted(self.replaced), set()
            self.patron_deck = yield Shuffle("patron_deck", cards)
        if self.patron_deck:
            self.shown[place] = self.patron_deck.pop(0)

    def replace_patrons(self) -> Course:
        places = [place for place, patron in enumerate(self.shown) if patron is not None]
        for place in places:
            self.replaced.add(self.shown[place])  # type: ignore[arg-type]
            self.shown[place] = None
        for place in places:
            yield from self.show_patron(place)

    # --- Prestige and favors ---

    def gain(self, seat: int, amount: int) -> Course:
        self.prestige[seat] += amount
        while self.prestige[seat] >= self.markers[seat]:
            yield from self.draw_favor(seat)
            self.markers[seat] += self.cards.file["prestige"]["marker_step"]

    def lose(self, seat: int, amount: int) -> None:
        self.prestige[seat] = max(0, self.prestige[seat] - amount)

    def draw_favor(self, seat: int) -> Course:
        if not self.favor_deck and self.used_favors.total():
            cards, self.used_favors = sorted(self.used_favors.elements()), Counter()
            self.favor_deck = yield Shuffle("favor_deck", cards)
        if self.favor_deck:
            self.favors[seat][self.favor_deck.pop(0)] += 1

    def reward(self, seat: int, name: str) -> int:
        """What the reward spaces with a token bring of one sort."""
        return sum(int(self.cards.spaces[r][1]) for r in self.spaces[seat] if self.cards.spaces[r][0] == name)

    # --- The end ---

    def rearrange_finally(self, seat: int) -> Course:
        self.active, self.moves = seat, 0
        while True:
            answers: dict[int, dict[str, Any]] = {self.no: {"kind": "done"}}
            if self.moves < 25:
                answers |= {180 + slot: {"kind": "pick_up", "slot": slot} for slot in self.museums[seat]}
            action = yield Question(seat, answers)
            if action == self.no:
                return
            yield from self.do_pick_up(seat, answers[action])

    def final_points(self, seat: int) -> dict[str, int]:
        """All parts of the final scoring, by name."""
        museum, file, secret = self.museums[seat], self.cards.file, self.secret[seat]
        in_gallery = sum(slot // 5 == 2 or slot % 5 == 2 for slot in museum)
        sizes = [size for of, index in kinds() for size in self.cards.collections(museum, of, index)]
        return {
            "collections": sum(self.cards.value_of_collection(size) for size in sizes),
            "secret trend": sum(self.cards.total(p, secret) for p in museum.values()) if secret is not None else 0,
            "exhibitions": file["exhibitions"]["values"][len(self.spaces[seat])],
            "main gallery": file["full"]["main_gallery"] if in_gallery == 9 else 0,
            "museum": file["full"]["museum"] if len(museum) == 25 else 0,
            "patrons": self.reward(seat, "end_per_patron") * len(self.claimed[seat]),
            "gallery": self.reward(seat, "end_per_two_in_gallery") * (in_gallery // 2),
            "end token": file["end_token"]["value"] if self.end_token == seat else 0,
            "discards": -file["penalties"]["discarded_card"] * len(self.discards[seat]),
        }

    def score(self) -> None:
        for seat in self.seats:
            self.prestige[seat] = max(0, self.prestige[seat] + sum(self.final_points(seat).values()))

    def result(self) -> dict[str, Any]:
        """The record's result."""
        scores, count = self.prestige, self.players
        ranks = [(scores[seat], len(self.spaces[seat]), -len(self.discards[seat])) for seat in self.seats]
        winners = [seat for seat in self.seats if ranks[seat] == max(ranks)]
        if self.options["reward"] == "outcome":
            w = len(winners)
            rewards = [(count - w) / (w * (count - 1)) if seat in winners else -1 / (count - 1) for seat in self.seats]
        elif self.options["reward"] == "margin":
            rewards = [(score - (sum(scores) - score) / (count - 1)) / 50 for score in scores]
        else:
            rewards = [float(score - start) for score, start in zip(scores, self.starting, strict=True)]
        return {"scores": scores, "winners": winners, "rewards": rewards, "ended": self.ended}


def replay(record: dict[str, Any]) -> list[list[int]]:
    """Play a record back and check every part of it.

    Returns:
        The legal actions before each step that is a move, in order.

    Raises:
        Mismatch: Something in the record is not as the rules have it.
    """
    assert sorted(record) == ["format", "game", "options", "result", "seed", "setup", "steps", "version"]
    assert (record["format"], record["game"], record["version"]) == ("gallery-record/1", "pictura", "pictura_v0")
    game = SecondPictura(record["options"], record["setup"])
    all_legal = []
    for number, step in enumerate(record["steps"]):
        waiting = game.waiting
        if isinstance(waiting, Shuffle):
            if sorted(step) != ["chance"] or step["chance"]["kind"] != waiting.deck:
                raise Mismatch(f"step {number}: the {waiting.deck} is made anew here, not {step}")
            if sorted(step["chance"]["order"]) != sorted(waiting.cards):
                raise Mismatch(f"step {number}: the {waiting.deck} is made of {waiting.cards}, not {step}")
            game.send(list(step["chance"]["order"]))
            continue
        if waiting is None:
            raise Mismatch(f"step {number}: the game is over")
        if sorted(step) != ["action", "move", "seat"]:
            raise Mismatch(f"step {number}: keys {sorted(step)}")
        if step["seat"] != waiting.seat:
            raise Mismatch(f"step {number}: it is the turn of seat {waiting.seat}, not {step['seat']}")
        if step["action"] not in waiting.answers:
            raise Mismatch(f"step {number}: action {step['action']} is not among the legal {sorted(waiting.answers)}")
        if step["move"] != waiting.answers[step["action"]]:
            words = waiting.answers[step["action"]]
            raise Mismatch(f"step {number}: action {step['action']} is {words}, not {step['move']}")
        all_legal.append(sorted(waiting.answers))
        game.send(step["action"])
    if isinstance(game.waiting, Shuffle):
        raise Mismatch("a chance step stands in a record as soon as it happens: the last one is missing")
    result = record["result"]
    if game.waiting is not None:
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
