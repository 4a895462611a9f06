"""A person at the terminal against policies."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from env_core.aec import RawEnv
from env_core.policies import Policy, PolicyWithStates, call_policy
from env_core.rendering import player_name
from masters_env.state import ARTIST_NAMES, SYMBOL_NAMES
from musee_env.state import GALLERY_NAMES

NAMES_FOR_NUMBERS: dict[str, dict[str, Sequence[str]]] = {
    "musee": {"gallery": GALLERY_NAMES},
    "masters": {"artist": ARTIST_NAMES, "symbol": SYMBOL_NAMES},
}
"""By game and key of a move in words: what people say instead of the number."""

HELP = """\
Type a move in words, as `moves` lists them: `{example}`, say.
Each word may be cut short, the first one (what kind of move it is) left out. A single number is a move's in that list.
  moves  list your legal moves and their numbers
  table  show the table again
  help   show this
  quit   stop; the record of the game so far is kept"""

MOVES_AT_ONCE = 120

MOST_DIGITS = 18
"""A longer number is that of no move; Python reads very long ones not at all."""


class UnclearMoveError(ValueError):
    """What a person typed is no move, or could be several."""


def phrase(game: str, words: dict[str, Any]) -> str:
    """A move in words as one line: ``place 14 top 3``.

    Args:
        game: The game's name.
        words: As ``raw_env.describe`` gives them.
    """
    return " ".join(said for said, *_ in _ways_to_say(game, words))


def _ways_to_say(game: str, words: dict[str, Any]) -> list[list[str]]:
    """For each part of a move what may be said for it, what is shown first."""
    names = NAMES_FOR_NUMBERS.get(game, {})
    return [[*([names[key][value]] if key in names else []), _said(value)] for key, value in words.items()]


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_said, value))
    return str(value)


def understood(env: RawEnv, typed: str) -> int:
    """The action that a person means.

    Args:
        env: The game, with the person to move.
        typed: The number of an action, or words that mean one. An illegal move is understood too, so that ``refusal``
            can say why it is not legal.

    Raises:
        UnclearMoveError: It means no move, or several.
    """
    tokens = _tokens(typed)
    if len(tokens) == 1 and tokens[0].isdecimal() and len(tokens[0]) <= MOST_DIGITS:
        return int(tokens[0])
    legal = env.legal_actions()
    for actions in (legal, range(env.action_space(env.agent_selection).n)):
        meant = [action for action in actions if _means(tokens, _ways_to_say(env.game.name, env.describe(action)))]
        if len(meant) == 1:
            return meant[0]
        if meant:
            several = "; ".join(phrase(env.game.name, env.describe(action)) for action in meant[:4])
            more = " ..." if len(meant) > 4 else ""
            raise UnclearMoveError(f"{typed!r} could be {len(meant)} moves ({several}{more}).")
    # Words that stand somewhere in a move, but neither at its beginning nor behind its first word.
    partly = [words for words in _legal_phrases(env) if _stands_in(tokens, _tokens(words))]
    if partly:
        others = len(partly) - 1
        more = f" or {others} other{'s' if others > 1 else ''}" if others else ""
        raise UnclearMoveError(f"{typed!r} is a part of {partly[0]!r}{more}: type the whole move.")
    example = phrase(env.game.name, env.describe(legal[0]))
    raise UnclearMoveError(f"{typed!r} is no move; {example!r} is one. Type `moves` for all of them, `help` for help.")


def refusal(env: RawEnv, action: int, typed: str) -> str:
    """Why a move that a person typed is not legal, in words.

    Args:
        env: The game, with the person to move.
        action: What was understood; not legal.
        typed: What was typed.
    """
    number, moves = typed.strip().isdecimal(), env.action_space(env.agent_selection).n
    if not 0 <= action < moves:
        return f"There is no move number {action}; they go from 0 to {moves - 1}. Type `moves` for the legal ones."
    words, why = env.describe(action), env.game.moves.why_illegal(env.table.states[0], action)
    said = phrase(env.game.name, words)
    if not number:
        return f"{said!r} is not legal: {why}."
    meant = "is no move now" if words["kind"] == "none" else f"is {said!r}, which is not legal"
    others = [legal for legal in _legal_phrases(env) if str(action) in legal.split()]
    hint = f" If {action} is to be a word of the move, type the others too, {others[0]!r} say." if others else ""
    return f"Move number {action} {meant}: {why}.{hint}"


def _legal_phrases(env: RawEnv) -> list[str]:
    return [phrase(env.game.name, env.describe(action)) for action in env.legal_actions()]


def _stands_in(tokens: list[str], said: list[str]) -> bool:
    starts = range(len(said) - len(tokens) + 1)
    return any(all(map(_cut_short, tokens, said[start:])) for start in starts) and bool(tokens)


def _tokens(text: str) -> list[str]:
    """The words of a text, for comparing: without capitals, accents and underlines."""
    letters = unicodedata.normalize("NFKD", text.lower().replace("_", " "))
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).split()


def _means(tokens: list[str], ways: list[list[str]]) -> bool:
    return bool(tokens) and (_says(tokens, ways) or _says(tokens, ways[1:]))


def _says(tokens: list[str], ways: list[list[str]]) -> bool:
    """Whether the tokens say each part in turn; of a name of several words the later ones may be left out."""
    if not ways:
        return not tokens
    return any(
        len(head) <= len(name) and all(map(_cut_short, head, name)) and _says(tokens[len(head) :], ways[1:])
        for name in map(_tokens, ways[0])
        for head in (tokens[:count] for count in range(1, len(tokens) + 1))
    )


def _cut_short(token: str, word: str) -> bool:
    return token == word or (not token.isdecimal() and word.startswith(token))


def scores_in_words(scores: Sequence[int]) -> str:
    """Each seat's score: ``player_0 12, player_1 9``."""
    return ", ".join(f"{player_name(seat)} {score}" for seat, score in enumerate(scores))


