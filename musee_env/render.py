"""Musée in text and pictures, as a seat sees the table; with the seat None everything lies open.

Museums stand in the order of their seats whoever looks, so that nothing jumps about from move to move. Galleries go by
their names; columns and slots count from 0, as in moves and records.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from env_core.rendering import (
    BACK,
    BACK_LINES,
    GOLD,
    GOLD_DARK,
    GOLD_LIGHT,
    INK,
    INK_SOFT,
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
    cards_in_words,
    mixed,
    player_name,
)
from musee_env import rules
from musee_env.state import (
    EMPTY,
    GALLERIES,
    GALLERY_NAMES,
    LAST_CARD,
    NOBODY,
    OVER,
    POINTS_PER_BONUS_CARD,
    THEME_COLOURS,
    THEME_NAMES,
    THEMES,
    TOKEN_ROWS,
)

# --- What both have to say -----------------------------------------------------------------------------------------


def _seats_of(state: np.void, side: int) -> list[int]:
    return list(range(side, int(state["num_players"]), int(state["num_sides"])))


def _side_of(state: np.void, seat: int) -> int:
    return int(rules.museum_of(state, seat))


def _relation(state: np.void, seat: int, viewer: int | None) -> str:
    """What a seat is to the one who looks: ``"you"``, ``"partner"`` or nothing."""
    if viewer is None:
        return ""
    if seat == viewer:
        return "you"
    return "partner" if _side_of(state, seat) == _side_of(state, viewer) else ""


def _name(state: np.void, seat: int, viewer: int | None) -> str:
    relation = _relation(state, seat, viewer)
    return f"{player_name(seat)} ({relation})" if relation else player_name(seat)


def _hand(state: np.void, seat: int) -> list[int]:
    return state["hands"][seat, : state["hand_sizes"][seat]].tolist()


def _score(state: np.void, side: int) -> str:
    points = int(state["scores"][side])
    return f"{points} point" if points == 1 else f"{points} points"


def _match(state: np.void) -> str:
    """Which game of which match it is, or nothing for a single game."""
    if state["games_to_win"] == 1:
        return ""
    return f"game {int(state['game_number']) + 1} of a match to {int(state['games_to_win'])} wins"


def _request(state: np.void, viewer: int | None) -> str:
    """What is being asked, of whom; or how it ended."""
    if state["phase"] == OVER:
        winners = [side for side in range(int(state["num_sides"])) if state["winning"][side]]
        what = "Game over" if state["games_to_win"] == 1 else "Match over"
        names = " and ".join(player_name(seat) for side in winners for seat in _seats_of(state, side))
        plural = len(winners) > 1 or len(_seats_of(state, winners[0])) > 1
        how = "share the win" if len(winners) > 1 else "win" if plural else "wins"
        return f"{what}: {names} {how}."
    seat = int(state["seat"])
    if viewer is None:
        # An illegal action has ended the game, or somebody looks into all hands while it goes on.
        return f"All hands lie open; the turn is with {player_name(seat)}."
    if state["phase"] == LAST_CARD:
        partner = player_name(int(rules.seat_after(state, seat, 2)))
        return f"{_name(state, seat, viewer)}: keep your team's last card, or give it, unseen, to {partner}."
    return f"{_name(state, seat, viewer)}: place a painting from your hand."


def _standing_of(state: np.void, seat: int) -> str:
    """Whether a seat is to move, or out, or neither."""
    if int(state["seat"]) == seat:
        return "to move"
    return "out" if state["out"][seat] else ""


# --- Text ----------------------------------------------------------------------------------------------------------

LABEL_WIDTH = 8
BONUS_MARK = f"+{POINTS_PER_BONUS_CARD}"
NO_PAINTING = "__"
STAIRCASE = "|=|"
CHANDELIER = "'"


def text(state: np.void, seat: int | None) -> str:
    """The table in plain text, at most 100 columns wide.

    Args:
        state: One state; it is only read.
        seat: Who looks: of the hands only this seat's is shown. None shows all hands.

    Returns:
        Lines without a newline at the end.
    """
    lines = [_heading(state), "", *_museums_in_text(state, seat), ""]
    lines += [_bonus_cards_in_text(state), ""]
    lines += [_seat_in_text(state, other, seat) for other in range(int(state["num_players"]))]
    if seat is not None and state["hand_sizes"][seat] and not state["out"][seat]:
        lines += ["", *_own_hand_in_text(state, seat)]
    themes = ", ".join(f"{_short(theme)} {name}" for theme, name in enumerate(THEME_NAMES))
    lines += ["", f"{themes}; {STAIRCASE} staircase, {CHANDELIER} chandelier.", _request(state, seat)]
    return "\n".join(line.rstrip() for line in lines)


def _heading(state: np.void) -> str:
    deck = f"{cards_in_words(int(state['deck_size']))} in the deck"
    parts = [f"Musée, {int(state['num_players'])} players", _match(state), deck]
    return ", ".join(part for part in parts if part) + "."


def _short(theme: int) -> str:
    return THEME_NAMES[theme][:2]


def _painting_in_text(painting: int) -> str:
    return NO_PAINTING if painting == EMPTY else f"{painting}{_short(painting % THEMES)}"


def _museums_in_text(state: np.void, viewer: int | None) -> list[str]:
    sides, columns = int(state["num_sides"]), int(state["columns"])
    cell = 6 if sides == 2 else 5
    width = columns * cell + len(BONUS_MARK)
    labels = ["", "", "column"]
    for gallery, name in enumerate(GALLERY_NAMES):
        labels += [name, ""] if gallery < TOKEN_ROWS else [name]
    blocks = []
    for side in range(sides):
        won = f", {int(state['games_won'][side])} won" if state["games_to_win"] > 1 else ""
        block = [
            " + ".join(_name(state, seat, viewer) for seat in _seats_of(state, side)),
            f"{_score(state, side)}{won}",
            "".join(f"{column:^{cell}}" for column in range(columns)),
        ]
        for gallery in range(GALLERIES):
            paintings = state["museums"][side, gallery, :columns].tolist()
            row = "".join(f"{_painting_in_text(painting):^{cell}}" for painting in paintings)
            block.append(row + (BONUS_MARK if state["bonus_owner"][gallery] == side else ""))
            if gallery < TOKEN_ROWS:
                tokens = state["staircases"][gallery, :columns].tolist()
                block.append("".join(f"{STAIRCASE if token else CHANDELIER:^{cell}}" for token in tokens))
        blocks.append([f"{line:<{width}}" for line in block])
    return [f"{label:<{LABEL_WIDTH}}" + "  ".join(parts) for label, *parts in zip(labels, *blocks, strict=True)]


def _bonus_cards_in_text(state: np.void) -> str:
    owners = []
    for gallery, name in enumerate(GALLERY_NAMES):
        owner = int(state["bonus_owner"][gallery])
        owners.append(f"{name} {'free' if owner == NOBODY else ' + '.join(map(player_name, _seats_of(state, owner)))}")
    return f"Bonus cards ({BONUS_MARK}): {', '.join(owners)}."


def _seat_in_text(state: np.void, seat: int, viewer: int | None) -> str:
    standing = _standing_of(state, seat)
    mark = ">" if standing == "to move" else " "
    line = f"{mark} {_name(state, seat, viewer):<20}{cards_in_words(int(state['hand_sizes'][seat]))}"
    if standing:
        line += f", {standing}"
    if (viewer is None or (viewer == seat and standing == "out")) and state["hand_sizes"][seat]:
        line += ": " + " ".join(_painting_in_text(card) for card in _hand(state, seat))
    return line


def _own_hand_in_text(state: np.void, seat: int) -> list[str]:
    museum, columns = _side_of(state, seat), int(state["columns"])
    lines = ["Your hand, and the columns in which each card fits:"]
    for slot, card in enumerate(_hand(state, seat)):
        line = f"  slot {slot}   {_painting_in_text(card):<7}"
        for gallery, name in enumerate(GALLERY_NAMES):
            fitting = [column for column in range(columns) if rules.fits(state, museum, gallery, column, card)]
            line += f"{name} {' '.join(map(str, fitting)) or '-':<{2 * columns + 2}}"
        lines.append(line)
    return lines


# --- Picture -------------------------------------------------------------------------------------------------------

MARGIN = 20
BAR_HEIGHT = 62
SPACE_WIDTH = 62
SPACE_HEIGHT = 60
TOKEN_HEIGHT = 24
NAME_WIDTH = 56
WALL = 12
PEDIMENT_HEIGHT = 62
FRIEZE_HEIGHT = 28
BASE_HEIGHT = 22
HAND_HEIGHT = 112
CARD_WIDTH = 50
CARD_HEIGHT = 62

STONE: Colour = (226, 217, 198)
STONE_DARK = PAPER_EDGE
STONE_LIGHT: Colour = (240, 234, 220)
ROOM: Colour = (250, 246, 237)
WOOD: Colour = (134, 92, 58)
WOOD_DARK: Colour = (94, 62, 38)
FAINT: Colour = (222, 213, 196)

PAINT: dict[str, Colour] = {
    "green": (86, 148, 88),
    "grey": (140, 146, 154),
    "blue": (66, 124, 190),
    "red": (193, 78, 70),
    "yellow": (232, 186, 70),
}


def picture(state: np.void, seat: int | None) -> np.ndarray:
    """The table as a picture, of the same size for the whole of a game.

    Args:
        state: One state; it is only read.
        seat: Who looks: of the hands only this seat's lies face up. None turns all of them up.

    Returns:
        RGB, uint8 (height, width, 3).

    Raises:
        MissingExtraError: pygame-ce is not installed.
    """
    sides = int(state["num_sides"])
    museum_width = NAME_WIDTH + int(state["columns"]) * SPACE_WIDTH + WALL
    museum_height = PEDIMENT_HEIGHT + FRIEZE_HEIGHT + GALLERIES * SPACE_HEIGHT + TOKEN_ROWS * TOKEN_HEIGHT + BASE_HEIGHT
    hands_in_a_side = len(_seats_of(state, 0))
    width = sides * (museum_width + MARGIN) + MARGIN
    hands_top = BAR_HEIGHT + MARGIN + museum_height + MARGIN
    height = hands_top + hands_in_a_side * (HAND_HEIGHT + MARGIN // 2) + MARGIN // 2
    canvas = Canvas(width, height, TABLE)
    _draw_bar(canvas, state, seat)
    for side in range(sides):
        left = MARGIN + side * (museum_width + MARGIN)
        _draw_museum(canvas, state, seat, side, (left, BAR_HEIGHT + MARGIN, museum_width, museum_height))
        for place, owner in enumerate(_seats_of(state, side)):
            top = hands_top + place * (HAND_HEIGHT + MARGIN // 2)
            _draw_hand(canvas, state, seat, owner, (left, top, museum_width, HAND_HEIGHT))
    return canvas.array()


def _draw_bar(canvas: Canvas, state: np.void, viewer: int | None) -> None:
    """Title, deck, bonus cards, and what is being asked."""
    canvas.rectangle((0, 0, canvas.width, BAR_HEIGHT), PANEL)
    canvas.rectangle((0, BAR_HEIGHT - 2, canvas.width, 2), GOLD_DARK)
    middle = BAR_HEIGHT / 2 - 1
    left = MARGIN + canvas.text("Musée", (MARGIN, middle), 42, GOLD_LIGHT, anchor="midleft") + 24
    size = int(state["deck_size"])
    canvas.rectangle((left, 13, 28, 36), PANEL, radius=5, outline=PANEL_EDGE)
    for card in range(min(3, (size + 14) // 15)):
        canvas.card_back((left + 2 * card, 13 - 2 * card, 28, 36), BACK, BACK_LINES)
    canvas.text(str(size), (left + 44, middle - 8), 26, WORDS, anchor="midleft")
    canvas.text("in the deck", (left + 44, middle + 11), 17, WORDS_SOFT, anchor="midleft")
    left += 130
    for gallery, name in enumerate(GALLERY_NAMES):
        owner = int(state["bonus_owner"][gallery])
        box = (left, 11, 74, 38)
        if owner == NOBODY:
            canvas.panel(box, GOLD, GOLD_LIGHT, radius=5)
            canvas.text(f"{name} {BONUS_MARK}", (left + 37, 30), 20, INK, max_width=68)
        else:
            canvas.rectangle(box, PANEL, radius=5, outline=PANEL_EDGE)
            canvas.text(name, (left + 37, 21), 17, WORDS_SOFT)
            canvas.text(_side_label(state, owner), (left + 37, 37), 17, GOLD_LIGHT, max_width=70)
        left += 82
    room = canvas.width - MARGIN - left - 10
    match = _match(state)
    place = canvas.width - MARGIN
    canvas.text(
        _request(state, viewer), (place, middle - 9 if match else middle), 23, WORDS, anchor="midright", max_width=room
    )
    if match:
        canvas.text(match.capitalize(), (place, middle + 12), 18, WORDS_SOFT, anchor="midright", max_width=room)


def _side_label(state: np.void, side: int) -> str:
    seats = _seats_of(state, side)
    return player_name(side) if len(seats) == 1 else "players " + " & ".join(map(str, seats))


def _draw_museum(canvas: Canvas, state: np.void, viewer: int | None, side: int, box: Box) -> None:
    left, top, width, height = box
    columns = int(state["columns"])
    moving = int(state["seat"]) in _seats_of(state, side)
    won = state["phase"] == OVER and bool(state["winning"][side])
    _draw_front(canvas, box, bright=moving or won)
    middle = left + width / 2
    canvas.circle((middle, top + 40), 19, GOLD_DARK)
    canvas.circle((middle, top + 40), 17.5, PAPER)
    canvas.text(str(int(state["scores"][side])), (middle, top + 41), 27, INK, max_width=30)
    frieze = top + PEDIMENT_HEIGHT + FRIEZE_HEIGHT / 2
    names = " + ".join(_name(state, seat, viewer) for seat in _seats_of(state, side))
    canvas.text(names, (middle, frieze), 22, INK, max_width=width - 150)
    if state["games_to_win"] > 1:
        for game in range(int(state["games_to_win"])):
            place = (left + width - 18 - 13 * game, frieze)
            canvas.circle(place, 5.5, GOLD_DARK)
            canvas.circle(place, 4.5, GOLD_LIGHT if game < state["games_won"][side] else STONE_LIGHT)
    floor = top + PEDIMENT_HEIGHT + FRIEZE_HEIGHT
    for gallery in range(GALLERIES):
        _draw_gallery(canvas, state, side, gallery, (left, floor, width, SPACE_HEIGHT))
        floor += SPACE_HEIGHT
        if gallery < TOKEN_ROWS:
            for column in range(columns):
                place = (left + NAME_WIDTH + (column + 0.5) * SPACE_WIDTH, floor)
                if state["staircases"][gallery, column]:
                    upper, lower = state["museums"][side, gallery : gallery + 2, column].tolist()
                    _draw_staircase(canvas, *place, scores=_share_theme(upper, lower))
                else:
                    _draw_chandelier(canvas, *place)
            floor += TOKEN_HEIGHT
    for column in range(columns):
        place = (left + NAME_WIDTH + (column + 0.5) * SPACE_WIDTH, floor + BASE_HEIGHT / 2)
        canvas.text(str(column), place, 16, INK_SOFT)


def _draw_front(canvas: Canvas, box: Box, bright: bool) -> None:
    """The building: a pediment, a frieze, and a wall; its edge is golden for the side to move."""
    left, top, width, height = box
    edge = GOLD if bright else STONE_DARK
    thickness = 3 if bright else 1.5
    roof = top + PEDIMENT_HEIGHT
    canvas.shade((left + 2, roof + 3, width, height - PEDIMENT_HEIGHT), 0.35, radius=4)
    canvas.polygon([(left - 6, roof), (left + width / 2, top), (left + width + 6, roof)], edge)
    canvas.polygon([(left + 12, roof - 4), (left + width / 2, top + 5), (left + width - 12, roof - 4)], STONE_LIGHT)
    canvas.rectangle((left, roof, width, height - PEDIMENT_HEIGHT), STONE, radius=3, outline=edge, thickness=thickness)
    canvas.rectangle((left - 6, roof - 3, width + 12, 5), edge, radius=2)
    canvas.rectangle((left - 4, top + height - 5, width + 8, 7), edge, radius=2)


def _draw_gallery(canvas: Canvas, state: np.void, side: int, gallery: int, box: Box) -> None:
    """A gallery with its paintings; a golden bead joins neighbours that share a theme."""
    left, top, width, height = box
    columns = int(state["columns"])
    canvas.rectangle((left + NAME_WIDTH, top, columns * SPACE_WIDTH, height), ROOM, outline=FAINT)
    centre = left + NAME_WIDTH / 2 + 2
    if state["bonus_owner"][gallery] == side:
        canvas.text(GALLERY_NAMES[gallery], (centre, top + 18), 18, INK)
        canvas.rectangle((centre - 16, top + 29, 32, 20), GOLD, radius=4, outline=GOLD_DARK)
        canvas.text(BONUS_MARK, (centre, top + 39), 19, INK)
    else:
        canvas.text(GALLERY_NAMES[gallery], (centre, top + height / 2), 18, INK_SOFT)
    for column in range(columns):
        painting = int(state["museums"][side, gallery, column])
        frame = (left + NAME_WIDTH + column * SPACE_WIDTH + 4, top + 4, SPACE_WIDTH - 8, height - 8)
        if painting == EMPTY:
            _draw_empty_space(canvas, frame)
        else:
            _draw_painting(canvas, painting, frame)
    paintings = state["museums"][side, gallery, :columns].tolist()
    for column, (painting, other) in enumerate(pairwise(paintings), start=1):
        if _share_theme(painting, other):
            place = (left + NAME_WIDTH + column * SPACE_WIDTH, top + height / 2 - 8)
            canvas.circle(place, 6, GOLD_DARK)
            canvas.circle(place, 4.5, GOLD_LIGHT)


def _share_theme(painting: int, other: int) -> bool:
    return painting != EMPTY and bool(rules.share_theme(painting, other))


def _draw_empty_space(canvas: Canvas, frame: Box) -> None:
    left, top, width, height = frame
    canvas.rectangle((left + 4, top + 4, width - 8, height - 8), ROOM, radius=2, outline=FAINT)


def _draw_painting(canvas: Canvas, painting: int, frame: Box) -> None:
    """A framed canvas in its theme's colour, with its number on a plate."""
    left, top, width, height = frame
    canvas.shade((left + 1, top + 2, width, height), 0.25, radius=2)
    canvas.rectangle(frame, GOLD, radius=2, outline=GOLD_DARK)
    _draw_scene(canvas, painting % THEMES, (left + 4, top + 4, width - 8, height - 8))
    plate = (left + width / 2 - 15, top + height - 20, 30, 18)
    canvas.rectangle(plate, PAPER, radius=3, outline=GOLD_DARK, thickness=0.5)
    canvas.text(str(painting), (left + width / 2, top + height - 10.5), 22, INK)


