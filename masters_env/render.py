"""Masters Gallery in text and pictures, as a seat sees the table; with the seat None everything lies open.

Players stand in the order of their seats whoever looks, so that nothing jumps about from move to move. Cards in a hand
go by their types, which are the action numbers that play them.
"""

from __future__ import annotations

import math
import textwrap

import numpy as np

from env_core.rendering import (
    BACK,
    BACK_LINES,
    GOLD,
    GOLD_DARK,
    GOLD_LIGHT,
    INK,
    PANEL,
    PANEL_EDGE,
    PAPER,
    PAPER_EDGE,
    TABLE,
    WORDS,
    WORDS_SOFT,
    Box,
    Canvas,
    Colour,
    Point,
    cards_in_words,
    mixed,
    player_name,
)
from masters_env import rules
from masters_env.state import (
    ARTIST_NAMES,
    ARTISTS,
    AWARD,
    AWARD_ACTION,
    AWARD_VALUE,
    CARD_TYPES,
    CHOOSING,
    COPIES,
    DECLINE,
    EXTRA_CARD,
    LIMIT_BY_PLAYERS,
    NOTHING,
    OVER,
    PHASE_NAMES,
    PLAIN,
    ROUNDS,
    SECOND_FACE_UP,
    SYMBOL_NAMES,
    SYMBOLS,
)

# --- What both have to say -----------------------------------------------------------------------------------------


def _seats(state: np.void) -> range:
    return range(int(state["num_players"]))


def _limit(state: np.void) -> int:
    return int(LIMIT_BY_PLAYERS[state["num_players"]])


def _name(seat: int, viewer: int | None) -> str:
    return f"{player_name(seat)} (you)" if seat == viewer else player_name(seat)


def _is_open(seat: int, viewer: int | None) -> bool:
    """Whether the one who looks sees a seat's hand, face-down cards and choice."""
    return viewer is None or viewer == seat


def _card_name(card: int) -> str:
    return f"{ARTIST_NAMES[card // SYMBOLS]} {SYMBOL_NAMES[card % SYMBOLS]}"


def _cards_of(counts: np.ndarray) -> list[int]:
    """Card types, ascending, each as often as it is counted."""
    return np.repeat(np.arange(CARD_TYPES), counts).tolist()


def _values(state: np.void) -> list[int]:
    """What a work of each artist is worth; before a round ends, if it ended now without what lies face down."""
    if state["phase"] == OVER:
        return [0] * ARTISTS
    table = state.copy()
    if state["phase"] != EXTRA_CARD:
        rules.rank_artists(table)
    return [int(rules.value_of_work(table, artist)) for artist in range(ARTISTS)]


def _unseen(state: np.void, viewer: int | None) -> np.ndarray:
    """Cards of each type that the one who looks has not seen; with everything open, those in the deck."""
    unseen = COPIES.astype(int) - state["on_table"] - state["gone"]
    for seat in _seats(state):
        if _is_open(seat, viewer):
            unseen -= state["hands"][seat] + state["face_down"][seat]
            if state["choice"][seat] != NOTHING:
                unseen[state["choice"][seat]] -= 1
    return unseen


def _legal(state: np.void, viewer: int | None) -> list[int]:
    """What the one who looks may do now."""
    if viewer is None or state["seat"] != viewer:
        return []
    return [action for action in range(DECLINE + 1) if rules.is_legal(state, action)]


def _request(state: np.void, viewer: int | None) -> str:
    """What is being asked, of whom; or how it ended."""
    if state["phase"] == OVER:
        winners = [player_name(seat) for seat in _seats(state) if state["winning"][seat]]
        return f"Game over: {' and '.join(winners)} {'share the win' if len(winners) > 1 else 'wins'}."
    seat = int(state["seat"])
    if viewer is None:
        # An illegal action has ended the game, or somebody looks into all hands while it goes on.
        return f"All hands lie open; the turn is with {player_name(seat)}."
    return f"{_name(seat, viewer)}: {_what_is_asked(state)}."


