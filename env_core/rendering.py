"""What the pictures of every game share: a window to show them in, and a canvas to draw them on.

pygame-ce, the extra ``render``, is imported when the first picture is drawn. A canvas needs no display at all; a window
opens one of its own, and where there is none (a server, a notebook in a container) it draws into the void.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from env_core.errors import MissingExtraError
from env_core.files import replacing

Colour = tuple[int, int, int]
Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width and height, in pixels of the finished picture."""

SMOOTHING = 2
"""Pictures are drawn so many times larger and then scaled down, which smooths every edge."""

SMALLEST_TEXT = 8
"""Height in pixels below which nobody can read; words that do not fit are shrunk to this, not further."""

INVISIBLE_DRIVERS = ("dummy", "offscreen")

# The colours that every game's table has in common.
TABLE: Colour = (35, 43, 54)
PANEL: Colour = (49, 59, 73)
PANEL_EDGE: Colour = (72, 84, 101)
PAPER: Colour = (252, 249, 241)
PAPER_EDGE: Colour = (190, 178, 154)
INK: Colour = (44, 40, 36)
INK_SOFT: Colour = (128, 118, 102)
WORDS: Colour = (238, 236, 228)
WORDS_SOFT: Colour = (164, 173, 186)
GOLD: Colour = (201, 160, 72)
GOLD_DARK: Colour = (141, 106, 38)
GOLD_LIGHT: Colour = (244, 214, 128)
BACK: Colour = (111, 46, 60)
BACK_LINES: Colour = (156, 86, 96)


def mixed(colour: Colour, other: Colour, share: float) -> Colour:
    """A colour with a share, 0 to 1, of another."""
    red, green, blue = (round(one + (two - one) * share) for one, two in zip(colour, other, strict=True))
    return red, green, blue


def player_name(seat: int) -> str:
    """What a player is called: the name of the seat's agent."""
    return f"player_{seat}"


def cards_in_words(count: int) -> str:
    """``"1 card"``, ``"7 cards"``."""
    return f"{count} card" if count == 1 else f"{count} cards"


def load_pygame() -> ModuleType:
    """Import pygame-ce.

    Raises:
        MissingExtraError: It is not installed (the older package ``pygame``, without windows, does not do).
    """
    # Importing pygame prints a greeting, which would end up among a program's results.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise MissingExtraError("drawing a picture", "render") from error
    if not hasattr(pygame, "Window"):
        raise MissingExtraError("drawing a picture", "render")
    return pygame


def save_picture(picture: np.ndarray, path: str | Path) -> None:
    """Save a picture in a file, as PNG or whatever else its name ends with.

    Args:
        picture: uint8 (height, width, 3), RGB.
        path: The file; written whole or not at all.

    Raises:
        MissingExtraError: pygame-ce is not installed.
        ValueError: It is no such picture.
    """
    pygame = load_pygame()
    image = _image(pygame, picture)
    with replacing(path) as temporary:
        pygame.image.save(image, temporary)


def _image(pygame: ModuleType, picture: np.ndarray) -> Any:
    if not isinstance(picture, np.ndarray):
        raise ValueError(f"a picture is uint8 of shape (height, width, 3), not {type(picture).__name__}.")
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or 0 in picture.shape:
        raise ValueError(
            f"a picture is uint8 of shape (height, width, 3), not {picture.dtype} of shape {picture.shape}."
        )
    return pygame.image.frombuffer(np.ascontiguousarray(picture), (picture.shape[1], picture.shape[0]), "RGB")