def _draw_scene(canvas: Canvas, theme: int, box: Box) -> None:
    """A sketch of a theme, so that nobody depends on its colour alone."""
    colour = PAINT[THEME_COLOURS[theme]]
    light, dark = mixed(colour, (255, 255, 255), 0.55), mixed(colour, (0, 0, 0), 0.35)
    left, top, width, height = box
    middle, bottom = left + width / 2, top + height
    canvas.rectangle(box, colour)
    with canvas.inside(box):
        match THEME_NAMES[theme]:
            case "animals":
                canvas.polygon([(middle - 10, top + 16), (middle - 10, top + 1), (middle, top + 9)], dark)
                canvas.polygon([(middle + 10, top + 16), (middle + 10, top + 1), (middle, top + 9)], dark)
                canvas.circle((middle, top + 16), 10.5, dark)
                canvas.circle((middle - 4, top + 14), 1.8, light)
                canvas.circle((middle + 4, top + 14), 1.8, light)
            case "landscapes":
                canvas.circle((left + width - 10, top + 9), 4.5, light)
                canvas.polygon([(left - 4, bottom), (left + 15, top + 7), (left + 34, bottom)], dark)
                canvas.polygon([(left + 10.5, top + 13.5), (left + 15, top + 7), (left + 19.5, top + 13.5)], light)
                hill = mixed(dark, colour, 0.4)
                canvas.polygon([(left + 16, bottom), (left + 34, top + 17), (left + 54, bottom)], hill)
            case "water":
                for wave in range(3):
                    points = [
                        (left + x, top + 7 + 8 * wave + 2.6 * float(np.sin(x / 3.5 + 1.6 * wave)))
                        for x in range(-1, int(width) + 2)
                    ]
                    canvas.line(points, light if wave % 2 == 0 else dark, 2)
            case "people":
                canvas.circle((middle, top + 10), 7, light)
                canvas.ellipse((middle - 14, top + 18, 28, 34), light)
            case "architecture":
                canvas.polygon([(middle - 17, top + 11), (middle, top + 2), (middle + 17, top + 11)], dark)
                for pillar in range(4):
                    canvas.rectangle((middle - 14 + 8.3 * pillar, top + 12.5, 3.6, height), dark)