def _what_is_asked(state: np.void) -> str:
    match PHASE_NAMES[state["phase"]]:
        case "second_up":
            return f"play a second {ARTIST_NAMES[state['played_artist']]} face up, or decline"
        case "second_down":
            return "play a second card, of any artist, face down, or decline"
        case "simultaneous":
            return "choose a card; all are shown when everybody has chosen"
        case "award":
            return f"put an award (+{AWARD_VALUE}) on an artist"
        case "extra":
            if state["may_add_any"]:
                return f"you may add {cards_in_words(int(state['may_add_any']))} of any artist, or decline"
            artists = [name for artist, name in enumerate(ARTIST_NAMES) if state["may_add"][artist]]
            return f"add a card by {' or '.join(artists)}, or decline"
    return "play a card"


def _event(state: np.void) -> str:
    """What the table is about when more than one player is asked in a turn, or nothing."""
    if state["phase"] == CHOOSING:
        return f"{player_name(int(state['active']))} has called a simultaneous play."
    if state["phase"] == EXTRA_CARD:
        return f"{player_name(int(state['active']))} has ended the round; extra cards are added and displays scored."
    return ""


# --- Text ----------------------------------------------------------------------------------------------------------

LABEL_WIDTH = 22
ARTIST_WIDTH = 11
TEXT_WIDTH = 100
SYMBOL_LETTERS = "pdufsa"
"""One letter for each symbol."""


def text(state: np.void, seat: int | None) -> str:
    """The table in plain text, at most 100 columns wide.

    Action numbers in square brackets are legal now.

    Args:
        state: One state; it is only read.
        seat: Who looks: only what this seat knows is shown. None shows everything.

    Returns:
        Lines without a newline at the end.
    """
    letters = [f"{SYMBOL_LETTERS[symbol]} {name}" for symbol, name in enumerate(SYMBOL_NAMES) if symbol != PLAIN]
    event = _event(state)
    blocks = [
        [_heading(state)],
        *_table_in_text(state, seat),
        [line for other in _seats(state) for line in _hidden_cards_in_text(state, other, seat)],
        _hands_in_text(state, seat),
        [f"Symbols: {', '.join(letters)}."],
        [event, _request(state, seat)] if event else [_request(state, seat)],
    ]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block)


def _heading(state: np.void) -> str:
    players, deck = int(state["num_players"]), cards_in_words(int(state["deck_size"]))
    which = f"round {int(state['round']) + 1} of {ROUNDS}"
    if state["phase"] != OVER:
        which += f", started by {player_name(int(state['starter']))}"
    return f"Masters Gallery, {players} players; {which}; {deck} in the deck."


def _row(label: str, cells: list[str], rest: str = "") -> str:
    return f"{label:<{LABEL_WIDTH}}" + "".join(f"{cell:<{ARTIST_WIDTH}}" for cell in cells) + rest


def _count(number: int) -> str:
    return str(number) if number else "-"


def _letters(counts: np.ndarray, artist: int) -> str:
    """The symbols, other than plain, of an artist's cards."""
    symbols = counts[artist * SYMBOLS : (artist + 1) * SYMBOLS].tolist()
    return "".join(SYMBOL_LETTERS[symbol] * count for symbol, count in enumerate(symbols) if symbol != PLAIN)


def _table_in_text(state: np.void, viewer: int | None) -> list[list[str]]:
    lines = [_row("Displays", list(ARTIST_NAMES), f"{'total':>6}{'hand':>6}{'face down':>11}")]
    for seat in _seats(state):
        mark = ">" if int(state["seat"]) == seat else " "
        numbers = (int(state[field][seat]) for field in ("totals", "hand_sizes", "face_down_counts"))
        rest = "".join(f"{number:>{width}}" for number, width in zip(numbers, (6, 6, 11), strict=True))
        lines.append(_row(f"{mark} {_name(seat, viewer)}", [*map(_count, state["displays"][seat].tolist())], rest))
    extra = int(state["extra_card"])
    if extra != NOTHING:
        cells = [
            f"1 {SYMBOL_LETTERS[extra % SYMBOLS]}" if extra // SYMBOLS == artist else "-" for artist in range(ARTISTS)
        ]
        lines.append(_row("  extra card", [cell.removesuffix(f" {SYMBOL_LETTERS[PLAIN]}") for cell in cells]))
    unseen = _unseen(state, viewer)
    per_artist = unseen.reshape(ARTISTS, SYMBOLS).sum(axis=1).tolist()
    artists = range(ARTISTS)
    worth = [
        _row(f"Face up (limit {_limit(state)})", [*map(_count, state["works"].tolist())]),
        _row("  their symbols", [_letters(state["on_table"], artist) or "-" for artist in artists]),
        _row("Value tokens", [*map(_count, state["tokens"].tolist())]),
        _row(f"Awards ({AWARD_VALUE} each)", [*map(_count, state["awards"].tolist())]),
        _row("A work is worth now", [*map(_count, _values(state))]),
        _row(
            "In the deck" if viewer is None else "Not seen by you",
            [f"{per_artist[artist]} {_letters(unseen, artist)}" for artist in artists],
        ),
    ]
    return [lines, worth]


