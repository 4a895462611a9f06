"""Museum: Pictura (Olivier Melison and Eric Dubus, 2021) for 2 to 4 players: ``pictura_env.pictura_v0``."""

from env_core.faces import register

register("pictura_env", "pictura_v0", "gallery/Pictura-v0")
