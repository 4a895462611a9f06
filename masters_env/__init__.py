"""Masters Gallery (Reiner Knizia, 2009) for 2 to 5 players. The environment is ``masters_env.masters_v0``."""

from env_core.faces import register

register("masters_env", "masters_v0", "gallery/Masters-v0")
