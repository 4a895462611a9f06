"""Musée (Alf Seegert, 2014) for 2, 3 or 4 players. The environment is ``musee_env.musee_v0``."""

from env_core.faces import register

register("musee_env", "musee_v0", "gallery/Musee-v0")