def _hidden_cards_in_text(state: np.void, seat: int, viewer: int | None) -> list[str]:
    """Face-down cards, where they may be seen, and a choice not yet shown."""
    lines = []
    cards, choice = _cards_of(state["face_down"][seat]), int(state["choice"][seat])
    if cards and _is_open(seat, viewer):
        lines.append(f"{_name(seat, viewer)} has face down: {', '.join(map(_card_name, cards))}.")
    if choice != NOTHING:
        what = f": {_card_name(choice)}" if _is_open(seat, viewer) else ""
        lines.append(f"{_name(seat, viewer)} has chosen{what}.")
    return [wrapped for line in lines for wrapped in textwrap.wrap(line, TEXT_WIDTH, subsequent_indent="  ")]


def _hands_in_text(state: np.void, viewer: int | None) -> list[str]:
    legal = _legal(state, viewer)
    lines = []
    for seat in _seats(state):
        if _is_open(seat, viewer) and state["hand_sizes"][seat]:
            lines += [f"Hand of {_name(seat, viewer)}:", *_hand_in_text(state, seat, legal)]
    awards = [action for action in legal if AWARD_ACTION <= action < DECLINE]
    if awards:
        lines.append("Award: " + "  ".join(f"[{action}] {ARTIST_NAMES[action - AWARD_ACTION]}" for action in awards))
    if DECLINE in legal:
        lines.append(f"Or [{DECLINE}] decline.")
    return lines


def _hand_in_text(state: np.void, seat: int, legal: list[int]) -> list[str]:
    lines = []
    for artist, name in enumerate(ARTIST_NAMES):
        cards = []
        for card in range(artist * SYMBOLS, (artist + 1) * SYMBOLS):
            count = int(state["hands"][seat, card])
            if count:
                number = f"[{card}]" if card in legal else str(card)
                cards.append(f"{number} {SYMBOL_NAMES[card % SYMBOLS]}" + (f" x{count}" if count > 1 else ""))
        if cards:
            # Lines are broken between cards, not within one.
            unbroken = ",  ".join(cards).replace(" ", "\N{NO-BREAK SPACE}").replace(",\N{NO-BREAK SPACE}", ", ")
            indent = " " * ARTIST_WIDTH
            for line in textwrap.wrap(
                unbroken, TEXT_WIDTH, initial_indent=f"  {name:<{ARTIST_WIDTH - 2}}", subsequent_indent=indent
            ):
                lines.append(line.replace("\N{NO-BREAK SPACE}", " "))
    return lines


# --- Picture -------------------------------------------------------------------------------------------------------

MARGIN = 16
GAP = 6
BAR_HEIGHT = 56
HEADER_HEIGHT = 148
NAME_WIDTH = 148
COLUMN_WIDTH = 164
FACE_DOWN_WIDTH = 100
HAND_WIDTH = 180
ROW_HEIGHTS = {2: 112, 3: 100, 4: 84, 5: 68}
STRIP_HEIGHT = 98
PLACE_WIDTH = 26
SMALL_CARD = (14, 20)

PAINT: tuple[Colour, ...] = ((62, 112, 182), (206, 108, 142), (82, 154, 108), (208, 104, 66), (226, 178, 58))
"""Each artist's colour."""


