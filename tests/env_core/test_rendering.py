"""Protects what the pictures of every game share.

A window must show what it is given, work without a screen, survive being closed by the user, and leave the user's own
pygame display and events alone; a canvas must draw the same picture every time; and whoever lacks pygame-ce is told
which extra to install.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from env_core import MissingExtraError
from env_core.rendering import Canvas, Window, load_pygame, save_picture

pygame = pytest.importorskip("pygame")

RED = np.full((40, 60, 3), (200, 10, 20), dtype=np.uint8)


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch):
    """Tests open no window on the screen of whoever runs them, and leave no display behind."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def shown(window: Window) -> np.ndarray:
    return pygame.surfarray.array3d(window._window.get_surface()).swapaxes(0, 1)


def test_a_window_shows_the_picture_and_fits_its_size():
    window = Window("a game", 1000)
    window.show(RED)
    assert (shown(window) == RED).all()
    blue = np.zeros((30, 80, 3), dtype=np.uint8)
    blue[:, :, 2] = np.arange(80)
    window.show(blue)
    assert (shown(window) == blue).all()
    window.close()


def test_a_window_takes_a_picture_that_is_not_contiguous():
    window = Window("a game", 1000)
    picture = np.arange(40 * 60 * 3, dtype=np.uint8).reshape(60, 40, 3).swapaxes(0, 1)
    window.show(picture)
    assert (shown(window) == picture).all()
    window.close()


@pytest.mark.parametrize(
    "picture",
    [RED.astype(np.int16), RED[:, :, 0], RED[:, :, :2], RED[:0], RED.tolist(), None],
    ids=["int16", "grey", "two colours", "no rows", "a list", "nothing"],
)
def test_what_is_no_picture_is_refused(picture):
    window = Window("a game", 1000)
    with pytest.raises(ValueError, match=r"uint8 of shape \(height, width, 3\)"):
        window.show(picture)
    window.close()


def test_a_saved_picture_comes_back(tmp_path):
    picture = np.arange(40 * 60 * 3, dtype=np.uint8).reshape(40, 60, 3)
    save_picture(picture, tmp_path / "picture.png")
    loaded = pygame.image.load(tmp_path / "picture.png")
    assert (pygame.surfarray.array3d(loaded).swapaxes(0, 1) == picture).all()
    with pytest.raises(ValueError, match="uint8"):
        save_picture(picture.astype(float), tmp_path / "picture.png")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.png"]


def test_a_window_closed_by_the_user_stays_closed_and_the_game_goes_on():
    window = Window("a game", 1000)
    window.show(RED)
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=window._window))
    window.show(RED)
    assert window.closed
    window.show(RED)
    assert window._window is None
    window.close()
    window.close()


def test_other_windows_and_their_events_are_left_alone():
    display = pygame.display.set_mode((50, 50))
    display.fill((1, 2, 3))
    pygame.event.clear()
    one, two = Window("one", 1000), Window("two", 1000)
    one.show(RED)
    two.show(RED)
    pygame.event.post(pygame.event.Event(pygame.USEREVENT, number=7))
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=two._window))
    one.show(RED)
    assert not one.closed
    two.show(RED)
    assert two.closed
    assert [event.number for event in pygame.event.get(pygame.USEREVENT)] == [7]
    one.close()
    assert pygame.display.get_surface() is display
    assert display.get_at((10, 10))[:3] == (1, 2, 3)


def test_no_time_is_lost_where_nobody_looks():
    window = Window("a game", 0.1)
    start = time.monotonic()
    for _ in range(3):
        window.show(RED)
    assert time.monotonic() - start < 10
    window.close()


def test_pictures_are_shown_at_their_pace(monkeypatch):
    window = Window("a game", 20)
    monkeypatch.setattr(window, "_visible", True)
    start = time.monotonic()
    for _ in range(5):
        window.show(RED)
    # The first one need not wait.
    assert time.monotonic() - start >= 4 / 20 * 0.9
    window.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux runs without a screen")
@pytest.mark.parametrize("screen", [None, ":987"], ids=["no screen", "a screen that does not answer"])
def test_without_a_screen_a_window_draws_into_the_void(screen):
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    if screen is not None:
        environment["DISPLAY"] = screen
    program = (
        "import os, numpy as np; from env_core.rendering import Window; window = Window('a game', 0.1); "
        "window.show(np.zeros((8, 8, 3), np.uint8)); window.show(np.zeros((8, 8, 3), np.uint8)); window.close(); "
        "print(os.environ.get('SDL_VIDEODRIVER'))"
    )
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    # No greeting of pygame's among the program's output, and the environment as it was.
    assert ran.stdout == "None\n"


@pytest.mark.parametrize("found", [None, object()], ids=["not installed", "the older pygame"])
def test_whoever_lacks_pygame_is_told_the_extra(monkeypatch, found):
    monkeypatch.setitem(sys.modules, "pygame", found)
    for draw in (load_pygame, lambda: Canvas(8, 8, (0, 0, 0)), lambda: Window("a game", 1)):
        with pytest.raises(MissingExtraError, match=r"pip install 'gallery-envs\[render\]'"):
            draw()


def drawn() -> np.ndarray:
    canvas = Canvas(120, 80, (10, 20, 30))
    canvas.panel((4, 4, 50, 30), (250, 250, 250), (90, 90, 90))
    canvas.card_back((60, 4, 30, 40), (120, 0, 0), (200, 90, 90))
    canvas.text("14 Musée", (60, 60), 20, (255, 255, 0), max_width=100)
    return canvas.array()


def test_a_canvas_draws_the_same_picture_every_time():
    first = drawn()
    assert first.shape == (80, 120, 3)
    assert first.dtype == np.uint8
    assert first.flags.c_contiguous
    assert first.flags.writeable
    assert (first == drawn()).all()
    pygame.quit()
    assert (first == drawn()).all(), "after pygame.quit()"
    pygame.init()
    pygame.display.set_mode((20, 20))
    assert (first == drawn()).all(), "beside a display of the user's"
    pygame.quit()


def test_shapes_land_where_they_should():
    canvas = Canvas(40, 20, (0, 0, 0))
    canvas.rectangle((10, 5, 8, 4), (255, 0, 0))
    with canvas.inside((30, 0, 5, 5)):
        canvas.rectangle((20, 0, 20, 20), (0, 255, 0))
    canvas.shade((0, 10, 4, 4), 0.5, colour=(200, 200, 200))
    canvas.frame((20, 8, 6, 5), (0, 0, 255), thickness=1)
    picture = canvas.array()
    assert set(zip(*np.nonzero(picture[:, :, 0] == 255), strict=True)) == {
        (y, x) for y in range(5, 9) for x in range(10, 18)
    }
    assert set(zip(*np.nonzero(picture[:, :, 1] == 255), strict=True)) == {
        (y, x) for y in range(5) for x in range(30, 35)
    }
    assert set(zip(*np.nonzero(picture[:, :, 2] == 255), strict=True)) == {
        (y, x) for y in range(8, 13) for x in range(20, 26) if y in (8, 12) or x in (20, 25)
    }
    assert abs(int(picture[11, 1, 2]) - 100) <= 2


def test_words_that_are_too_long_are_written_smaller():
    canvas = Canvas(300, 40, (0, 0, 0))
    words = "player_0 (you) + player_2"
    wide = canvas.text(words, (150, 20), 30, (255, 255, 255))
    assert wide > 150
    assert canvas.text(words, (150, 20), 30, (255, 255, 255), max_width=150) <= 150
