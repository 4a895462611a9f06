"""What a game's face, ``<game>_v0.py``, is made of, and the registrations behind ``make``."""

from __future__ import annotations

import gymnasium
import pettingzoo


def register(package: str, version: str, gymnasium_id: str) -> None:
    """Register a game with PettingZoo and Gymnasium by string entry points.

    Args:
        package: The game's package, ``"musee_env"``.
        version: Its face, ``"musee_v0"``; PettingZoo's id is ``"gallery/musee_v0"``.
        gymnasium_id: ``"gallery/Musee-v0"``.
    """
    face = f"{package}.{version}"
    pettingzoo.register("aec", f"gallery/{version}", f"{face}:env")
    gymnasium.register(
        gymnasium_id,
        entry_point=f"{face}:single_seat_env",
        vector_entry_point=f"{face}:vector_env",
        disable_env_checker=True,
        order_enforce=False,
    )
