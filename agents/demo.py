"""The demo: train a policy on Musée by self-play, rank it, and keep policy, table, plot and a game record.

``make demo`` runs it; it takes a few minutes. Everything is left in a new folder, ``runs/demo``, see ``main``.
"""

from __future__ import annotations

import time
from pathlib import Path

from agents.arena import ArenaResult, compete
from agents.folders import new_folder
from agents.games import face_of
from agents.policies import make_policy, policy_names
from agents.progress import compile_rules
from agents.train_ppo import LEARNING_CURVE, POLICY, TENSORBOARD, TrainingSettings, train
from env_core import records
from env_core.playing import play

GAME = "musee"
TRAINED = "trained"
RECORD = "game_record.json"
RUN_FOLDER = Path("runs/demo")
WANTED_WIN_RATE = 0.9
SEED = 1
# Points as they are scored teach faster than the bare outcome, and in Musée who scores most wins.
TRAINING_OPTIONS = {"num_players": 2, "reward": "score"}
TOTAL_STEPS = 1_000_000
TRAINING_SECONDS = 195.0
SETTINGS = TrainingSettings(evaluate_every=100_000)
DEALS = 1000
INTERRUPTED = 130
WHO_THEY_ARE = {
    "random": "plays any legal move",
    "greedy": "looks one move ahead and takes what puts it furthest ahead",
    "expert": "plays by rules of thumb, written by hand for this game",
}
"""What stands beside a win rate, so that it says something."""


def main(
    run_folder: Path | None = None,
    *,
    total_steps: int = TOTAL_STEPS,
    settings: TrainingSettings = SETTINGS,
    deals: int = DEALS,
    progress: bool = True,
) -> int:
    """Run the demo.

    Args:
        run_folder: Gets the policy (``policy.zip``), the table (``arena.csv``, ``arena.json``), plots of the ranking
            and of the training (``arena.png``, ``learning_curve.png``), a game (``game_record.json``), and what the
            training leaves besides; must not hold a run. None for ``runs/demo``, or, where an earlier demo has left
            something, ``runs/demo-2`` and so on.
        total_steps: Decisions to learn from; training stops earlier when its time is over.
        settings: How to train.
        deals: Deals of the ranking; each pair of policies plays each of them from both seats.
        progress: Show progress bars.

    Returns:
        What the process ends with: 0; 1 if the policy wins less than 90 % of its games against random play; 130 if it
        was interrupted.
    """
    started = time.monotonic()
    game = face_of(GAME).GAME
    run_folder = run_folder or new_folder(RUN_FOLDER)
    policies = {name: make_policy(name, game) for name in policy_names(game)}
    print(f"Everything will be left in {run_folder}.")
    # Before the clock of the training starts.
    compile_rules(game, game.options.from_keywords(TRAINING_OPTIONS), policies.values(), shown=progress)
    print(
        f"1/3 Training MaskablePPO on {game.title} by self-play: {total_steps:,} decisions, at most "
        f"{TRAINING_SECONDS / 60:.1f} minutes."
    )
    trained = train(
        GAME,
        TRAINING_OPTIONS,
        total_steps,
        run_folder,
        SEED,
        settings=settings,
        time_limit=TRAINING_SECONDS,
        progress=progress,
        report=print,
    )
    if trained.interrupted:
        return INTERRUPTED

    print(f"2/3 Ranking it: {deals:,} deals, each played from both seats by every pair.")
    policies = {TRAINED: make_policy(str(trained.policy), game, game.options()), **policies}
    result = compete(game, policies, deals=deals, seed=SEED, progress=progress)
    result.save(run_folder)
    result.show()

    print("3/3 Keeping a game against the strongest of the others.")
    others = [line.policy for line in result.standings() if line.policy != TRAINED]
    env = face_of(GAME).raw_env()
    record = play(env, [policies[TRAINED], policies[others[0]]], seed=SEED)
    records.save(record, run_folder / RECORD)
    records.check(face_of(GAME).raw_env, records.load(run_folder / RECORD)[0])

    return summary(result, run_folder, trained.steps, trained.finished, time.monotonic() - started)


def summary(result: ArenaResult, run_folder: Path, steps: int, finished: bool, seconds: float) -> int:
    """Print how well the policy does, where everything is and what to try next; give the exit code of ``main``."""
    rates = {name: result.win_rate(TRAINED, name) for name in result.policies if name != TRAINED}
    print(
        f"\nAfter {steps:,} decisions of self-play{'' if finished else ' (its time was over before the end)'}, and "
        f"{seconds / 60:.1f} minutes in all, the trained policy wins, over {result.deals * result.sides:,} games each:"
    )
    for name, rate in rates.items():
        print(f"  {rate:6.1%} against {name:8} {WHO_THEY_ARE[name]}")
    print(
        f"An equal opponent would be beaten in {1 / result.sides:.0%} of the games, luck included. None of the three "
        "says how well people play: that has not been measured."
    )
    print(f"\nIn {run_folder}:")
    for name, what in (
        (POLICY, "the policy"),
        ("arena.csv", "the table; arena.json has each pair"),
        ("arena.png", "its plot"),
        (LEARNING_CURVE, "how the training went; tensorboard has more"),
        (RECORD, "a game, move by move"),
    ):
        print(f"  {name:20} {what}")
    print("\nTo try next:")
    for command, what in (
        (f"gallery play {run_folder / POLICY}", "play against it"),
        (f"gallery replay {run_folder / RECORD} --boards", "watch the game"),
        (f"gallery train --resume --out {run_folder} --steps {4 * steps}", "train on"),
        (f"tensorboard --logdir {run_folder / TENSORBOARD}", "look at the training"),
    ):
        print(f"  {command:70} {what}")
    if rates["random"] < WANTED_WIN_RATE:
        print(
            f"\nThe demo has failed: the policy should win {WANTED_WIN_RATE:.0%} of its games against random play, "
            f"and wins {rates['random']:.1%}."
        )
        return 1
    return 0