def picture(state: np.void, seat: int | None) -> np.ndarray:
    """The table as a picture, of the same size for the whole of a game.

    Args:
        state: One state; it is only read.
        seat: Who looks: only what this seat knows lies face up. None turns everything up.

    Returns:
        RGB, uint8 (height, width, 3).

    Raises:
        MissingExtraError: pygame-ce is not installed.
    """
    row_height = ROW_HEIGHTS[int(state["num_players"])]
    rows_top = BAR_HEIGHT + MARGIN // 2 + HEADER_HEIGHT + GAP
    strip_top = rows_top + int(state["num_players"]) * (row_height + GAP) + GAP // 2
    width = 2 * MARGIN + NAME_WIDTH + ARTISTS * COLUMN_WIDTH + FACE_DOWN_WIDTH + HAND_WIDTH
    canvas = Canvas(width, strip_top + STRIP_HEIGHT + MARGIN // 2, TABLE)
    legal = _legal(state, seat)
    _draw_bar(canvas, state, seat)
    _draw_header(canvas, state, seat, BAR_HEIGHT + MARGIN // 2, legal)
    for other in _seats(state):
        top = rows_top + other * (row_height + GAP)
        _draw_row(canvas, state, seat, other, (MARGIN, top, width - 2 * MARGIN, row_height))
    _draw_strip(canvas, state, seat, (MARGIN, strip_top, width - 2 * MARGIN, STRIP_HEIGHT), legal)
    return canvas.array()


def _column_left(artist: int) -> int:
    return MARGIN + NAME_WIDTH + artist * COLUMN_WIDTH


def _place_middle(artist: int, symbol: int) -> float:
    """The middle of the place that a symbol has in its artist's column, in the header and in the hand."""
    return _column_left(artist) + (COLUMN_WIDTH - SYMBOLS * PLACE_WIDTH) / 2 + (symbol + 0.5) * PLACE_WIDTH


def _draw_bar(canvas: Canvas, state: np.void, viewer: int | None) -> None:
    """Title, deck, extra card, and what is being asked."""
    canvas.rectangle((0, 0, canvas.width, BAR_HEIGHT), PANEL)
    canvas.rectangle((0, BAR_HEIGHT - 2, canvas.width, 2), GOLD_DARK)
    middle = BAR_HEIGHT / 2 - 1
    left = MARGIN + canvas.text("Masters Gallery", (MARGIN, middle), 38, GOLD_LIGHT, anchor="midleft") + 26
    size = int(state["deck_size"])
    canvas.rectangle((left, 12, 26, 34), PANEL, radius=5, outline=PANEL_EDGE)
    for card in range(min(3, (size + 24) // 25)):
        canvas.card_back((left + 2 * card, 12 - 2 * card, 26, 34), BACK, BACK_LINES)
    canvas.text(str(size), (left + 40, middle - 8), 25, WORDS, anchor="midleft")
    canvas.text("in the deck", (left + 40, middle + 11), 17, WORDS_SOFT, anchor="midleft")
    left += 126
    extra = int(state["extra_card"])
    if extra == NOTHING:
        canvas.rectangle((left, 8, 30, 40), PANEL, radius=4, outline=PANEL_EDGE)
    else:
        _draw_work(canvas, extra // SYMBOLS, (left, 8, 30, 40))
        name_end = left + 40
        name_end += canvas.text(ARTIST_NAMES[extra // SYMBOLS], (name_end, middle - 8), 21, WORDS, anchor="midleft")
        if extra % SYMBOLS != PLAIN:
            _draw_symbol(canvas, extra % SYMBOLS, (name_end + 16, middle - 8), 7, WORDS_SOFT)
    canvas.text("extra card", (left + 40, middle + 11), 17, WORDS_SOFT, anchor="midleft")
    room = canvas.width - MARGIN - left - 150
    place, event = canvas.width - MARGIN, _event(state)
    canvas.text(
        _request(state, viewer), (place, middle - 9 if event else middle), 23, WORDS, anchor="midright", max_width=room
    )
    canvas.text(event, (place, middle + 12), 18, WORDS_SOFT, anchor="midright", max_width=room)


def _draw_header(canvas: Canvas, state: np.void, viewer: int | None, top: float, legal: list[int]) -> None:
    """The round, the artists, and what the symbols mean."""
    canvas.text(f"Round {int(state['round']) + 1} of {ROUNDS}", (MARGIN + 10, top + 14), 25, WORDS, anchor="midleft")
    if state["phase"] != OVER:
        starter = f"started by {player_name(int(state['starter']))}"
        canvas.text(starter, (MARGIN + 10, top + 34), 17, WORDS_SOFT, anchor="midleft")
    edge = MARGIN + NAME_WIDTH - 10
    unseen_label = "in the deck" if viewer is None else "not seen by you"
    labels = [(62, f"works, the limit {_limit(state)}"), (90, "tokens, awards, worth"), (128, unseen_label)]
    for height, label in labels:
        canvas.text(label, (edge, top + height), 17, WORDS_SOFT, anchor="midright")
    unseen, values = _unseen(state, viewer), _values(state)
    for artist in range(ARTISTS):
        box = (_column_left(artist) + 3, top, COLUMN_WIDTH - 6, HEADER_HEIGHT)
        _draw_artist(canvas, state, artist, box, unseen, values[artist])
        if AWARD_ACTION + artist in legal:
            _draw_action(canvas, AWARD_ACTION + artist, (box[0] + box[2] - 17, top + 20))
    left = _column_left(ARTISTS) + 14
    for symbol in range(SYMBOLS):
        column, row = divmod(symbol, SYMBOLS // 2)
        place = (left + 8 + 130 * column, top + 18 + 32 * row)
        _draw_symbol(canvas, symbol, place, 9, WORDS)
        canvas.text(SYMBOL_NAMES[symbol], (place[0] + 18, place[1]), 17, WORDS_SOFT, anchor="midleft", max_width=104)
    headings = top + HEADER_HEIGHT - 10
    canvas.text("face down", (_column_left(ARTISTS) + FACE_DOWN_WIDTH / 2, headings), 17, WORDS_SOFT)
    canvas.text("hand", (_column_left(ARTISTS) + FACE_DOWN_WIDTH + 8, headings), 17, WORDS_SOFT, anchor="midleft")


def _draw_artist(canvas: Canvas, state: np.void, artist: int, box: Box, unseen: np.ndarray, value: int) -> None:
    """An artist: works face up against the limit, tokens and awards, what a work is worth, and cards not yet seen."""
    left, top, width, height = box
    colour = PAINT[artist]
    works, limit = int(state["works"][artist]), _limit(state)
    canvas.panel(box, PANEL, colour if value else PANEL_EDGE, thickness=2)
    canvas.rectangle((left + 2, top + 2, width - 4, 42), mixed(colour, TABLE, 0.35), radius=6)
    _draw_scene(canvas, artist, (left + 6, top + 6, 34, 34))
    canvas.text(ARTIST_NAMES[artist], (left + 46, top + 23), 24, WORDS, anchor="midleft")
    for work in range(limit):
        mark = (left + 8 + 20 * work, top + 54, 16, 16)
        canvas.rectangle(mark, colour if work < works else PANEL, radius=3, outline=mixed(colour, PANEL, 0.4))
    canvas.text(str(works), (left + width - 10, top + 62), 22, WORDS, anchor="midright")
    middle = top + 90
    tokens, awards = int(state["tokens"][artist]), int(state["awards"][artist])
    if tokens:
        canvas.circle((left + 19, middle), 11.5, GOLD_DARK)
        canvas.circle((left + 19, middle), 10.5, GOLD_LIGHT)
        canvas.text(str(tokens), (left + 19, middle + 0.5), 20, INK)
    for award in range(awards):
        _draw_symbol(canvas, AWARD, (left + 46 + 15 * award, middle), 9, GOLD)
    canvas.text(str(value), (left + width - 10, middle), 32, GOLD_LIGHT if value else PANEL_EDGE, anchor="midright")
    canvas.line([(left + 8, top + 107), (left + width - 8, top + 107)], PANEL_EDGE)
    for symbol in range(SYMBOLS):
        place = _place_middle(artist, symbol)
        count = int(unseen[artist * SYMBOLS + symbol])
        faint = WORDS_SOFT if count else PANEL_EDGE
        _draw_symbol(canvas, symbol, (place, top + 119), 7, faint)
        canvas.text(str(count), (place, top + 137), 17, WORDS if count else faint)


def _draw_row(canvas: Canvas, state: np.void, viewer: int | None, seat: int, box: Box) -> None:
    """A player: name, total, display, face-down cards and hand."""
    left, top, width, height = box
    bright = bool(state["winning"][seat]) if state["phase"] == OVER else int(state["seat"]) == seat
    canvas.panel(box, PANEL, GOLD if bright else PANEL_EDGE, thickness=2 if bright else 1)
    middle = top + height / 2
    canvas.text(_name(seat, viewer), (left + 12, middle - 15), 20, WORDS, anchor="midleft", max_width=NAME_WIDTH - 16)
    total = canvas.text(str(int(state["totals"][seat])), (left + 12, middle + 13), 32, GOLD_LIGHT, anchor="midleft")
    size = cards_in_words(int(state["hand_sizes"][seat]))
    canvas.text(size, (left + 22 + total, middle + 15), 17, WORDS_SOFT, anchor="midleft")
    card_height = height - 16
    card_width = round(card_height * 0.64)
    for artist in range(ARTISTS):
        cell = _column_left(artist)
        canvas.shade((cell + 3, top + 3, COLUMN_WIDTH - 6, height - 6), 0.13, radius=5, colour=PAINT[artist])
        count = int(state["displays"][seat, artist])
        for place in _spread(count, card_width, COLUMN_WIDTH - 18):
            _draw_work(canvas, artist, (cell + 9 + place, top + 8, card_width, card_height))
        if count:
            _draw_badge(canvas, str(count), (cell + COLUMN_WIDTH - 17, top + height - 18))
    _draw_hidden_cards(canvas, state, viewer, seat, (_column_left(ARTISTS) + 8, top + 8, card_width, card_height))
    _draw_small_hand(canvas, state, viewer, seat, (_column_left(ARTISTS) + FACE_DOWN_WIDTH + 8, top, height))


def _spread(count: int, card_width: float, room: float) -> list[float]:
    """Where cards begin that lie side by side, or overlap where there is no room for that."""
    step = min(card_width + 4, (room - card_width) / max(1, count - 1))
    return [step * place for place in range(count)]


def _draw_hidden_cards(canvas: Canvas, state: np.void, viewer: int | None, seat: int, first: Box) -> None:
    """Face-down cards, then a choice not yet shown, in a golden frame; who may see them sees them dimmed."""
    left, top, width, height = first
    count, choice = int(state["face_down_counts"][seat]), int(state["choice"][seat])
    cards: list[int | None] = [*_cards_of(state["face_down"][seat])] if _is_open(seat, viewer) else [None] * count
    if choice != NOTHING:
        cards.append(choice if _is_open(seat, viewer) else None)
    for place, offset in enumerate(_spread(len(cards), width, FACE_DOWN_WIDTH - 12)):
        box = (left + offset, top, width, height)
        card = cards[place]
        if card is None:
            canvas.card_back(box, BACK, BACK_LINES)
        else:
            _draw_work(canvas, card // SYMBOLS, box)
            canvas.shade(box, 0.45, radius=3)
            _draw_symbol(canvas, card % SYMBOLS, (box[0] + 12, top + 13), 7, WORDS)
        if choice != NOTHING and place == len(cards) - 1:
            canvas.frame((box[0] - 2, top - 2, width + 4, height + 4), GOLD_LIGHT, radius=6, thickness=2)


def _draw_small_hand(
    canvas: Canvas, state: np.void, viewer: int | None, seat: int, place: tuple[float, float, float]
) -> None:
    """A hand as small cards, one for each card in it, in lines from the top."""
    left, top, height = place
    card_width, card_height = SMALL_CARD
    in_a_line = (HAND_WIDTH - 12) // (card_width + 1)
    cards: list[int | None] = [None] * int(state["hand_sizes"][seat])
    if _is_open(seat, viewer):
        cards = [*_cards_of(state["hands"][seat])]
    lines = math.ceil(len(cards) / in_a_line)
    first_line = top + (height - lines * (card_height + 2)) / 2
    for number, card in enumerate(cards):
        line, column = divmod(number, in_a_line)
        box = (
            left + column * (card_width + 1),
            first_line + line * (card_height + 2),
            card_width,
            card_height,
        )
        if card is None:
            canvas.rectangle(box, BACK, radius=2, outline=BACK_LINES)
        else:
            canvas.rectangle(box, PAINT[card // SYMBOLS], radius=2, outline=PAPER)
            middle = (box[0] + card_width / 2, box[1] + card_height / 2)
            _draw_symbol(canvas, card % SYMBOLS, middle, 5.5, PAPER)


def _draw_strip(canvas: Canvas, state: np.void, viewer: int | None, box: Box, legal: list[int]) -> None:
    """The hand of the one who looks, with action numbers; without one, the cards that have left the game."""
    left, top, width, height = box
    asked = bool(legal)
    canvas.panel(box, PANEL, GOLD if asked else PANEL_EDGE, thickness=2 if asked else 1)
    counts = state["gone"] if viewer is None else state["hands"][viewer]
    title = "Left the game" if viewer is None else "Your hand"
    canvas.text(title, (left + 12, top + 36), 24, WORDS, anchor="midleft")
    canvas.text(cards_in_words(int(counts.sum())), (left + 12, top + 58), 17, WORDS_SOFT, anchor="midleft")
    for card in range(CARD_TYPES):
        middle = _place_middle(card // SYMBOLS, card % SYMBOLS)
        count = int(counts[card])
        card_box = (middle - PLACE_WIDTH / 2 + 1, top + 10, PLACE_WIDTH - 2, 58)
        if count:
            _draw_card(canvas, card, count, card_box)
            if asked and card not in legal:
                canvas.shade(card_box, 0.55, radius=4, colour=PANEL)
        else:
            canvas.rectangle(card_box, PANEL, radius=4, outline=mixed(PANEL, PANEL_EDGE, 0.5))
        if card in legal:
            _draw_action(canvas, card, (middle, top + 82))
        elif viewer is not None and count:
            canvas.text(str(card), (middle, top + 82), 17, WORDS_SOFT)
    if DECLINE in legal:
        place = (_column_left(ARTISTS) + 50, top + height / 2)
        _draw_action(canvas, DECLINE, place)
        canvas.text("decline", (place[0] + 22, place[1]), 22, WORDS, anchor="midleft")


def _draw_card(canvas: Canvas, card: int, count: int, box: Box) -> None:
    """A card type in a hand: the artist's colour, the symbol, and how many there are."""
    left, top, width, height = box
    canvas.panel(box, PAPER, PAPER_EDGE, radius=4)
    canvas.rectangle((left + 3, top + 3, width - 6, 30), PAINT[card // SYMBOLS], radius=2)
    _draw_symbol(canvas, card % SYMBOLS, (left + width / 2, top + 18), 8, PAPER)
    canvas.text(str(count), (left + width / 2, top + 46), 24, INK)


def _draw_action(canvas: Canvas, action: int, middle: Point) -> None:
    """The number of an action that is legal now."""
    canvas.rectangle((middle[0] - 12, middle[1] - 9, 24, 18), GOLD, radius=5, outline=GOLD_LIGHT)
    canvas.text(str(action), (middle[0], middle[1] + 0.5), 18, INK)


def _draw_badge(canvas: Canvas, words: str, middle: Point) -> None:
    canvas.circle(middle, 11.5, GOLD_DARK)
    canvas.circle(middle, 10.5, PAPER)
    canvas.text(words, (middle[0], middle[1] + 0.5), 20, INK)


def _draw_symbol(canvas: Canvas, symbol: int, middle: Point, radius: float, colour: Colour) -> None:
    """A symbol as a sketch in one colour: a dot for none, an arrow, two cards, a bar pair, a medal."""
    x, y = middle
    match SYMBOL_NAMES[symbol]:
        case "plain":
            canvas.circle(middle, radius * 0.3, colour)
        case "draw":
            canvas.line([(x, y - radius), (x, y + radius * 0.3)], colour, radius * 0.4)
            canvas.polygon([(x - radius * 0.8, y), (x + radius * 0.8, y), (x, y + radius)], colour)
        case "second face up" | "second face down":
            size = (radius * 1.1, radius * 1.5)
            canvas.rectangle((x - radius, y - radius, *size), colour, radius=1)
            front = (x - radius * 0.1, y - radius * 0.5, *size)
            gap = (front[0] - 1.2, front[1] - 1.2, size[0] + 2.4, size[1] + 2.4)
            canvas.frame(gap, mixed(colour, INK, 0.75), radius=2, thickness=1.2)
            if symbol == SECOND_FACE_UP:
                canvas.rectangle(front, colour, radius=1)
            else:
                canvas.rectangle(front, mixed(colour, INK, 0.75), radius=1, outline=colour, thickness=1.2)
        case "simultaneous":
            for offset in (-0.75, 0.25):
                canvas.rectangle((x - radius, y + offset * radius, 2 * radius, radius * 0.5), colour, radius=1)
        case "award":
            for side in (-1, 1):
                canvas.polygon(
                    [(x, y), (x + side * radius * 0.9, y + radius), (x + side * radius * 0.15, y + radius * 0.8)],
                    colour,
                )
            canvas.circle((x, y - radius * 0.25), radius * 0.75, colour)
            canvas.circle((x, y - radius * 0.25), radius * 0.4, mixed(colour, INK, 0.6))


def _draw_work(canvas: Canvas, artist: int, box: Box) -> None:
    """A framed work of an artist."""
    left, top, width, height = box
    canvas.shade((left + 1, top + 2, width, height), 0.25, radius=2)
    canvas.rectangle(box, GOLD, radius=2, outline=GOLD_DARK)
    _draw_scene(canvas, artist, (left + 3, top + 3, width - 6, height - 6))


def _draw_scene(canvas: Canvas, artist: int, box: Box) -> None:
    """What an artist is known for, as a sketch, so that nobody depends on the colour alone."""
    colour = PAINT[artist]
    light, dark = mixed(colour, (255, 255, 255), 0.6), mixed(colour, (0, 0, 0), 0.4)
    left, top, width, height = box
    x, y, unit = left + width / 2, top + height / 2, min(width, height) / 20
    canvas.rectangle(box, colour)
    with canvas.inside(box):
        match ARTIST_NAMES[artist]:
            case "Vermeer":
                canvas.line([(x, y - 9 * unit), (x, y - 2 * unit)], dark, 1.5 * unit)
                canvas.circle((x, y + 2 * unit), 5.5 * unit, light)
                canvas.circle((x - 1.8 * unit, y + 0.2 * unit), 1.6 * unit, (255, 255, 255))
            case "Degas":
                canvas.circle((x, y - 6 * unit), 2.2 * unit, light)
                canvas.line(
                    [(x - 7 * unit, y - 7 * unit), (x, y - 3 * unit), (x + 7 * unit, y - 7 * unit)], light, unit
                )
                canvas.polygon([(x, y - 4 * unit), (x - 8 * unit, y + 3 * unit), (x + 8 * unit, y + 3 * unit)], light)
                for leg in (-1.5, 1.5):
                    canvas.line([(x + leg * unit, y + 3 * unit), (x + leg * unit, y + 9 * unit)], dark, 1.2 * unit)
            case "Monet":
                for pad_x, pad_y in ((-4.5, 4), (5, 6), (4.5, -5.5)):
                    centre = (x + pad_x * unit, y + pad_y * unit)
                    canvas.ellipse((centre[0] - 5 * unit, centre[1] - 2.2 * unit, 10 * unit, 4.4 * unit), dark)
                for petal in (-3, 0, 3):
                    tip = (x - 3 * unit + petal * unit, y - 3.5 * unit + abs(petal) * unit / 2)
                    base = y + 3.5 * unit
                    canvas.polygon([(x - 5 * unit, base), tip, (x - unit, base)], light)
            case "Renoir":
                canvas.line([(x, y - 2 * unit), (x, y + 8 * unit), (x + 2.5 * unit, y + 8 * unit)], dark, 1.2 * unit)
                edge = [(x + 8.5 * unit * math.cos(turn), y + 8 * unit * math.sin(turn)) for turn in _half_turn()]
                canvas.polygon(edge, light)
                for rib in (-4, 4):
                    canvas.line([(x, y - 8 * unit), (x + rib * unit, y)], colour, 0.8 * unit)
            case "Van Gogh":
                for petal in range(12):
                    turn = petal * math.tau / 12
                    tip = (x + 9 * unit * math.cos(turn), y + 9 * unit * math.sin(turn))
                    sides = [
                        (x + 5 * unit * math.cos(turn + s), y + 5 * unit * math.sin(turn + s)) for s in (-0.3, 0.3)
                    ]
                    canvas.polygon([sides[0], tip, sides[1]], light)
                canvas.circle((x, y), 4.8 * unit, dark)


def _half_turn() -> list[float]:
    """Angles from left over the top to the right."""
    return [math.pi * (1 + step / 16) for step in range(17)]