class Window:
    """A window that shows pictures; it leaves a display of the user's own alone.

    When the user closes it the game goes on unseen: later pictures are dropped.

    Args:
        title: Shown in the window's frame.
        frames_per_second: ``show`` waits so that no more pictures than these are shown in a second. Where nobody can
            see the window it does not wait.

    Raises:
        MissingExtraError: pygame-ce is not installed.
    """

    def __init__(self, title: str, frames_per_second: float) -> None:
        self._pygame = load_pygame()
        self._title = title
        self._frames_per_second = frames_per_second
        self._window: Any = None
        self._closed = False
        _start_display(self._pygame)
        self._visible = self._pygame.display.get_driver() not in INVISIBLE_DRIVERS
        self._clock = self._pygame.time.Clock()

    @property
    def closed(self) -> bool:
        """Whether the window has been closed, by the user or by ``close``."""
        return self._closed

    def show(self, picture: np.ndarray) -> None:
        """Show a picture, opening the window or fitting it to the picture's size as needed.

        Args:
            picture: uint8 (height, width, 3), RGB.

        Raises:
            ValueError: It is no such picture.
        """
        image = _image(self._pygame, picture)
        self._handle_events()
        if self._closed:
            return
        if self._window is None:
            self._window = self._pygame.Window(self._title, image.get_size())
        elif self._window.size != image.get_size():
            self._window.size = image.get_size()
        self._window.get_surface().blit(image, (0, 0))
        self._window.flip()
        if self._visible:
            self._clock.tick(self._frames_per_second)
        self._handle_events()

    def close(self) -> None:
        """Close the window; closing it twice does nothing more."""
        self._closed = True
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _handle_events(self) -> None:
        """Answer the system, or it takes the program for dead; events of other windows stay in the queue."""
        if self._window is None:
            return
        pygame = self._pygame
        closing = False
        for event in pygame.event.get():
            if getattr(event, "window", None) is not self._window:
                pygame.event.post(event)
            elif event.type == pygame.WINDOWCLOSE:
                closing = True
        if closing:
            self.close()


def _start_display(pygame: ModuleType) -> None:
    if pygame.display.get_init():
        return
    has_screen = not sys.platform.startswith("linux") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    )
    if has_screen:
        try:
            pygame.display.init()
            return
        except pygame.error:
            # A screen is named but cannot be reached, as in a session that has lost its connection.
            pass
    before = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        pygame.display.init()
    finally:
        if before is None:
            del os.environ["SDL_VIDEODRIVER"]
        else:
            os.environ["SDL_VIDEODRIVER"] = before


