"""What a fresh process is timed at; run by ``benchmarks/compile.py``, prints its figures as JSON.

Usage: ``python -m benchmarks.fresh_process FACE first-step|everything``
"""

import importlib
import json
import sys
import time
from types import ModuleType
from typing import Any


def main(face: str, work: str) -> dict[str, Any]:
    """Import a game, then take its first step or compile everything.

    Args:
        face: The game's module, ``"musee_env.musee_v0"``.
        work: ``"first-step"`` or ``"everything"``.

    Returns:
        ``import_seconds`` and ``work_seconds``; how many compiled functions were ``loaded`` from the cache and how
        many ``compiled`` anew; the names of the game's kernels that stayed ``idle`` and
        of those that were made ``twice``, for two kinds of arguments.
    """
    start = time.perf_counter()
    importlib.import_module(face.split(".")[0])
    imported = time.perf_counter()
    module = importlib.import_module(face)
    {"first-step": take_first_step, "everything": use_everything}[work](module)
    done = time.perf_counter()
    dispatchers = compiled_functions()
    kernels = [dispatcher for dispatcher in dispatchers if dispatcher.__module__ == module.GAME.kernels.__name__]
    return {
        "import_seconds": imported - start,
        "work_seconds": done - imported,
        "loaded": sum(sum(dispatcher.stats.cache_hits.values()) for dispatcher in dispatchers),
        "compiled": sum(sum(dispatcher.stats.cache_misses.values()) for dispatcher in dispatchers),
        "idle": [kernel.__name__ for kernel in kernels if not (kernel.signatures or kernel.part.signatures)],
        "twice": [kernel.__name__ for kernel in kernels if len(kernel.signatures) > 1],
    }


def take_first_step(module: ModuleType) -> None:
    """Begin as a newcomer does: ``env()``, a reset, and one step."""
    env = module.env()
    env.reset(seed=7)
    before = env.state()
    env.step(int(env.last()[0]["action_mask"].argmax()))
    assert (env.state() != before).any()


def use_everything(module: ModuleType) -> None:
    """Go through every door that leads to compiled code."""
    batch = module.batch_env(4, threads=2)
    batch.reset(seed=7)
    batch.reset()
    before = batch.states.copy()
    batch.step(batch.sample_legal(1))
    assert (batch.states != before).all()
    batch.deal_next([0])
    batch.observe(0)
    batch.perfect_information()
    batch.standings()
    batch.resample_hidden(0, seed=1)
    scores, _ = batch.playout(seed=1)
    assert scores.any()
    env = module.raw_env()
    env.reset(seed=7)
    env.step(env.legal_actions()[0])
    env.reset(options={"setup": env.record()["setup"]})


def compiled_functions() -> list[Any]:
    """Every function of this suite that Numba compiles, once."""
    from numba.core.dispatcher import Dispatcher  # not before the clock of the import has been read

    found = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "env_core" or name.split(".")[0].endswith("_env"):
            for value in vars(module).values():
                if isinstance(value, Dispatcher):
                    found[id(value)] = value
    return list(found.values())


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