def play_in_terminal(
    env: RawEnv,
    person: int,
    policies: Sequence[Policy | PolicyWithStates | None],
    seed: int,
    *,
    names: Sequence[str] | None = None,
    read: Callable[[str], str] = input,
    write: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Play one game with a person; stop when it is over, or when the person quits.

    Args:
        env: Made with ``render_mode="ansi"``; it is reset.
        person: The person's seat.
        policies: One for each seat; the person's own place is not read.
        seed: Deals the game and seeds the policies.
        names: What the policies are called, one for each seat; the person's own place is not read. None for what they
            say of themselves.
        read: Asks for a line; ``EOFError`` and ``KeyboardInterrupt`` quit.
        write: Shows text.

    Returns:
        The game record; unfinished (``result`` None) if the person quit.
    """
    env.reset(seed=seed)
    rng = np.random.default_rng([seed, person])
    others = ", ".join(
        f"{agent} is {names[seat] if names else policies[seat]!r}"
        for seat, agent in enumerate(env.possible_agents)
        if seat != person
    )
    write(f"{env.game.title}: you are player_{person}, {others}. Type `help` for help.")
    # Ctrl-C while another seat is thinking quits as it does at the prompt.
    with suppress(KeyboardInterrupt):
        _play_on(env, person, policies, rng, read, write)
    return env.record()


def _play_on(
    env: RawEnv,
    person: int,
    policies: Sequence[Policy | PolicyWithStates | None],
    rng: np.random.Generator,
    read: Callable[[str], str],
    write: Callable[[str], None],
) -> None:
    row = np.zeros(1, dtype=np.int64)
    shown_last = ""
    while (seat := env.table.seat.item()) >= 0:
        if seat == person:
            table = str(env.render())
            # In the middle of a turn the table is as it was, but for what the person did; the last line asks. A new
            # heading tells of a new round.
            goes_on = shown_last.partition("\n")[0] == table.partition("\n")[0]
            write(table.rpartition("\n")[2] if goes_on else f"\n{table}")
            shown_last = table
            action = _asked(env, read, write)
            if action is None:
                return
        else:
            policy = policies[seat]
            assert policy is not None
            action = int(call_policy(policy, env.table, row, rng)[0])
            shown_last = ""
        who = "You" if seat == person else f"player_{seat}"
        write(f"{who}: {phrase(env.game.name, env.describe(action))}")
        before = env.table.scores()[0].tolist()
        env.step(action)
        scores = env.table.scores()[0].tolist()
        if scores != before:
            write(f"scores: {scores_in_words(scores)}")
    write(f"\n{env.render()}")


def _asked(env: RawEnv, read: Callable[[str], str], write: Callable[[str], None]) -> int | None:
    """The legal action that the person types; None to quit."""
    while True:
        try:
            typed = read("> ").strip()
        except (EOFError, KeyboardInterrupt):
            return None
        command = typed.lower()
        if command in ("quit", "exit", "q"):
            return None
        if command in ("help", "h", "?"):
            write(help_text(env))
        elif command in ("moves", "m"):
            write(list_of_moves(env))
        elif command in ("table", "t"):
            write(str(env.render()))
        elif typed:
            try:
                action = understood(env, typed)
            except UnclearMoveError as error:
                write(str(error))
                continue
            if action in env.legal_actions():
                return action
            write(refusal(env, action, typed))


def help_text(env: RawEnv) -> str:
    """What may be typed, with the legal move of most words as an example."""
    return HELP.format(example=max(_legal_phrases(env), key=lambda said: len(said.split())))


def list_of_moves(env: RawEnv) -> str:
    """The legal moves of the agent to move, each with its number, in columns."""
    moves = [f"{action:>5}  {phrase(env.game.name, env.describe(action))}" for action in env.legal_actions()]
    left = len(moves) - MOVES_AT_ONCE
    moves = moves[:MOVES_AT_ONCE]
    width = max(map(len, moves)) + 3
    across = max(1, 100 // width)
    lines = [
        "".join(move.ljust(width) for move in moves[start : start + across]).rstrip()
        for start in range(0, len(moves), across)
    ]
    return "\n".join([*lines, *([f"... and {left} more"] if left > 0 else [])])