def _draw_staircase(canvas: Canvas, middle: float, top: float, *, scores: bool) -> None:
    """Steps that climb from left to right between two galleries; golden where they join a theme."""
    face, edge = (GOLD_LIGHT, GOLD_DARK) if scores else (WOOD, WOOD_DARK)
    steps = 4
    width, rise = 9, TOKEN_HEIGHT / steps
    left = middle - steps * width / 2
    for step in range(steps):
        height = rise * (step + 1)
        canvas.rectangle((left + step * width, top + TOKEN_HEIGHT - height, width, height), face)
        canvas.rectangle((left + step * width - 1, top + TOKEN_HEIGHT - height, width + 1, 2), edge)


def _draw_chandelier(canvas: Canvas, middle: float, top: float) -> None:
    colour = STONE_DARK
    canvas.line([(middle, top + 1), (middle, top + 10)], colour, 1)
    canvas.line([(middle - 8, top + 10), (middle + 8, top + 10)], colour, 1.5)
    for arm in (-8, 0, 8):
        canvas.circle((middle + arm, top + 12), 2, colour)


def _draw_hand(canvas: Canvas, state: np.void, viewer: int | None, seat: int, box: Box) -> None:
    left, top, width, height = box
    standing = _standing_of(state, seat)
    canvas.panel(box, PANEL, GOLD if standing == "to move" else PANEL_EDGE, thickness=2 if standing == "to move" else 1)
    count = int(state["hand_sizes"][seat])
    line = top + 16
    end = left + 12 + canvas.text(_name(state, seat, viewer), (left + 12, line), 20, WORDS, anchor="midleft")
    canvas.text(cards_in_words(count), (end + 12, line), 17, WORDS_SOFT, anchor="midleft")
    if standing:
        colour = GOLD_LIGHT if standing == "to move" else WORDS_SOFT
        canvas.text(standing, (left + width - 12, line), 19, colour, anchor="midright")
    face_up = viewer is None or viewer == seat
    limit = int(state["hand_limit"])
    gap = (width - 24 - limit * CARD_WIDTH) / (limit - 1)
    for slot, card in enumerate(_hand(state, seat)):
        card_left = left + 12 + slot * (CARD_WIDTH + gap)
        card_box = (card_left, top + 31, CARD_WIDTH, CARD_HEIGHT)
        if face_up:
            _draw_card(canvas, card, card_box)
            canvas.text(str(slot), (card_left + CARD_WIDTH / 2, top + 102), 16, WORDS_SOFT)
        else:
            canvas.card_back(card_box, BACK, BACK_LINES)
    if standing == "out" and state["phase"] != OVER:
        canvas.shade((left + 2, top + 28, width - 4, height - 30), 0.45, radius=6, colour=PANEL)


def _draw_card(canvas: Canvas, card: int, box: Box) -> None:
    left, top, width, height = box
    canvas.panel(box, PAPER, STONE_DARK, radius=5)
    canvas.text(str(card), (left + width / 2, top + 13), 27, INK)
    _draw_scene(canvas, card % THEMES, (left + 5, top + 25, width - 10, height - 30))