class Canvas:
    """A picture in the making. All lengths and places are in pixels of the finished picture.

    Args:
        width: Of the picture.
        height: Of the picture.
        background: The colour it begins with.

    Raises:
        MissingExtraError: pygame-ce is not installed.
    """

    def __init__(self, width: int, height: int, background: Colour) -> None:
        self._pygame = load_pygame()
        if not self._pygame.font.get_init():
            self._pygame.font.init()
        self.width = width
        self.height = height
        # The depth is named, or it would be that of the user's display.
        self._surface = self._pygame.Surface((width * SMOOTHING, height * SMOOTHING), 0, 32)
        self._surface.fill(background)
        self._fonts: dict[int, Any] = {}

    def array(self) -> np.ndarray:
        """The finished picture: uint8 (height, width, 3), RGB."""
        small = self._pygame.transform.smoothscale(self._surface, (self.width, self.height))
        pixels = np.frombuffer(self._pygame.image.tobytes(small, "RGB"), dtype=np.uint8)
        return pixels.reshape(self.height, self.width, 3).copy()

    # --- Shapes ----------------------------------------------------------------------------------------------------

    def rectangle(
        self, box: Box, colour: Colour, *, radius: float = 0, outline: Colour | None = None, thickness: float = 1
    ) -> None:
        """Fill a rectangle, its corners rounded by ``radius``, with an outline inside its edge if one is given."""
        where, corner = self._rectangle(box), round(radius * SMOOTHING)
        self._pygame.draw.rect(self._surface, colour, where, border_radius=corner)
        if outline is not None:
            self.frame(box, outline, radius=radius, thickness=thickness)

    def frame(self, box: Box, colour: Colour, *, radius: float = 0, thickness: float = 1) -> None:
        """Draw the edge of a rectangle, inside it, and leave what is within."""
        width = max(1, round(thickness * SMOOTHING))
        self._pygame.draw.rect(self._surface, colour, self._rectangle(box), width, round(radius * SMOOTHING))

    def shade(self, box: Box, opacity: float, *, radius: float = 0, colour: Colour = (0, 0, 0)) -> None:
        """Lay a see-through rectangle over the picture: a shadow, or a veil; opacity 0 to 1."""
        where = self._rectangle(box)
        veil = self._pygame.Surface(where.size, self._pygame.SRCALPHA, 32)
        self._pygame.draw.rect(
            veil, (*colour, round(opacity * 255)), veil.get_rect(), border_radius=round(radius * SMOOTHING)
        )
        self._surface.blit(veil, where)

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        """Fill a polygon."""
        self._pygame.draw.polygon(self._surface, colour, [self._point(point) for point in points])

    def line(self, points: Sequence[Point], colour: Colour, thickness: float = 1) -> None:
        """Draw a line through two or more points."""
        width = max(1, round(thickness * SMOOTHING))
        self._pygame.draw.lines(self._surface, colour, False, [self._point(point) for point in points], width)

    def circle(self, centre: Point, radius: float, colour: Colour) -> None:
        """Fill a circle."""
        self._pygame.draw.circle(self._surface, colour, self._point(centre), radius * SMOOTHING)

    def ellipse(self, box: Box, colour: Colour) -> None:
        """Fill an ellipse."""
        self._pygame.draw.ellipse(self._surface, colour, self._rectangle(box))

    @contextmanager
    def inside(self, box: Box) -> Iterator[None]:
        """Draw only inside a rectangle until the block ends."""
        before = self._surface.get_clip()
        self._surface.set_clip(self._rectangle(box))
        try:
            yield
        finally:
            self._surface.set_clip(before)

    # --- Words -----------------------------------------------------------------------------------------------------

    def text(
        self,
        words: str,
        place: Point,
        size: int,
        colour: Colour,
        *,
        anchor: str = "center",
        max_width: float | None = None,
    ) -> float:
        """Write words in pygame's own font, the same on every machine.

        Args:
            words: One line.
            place: Where the anchor goes.
            size: Height of a line.
            colour: Of the letters.
            anchor: The corner or side that stands at ``place``, as pygame names them: ``"topleft"``, ``"midright"``.
            max_width: Longer words are written smaller.

        Returns:
            The width of the words.
        """
        if max_width is not None:
            while size > SMALLEST_TEXT and self._font(size).size(words)[0] > max_width * SMOOTHING:
                size -= 1
        letters = self._font(size).render(words, True, colour)
        where = letters.get_rect(**{anchor: self._point(place)})
        self._surface.blit(letters, where)
        return where.width / SMOOTHING

    def _font(self, size: int) -> Any:
        # Kept no longer than the canvas: a font dies when the user calls pygame.quit().
        if size not in self._fonts:
            self._fonts[size] = self._pygame.font.Font(None, size * SMOOTHING)
        return self._fonts[size]

    # --- Cards and panels ------------------------------------------------------------------------------------------

    def panel(self, box: Box, colour: Colour, outline: Colour, *, radius: float = 8, thickness: float = 1) -> None:
        """A rounded panel with a soft shadow."""
        left, top, width, height = box
        self.shade((left + 1, top + 2, width, height + 1), 0.25, radius=radius)
        self.rectangle(box, colour, radius=radius, outline=outline, thickness=thickness)

    def card_back(self, box: Box, colour: Colour, pattern: Colour) -> None:
        """A card face down: a frame and a lattice."""
        left, top, width, height = box
        self.panel(box, (250, 246, 236), (120, 110, 95), radius=5)
        inner = (left + 3, top + 3, width - 6, height - 6)
        self.rectangle(inner, colour, radius=3)
        with self.inside(inner):
            step = 8
            for offset in range(-int(height), int(width) + int(height), step):
                self.line([(left + offset, top), (left + offset + height, top + height)], pattern, 0.5)
                self.line([(left + offset + height, top), (left + offset, top + height)], pattern, 0.5)

    def _point(self, point: Point) -> tuple[int, int]:
        return round(point[0] * SMOOTHING), round(point[1] * SMOOTHING)

    def _rectangle(self, box: Box) -> Any:
        left, top, width, height = box
        return self._pygame.Rect(
            round(left * SMOOTHING), round(top * SMOOTHING), round(width * SMOOTHING), round(height * SMOOTHING)
        )
