"""Protects play at the terminal: what a person may type, what is answered, and the record that is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from agents.games import FACES, face_of
from agents.musee_expert import MuseeExpert
from agents.play import UnclearMoveError, help_text, list_of_moves, phrase, play_in_terminal, refusal, understood
from env_core.policies import RandomPolicy
from env_core.records import check
from masters_env import masters_v0
from musee_env import musee_v0
from pictura_env import pictura_v0


class Terminal:
    """Types the given lines, then end of file; keeps what is shown."""

    def __init__(self, *lines: str) -> None:
        self.lines: Iterator[str] = iter(lines)
        self.shown: list[str] = []

    def read(self, prompt: str) -> str:
        for line in self.lines:
            return line
        raise EOFError

    def write(self, text: str) -> None:
        self.shown.append(text)

    @property
    def text(self) -> str:
        return "\n".join(self.shown)


def sit_down(terminal: Terminal, seed: int = 1, person: int = 0, **options: Any) -> dict[str, Any]:
    env = musee_v0.raw_env(render_mode="ansi", **options)
    policies = [RandomPolicy()] * len(env.possible_agents)
    return play_in_terminal(env, person, policies, seed, read=terminal.read, write=terminal.write)


@pytest.fixture
def env() -> musee_v0.raw_env:
    game = musee_v0.raw_env(render_mode="ansi")
    game.reset(seed=1)
    return game


def test_every_move_is_understood_in_its_own_words_and_by_number() -> None:
    for num_players in (2, 3, 4):
        game = musee_v0.raw_env(num_players=num_players)
        game.reset(seed=1)
        kinds = set()
        while legal := game.legal_actions():
            for action in legal[:: 1 + len(legal) // 3]:
                words = phrase("musee", game.describe(action))
                kinds.add(words.split()[0])
                assert understood(game, words) == action
                assert understood(game, words.upper()) == action
                assert understood(game, words.removeprefix("place ")) == action
                assert understood(game, f" {action} ") == action
            table = game.table
            game.step(int(MuseeExpert()(table.observation, table.action_mask, table.seat, np.random.default_rng(0))[0]))
        assert kinds == ({"place", "keep", "give"} if num_players == 4 else {"place"})


def test_words_may_be_cut_short_but_numbers_not(env: musee_v0.raw_env) -> None:
    action = env.legal_actions()[20]
    words = env.describe(action)
    card, gallery, column = words["card"], ("t", "mid", "bottom")[words["gallery"]], words["column"]
    assert understood(env, f"{card} {gallery} {column}") == action
    with pytest.raises(UnclearMoveError, match="is no move; 'place"):
        understood(env, f"{card}0 {gallery} {column}")
    for nonsense in ("foo", "place", f"{card} top", "-1", "top 3 14", f"{card} x 3"):
        with pytest.raises(UnclearMoveError):
            understood(env, nonsense)


def test_the_list_of_moves_is_whole(env: musee_v0.raw_env) -> None:
    listed = list_of_moves(env)
    for action in env.legal_actions():
        assert f"{action}  {phrase('musee', env.describe(action))}" in listed


def test_a_game_is_played_to_its_end(env: musee_v0.raw_env) -> None:
    # Every number is tried in turn, so that somewhere a legal one is among them.
    terminal = Terminal(*(str(action) for _ in range(40) for action in range(90)))
    record = sit_down(terminal, person=1)
    assert record["result"] is not None
    check(musee_v0.raw_env, record)
    assert "player_0: place" in terminal.text
    assert "wins" in terminal.text or "share the win" in terminal.text


def test_an_illegal_move_is_explained_and_asked_again() -> None:
    terminal = Terminal("0", "0", "500")
    record = sit_down(terminal)
    own = [step for step in record["steps"] if step["seat"] == 0]
    assert len(own) == 1
    place = phrase("musee", own[0]["move"])
    assert f"You: {place}" in terminal.text
    # The card has been played, so the same number now means another one, for the same place, which is filled.
    assert re.search(r"Move number 0 is 'place \d+ top 0', which is not legal: column 0 of the top", terminal.text)
    assert "There is no move number 500; they go from 0 to 89." in terminal.text
    assert "{" not in terminal.text


def test_it_is_said_who_plays() -> None:
    env = musee_v0.raw_env(render_mode="ansi", num_players=3)
    terminal = Terminal()
    names = ["expert", "me", "runs/mine/policy.zip"]
    play_in_terminal(env, 1, [RandomPolicy()] * 3, 1, names=names, read=terminal.read, write=terminal.write)
    assert "Musée: you are player_1, player_0 is 'expert', player_2 is 'runs/mine/policy.zip'." in terminal.shown[0]


def test_half_a_move_is_told_from_none(env: musee_v0.raw_env) -> None:
    with pytest.raises(UnclearMoveError, match=r"'top 3' is a part of 'place \d+ top 3' or 4 others: type the whole"):
        understood(env, "top 3")
    with pytest.raises(UnclearMoveError, match="'top 9' is no move"):
        understood(env, "top 9")


def test_a_number_that_is_no_legal_move_may_be_meant_as_a_word(env: musee_v0.raw_env) -> None:
    def cards() -> set[int]:
        return {env.describe(action)["card"] for action in env.legal_actions()} - set(env.legal_actions())

    while not cards():
        env.step(env.legal_actions()[0])
    card = min(cards())
    said = refusal(env, card, str(card))
    assert said.startswith(f"Move number {card} is 'place")
    assert re.search(rf"If {card} is to be a word of the move, type the others too, 'place {card} \w+ \d' say\.$", said)
    assert "Move number" not in refusal(env, card, "some words")


def test_a_number_of_thousands_of_digits_is_no_move() -> None:
    terminal = Terminal("9" * 5000, "٣" * 19, "quit")
    assert sit_down(terminal)["result"] is None
    assert terminal.text.count("is no move") == 2


def test_ctrl_c_while_others_think_quits() -> None:
    class Interrupted:
        needs_states = False

        def __call__(self, observation: Any, action_mask: Any, seats: Any, rng: Any) -> Any:
            raise KeyboardInterrupt

    env = musee_v0.raw_env(render_mode="ansi")
    for person in (0, 1):
        terminal = Terminal("0", "0", "0")
        record = play_in_terminal(env, person, [Interrupted()] * 2, 1, read=terminal.read, write=terminal.write)
        assert record["result"] is None
        check(musee_v0.raw_env, record)


def test_quitting_leaves_a_record_that_holds() -> None:
    for last in ("quit", "q", "exit"):
        terminal = Terminal("help", "moves", "table", "", last, "0")
        record = sit_down(terminal, seed=3)
        assert record["result"] is None
        assert record["seed"] == 3
        check(musee_v0.raw_env, record)
        assert "quit" in terminal.text
        assert not [step for step in record["steps"] if step["seat"] == 0]


def test_end_of_file_and_ctrl_c_quit() -> None:
    assert sit_down(Terminal())["result"] is None

    class Pressing(Terminal):
        def read(self, prompt: str) -> str:
            raise KeyboardInterrupt

    assert sit_down(Pressing())["result"] is None


def test_the_others_hands_are_not_shown() -> None:
    terminal = Terminal()
    env = musee_v0.raw_env(render_mode="ansi")
    record = play_in_terminal(env, 0, [None, RandomPolicy()], 1, read=terminal.read, write=terminal.write)
    assert record["setup"]["hands"][1]
    assert "Your hand" in terminal.text
    assert "player_1            5 cards" in terminal.text


def test_artists_and_symbols_are_called_by_their_names() -> None:
    env = masters_v0.raw_env(render_mode="ansi")
    rng = np.random.default_rng(0)
    said = set()
    for seed in range(3):
        env.reset(seed=seed)
        while legal := env.legal_actions():
            for action in legal:
                words = env.describe(action)
                names = phrase("masters", words)
                said.add(names)
                assert understood(env, names) == understood(env, names.upper()) == action
                if "symbol" in words:
                    assert understood(env, f"{words['kind']} {words['artist']} {words['symbol']}") == action
                    assert understood(env, names.removeprefix(f"{words['kind']} ")) == action
            env.step(int(rng.choice(legal)))
    assert {"play Monet draw", "play Van Gogh second face up", "extra Degas plain", "award Renoir", "decline"} <= said
    assert not any(letter.isdigit() for names in said for letter in names)


def test_names_may_be_cut_short_and_have_accents() -> None:
    env = masters_v0.raw_env()
    env.reset(seed=1)
    meant = {phrase("masters", env.describe(action)): action for action in range(30)}
    for typed in ("play van gogh second face up", "p Van second face u", "VAN GOGH SECOND FACE UP", "4 2"):
        assert understood(env, typed) == meant["play Van Gogh second face up"]
    assert understood(env, "monét dr") == meant["play Monet draw"]
    with pytest.raises(UnclearMoveError):
        understood(env, "gogh draw")
    with pytest.raises(UnclearMoveError, match=r"could be 2 moves \(play Degas second face up; play Degas second face"):
        understood(env, "play degas second")


@pytest.mark.parametrize("game", FACES)
def test_help_gives_an_example_that_fits_the_game(game: str) -> None:
    env = face_of(game).raw_env()
    env.reset(seed=1)
    example = re.search("`([^`]*)`, say", help_text(env))
    assert example is not None
    assert understood(env, example[1]) in env.legal_actions()
    assert len(example[1].split()) == max(len(phrase(game, env.describe(a)).split()) for a in env.legal_actions())


class Chooses(Terminal):
    """Types random legal moves; notes what was shown before each."""

    def __init__(self, env: Any, moves: int) -> None:
        super().__init__()
        self.env, self.moves, self.rng = env, moves, np.random.default_rng(5)
        self.before: list[list[str]] = []

    def read(self, prompt: str) -> str:
        if len(self.before) == self.moves:
            raise EOFError
        self.before.append(self.shown)
        self.shown = []
        return str(self.rng.choice(self.env.legal_actions()))


def test_the_table_is_shown_once_a_turn() -> None:
    env = pictura_v0.raw_env(render_mode="ansi")
    terminal = Chooses(env, 40)
    play_in_terminal(env, 0, [None, RandomPolicy()], 1, read=terminal.read, write=terminal.write)
    goes_on = 0
    for shown in terminal.before[1:]:
        others_moved = any(line.startswith("player_1: ") for line in shown)
        assert ("International museums" in "".join(shown)) == others_moved
        goes_on += not others_moved
        assert shown[-1].splitlines()[-1].startswith("player_0 (you): ")
    assert 10 < goes_on < 39


def test_a_kind_of_move_may_be_cut_short() -> None:
    env = pictura_v0.raw_env()
    env.reset(seed=1)
    trend, action = env.describe(env.legal_actions()[0])["trend"], env.legal_actions()[0]
    for typed in (f"keep_trend {trend}", f"keep trend {trend}", f"keep {trend}", f"k {trend}"):
        assert understood(env, typed) == action
    assert phrase("pictura", {"kind": "take_favor", "yes": False}) == "take_favor no"


def test_a_round_that_ends_is_told() -> None:
    env = masters_v0.raw_env(render_mode="ansi")
    terminal = Chooses(env, 10**6)
    record = play_in_terminal(env, 0, [None, RandomPolicy()], 1, read=terminal.read, write=terminal.write)
    terminal.before.append(terminal.shown)
    told = [line for shown in terminal.before for line in shown if line.startswith("scores: ")]
    totals = [[int(number) for number in re.findall(r"player_\d (\d+)", line)] for line in told]
    assert totals[-1] == record["result"]["scores"]
    assert 4 <= len(totals) <= 8
    assert totals == sorted(totals)
    # A new round is dealt: the table is new, whoever moved last.
    rounds = {line for shown in terminal.before for text in shown for line in re.findall("; round . of 4", text)}
    assert len(rounds) == 4
