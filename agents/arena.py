"""Round robin among policies: who wins how often, by how much, and how strong that makes each.

**The games.** Every policy meets every other one. In a game one side (a player, or a team where partners share their
score) is played by the one policy, all other sides by the other; the one sits in each side's place once, and then the
roles are changed. With two sides these are two games, with S > 2 sides 2 S. All of them, of all pairs, are dealt
alike (*duplicate* play), so that luck of the deal falls on everybody; a deal with all its games is the unit that the
confidence intervals resample.

**The numbers.** The win rate counts the games in which a policy sat alone against the others: with S equal policies it
is 1 / S. A shared win counts by its share. The margin is the own score minus the mean of the other sides' in these
games (in a match, of its last game). The rating is Luce's choice model, which for two sides is Bradley and Terry's: a
side of strength r wins with probability exp(r) / (sum of exp over all sides), fitted to all games at once by maximum
likelihood, on Elo's scale (400 points: ten times the strength) with random play at 0. To keep it finite where one
policy wins every game, each pairing has one more game, shared by all sides.

**The intervals.** Games of one deal are not independent, so a bootstrap resamples whole deals. Two things would make it
falsely sure. Where a policy has won all there was, all samples are alike: so each pairing has two deals more in the
samples, one won and one lost, as in Agresti and Coull's interval. And with few deals percentiles lie too close
together: so the tails are narrowed by what Student's t is wider than the normal distribution (Hesterberg's expanded
percentiles). Ratings that rest on hardly any lost game have no upper end that could be known.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from agents.games import AnyGame, face_of, game_of
from agents.progress import progress_bar
from env_core.batch import BatchEnv
from env_core.errors import MissingExtraError
from env_core.files import replacing, write_whole
from env_core.game import Game
from env_core.options import checked_integer
from env_core.policies import Policy, PolicyWithStates, RandomPolicy, call_policy, checked_policy
from env_core.random import checked_seed, first_game_seeds

ANCHOR = "random"
"""The policy whose rating is 0."""

ROWS_AT_ONCE = 2048
"""About so many games are played side by side; an interrupted arena loses at most these."""

FILES = ("arena.json", "arena.csv", "arena.png")
"""What a ranking is kept in."""

DEALS = range(1, 10**9)
"""So many deals can be asked for."""

CONFIDENCE = 0.95
BOOTSTRAP_SAMPLES = 2000
WEIGHTS_AT_ONCE = 2**20
NEXT_TO_NOTHING = 1e-9

FEW_DEALS = 30
"""With fewer deals the intervals are rough, and a line below the table says so."""

ELO_PER_UNIT = 400.0 / np.log(10.0)
LARGEST_NEWTON_STEP = 2.0
NEWTON_STEPS = 200
CONVERGED = 1e-9

AnyPolicy = Policy | PolicyWithStates


class PolicyFailure(RuntimeError):
    """A policy gave no legal action, or raised an error of its own.

    Attributes:
        policy: Its name.
        record: The game record up to the position, None when the policy failed before it chose for any one position.
    """

    def __init__(self, message: str, policy: str, record: dict[str, Any] | None) -> None:
        super().__init__(message)
        self.policy = policy
        self.record = record


@dataclass(frozen=True)
class Standing:
    """One line of the table.

    Attributes:
        policy: Its name.
        games: Games in which it sat alone.
        win_rate: Mean over its opponents, 0 to 1; 1 / sides is even.
        win_rate_low: Lower end of the confidence interval (NaN with a single deal).
        win_rate_high: Its upper end.
        margin: Points ahead of the mean of the other sides, mean over its opponents.
        rating: Elo's scale, random play is 0.
        rating_low: Lower end of the confidence interval.
        rating_high: Its upper end.
    """

    policy: str
    games: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float
    margin: float
    rating: float
    rating_low: float
    rating_high: float


@dataclass(frozen=True)
class ArenaResult:
    """What was played.

    Attributes:
        version: Of the game.
        options: Its options, defaults included.
        sides: Number of sides, S.
        policies: Their names, K of them.
        seed: Dealt the games.
        deals_wanted: Deals that were asked for; fewer were played if the arena was interrupted.
        wins: float64 (deals, K, K): share of the wins of the first policy, alone against the second, mean over its S
            seats; the diagonal is NaN.
        margins: float64 (deals, K, K): the same for its margin.
    """

    version: str
    options: dict[str, Any]
    sides: int
    policies: tuple[str, ...]
    seed: int
    deals_wanted: int
    wins: np.ndarray
    margins: np.ndarray

    @property
    def deals(self) -> int:
        """Number of deals played, each with all its games."""
        return len(self.wins)

    @property
    def interrupted(self) -> bool:
        """Whether fewer deals were played than asked for."""
        return self.deals < self.deals_wanted

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.deals * len(seatings(len(self.policies), self.sides))

    def standings(self) -> list[Standing]:
        """The table, highest rating first."""
        opponents = len(self.policies) - 1
        pair_games = self.deals * self.sides
        anchor = self.policies.index(ANCHOR)
        mean = self.wins.mean(axis=0)
        samples = bootstrap(self.wins, self.sides, self.seed)
        win_rates = np.nansum(mean, axis=1) / opponents
        win_rate_ends = interval(np.nansum(samples, axis=2) / opponents, win_rates, self.deals)
        margins = np.nansum(self.margins.mean(axis=0), axis=1) / opponents
        ratings = fit_ratings(mean[None], pair_games, self.sides, anchor)[0]
        rating_ends = interval(fit_ratings(samples, pair_games, self.sides, anchor), ratings, self.deals)
        table = [
            Standing(
                name,
                pair_games * opponents,
                *(float(number) for number in (win_rates[i], *win_rate_ends[:, i], margins[i], ratings[i])),
                *(float(number) for number in rating_ends[:, i]),
            )
            for i, name in enumerate(self.policies)
        ]
        return sorted(table, key=lambda line: -line.rating)

    def win_rate(self, policy: str, opponent: str) -> float:
        """How often a policy wins alone against another, 0 to 1."""
        return float(self.wins[:, self.policies.index(policy), self.policies.index(opponent)].mean())

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, as ``arena.json`` holds it; a number that there is not is None."""
        names = self.policies
        pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
        return {
            "version": self.version,
            "options": self.options,
            "seed": self.seed,
            "sides": self.sides,
            "deals": self.deals,
            "deals_wanted": self.deals_wanted,
            "games": self.games,
            "confidence": CONFIDENCE,
            "standings": [_without_nan(asdict(line)) for line in self.standings()],
            "pairs": [
                {
                    "policy": names[i],
                    "opponent": names[j],
                    "games": self.deals * self.sides,
                    "win_rate": float(self.wins[:, i, j].mean()),
                    "margin": float(self.margins[:, i, j].mean()),
                }
                for i, j in pairs
            ],
        }

    def save(self, folder: str | Path) -> list[Path]:
        """Write ``arena.json``, ``arena.csv`` and ``arena.png`` into a folder, which is made when missing.

        Returns:
            The files written.
        """
        folder = Path(folder)
        paths = [folder / name for name in FILES]
        write_whole(paths[0], json.dumps(self.as_dict(), ensure_ascii=False, indent=1) + "\n")
        with replacing(paths[1]) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Standing)])
            writer.writeheader()
            writer.writerows(_without_nan(asdict(line)) for line in self.standings())
        with replacing(paths[2]) as temporary:
            self._plot(temporary)
        return paths

    def _plot(self, path: Path) -> None:
        require_extras()
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        lines = self.standings()[::-1]
        figure = Figure(figsize=(8, 1.5 + 0.5 * len(lines)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        ratings = np.array([line.rating for line in lines])
        ends = np.array([[line.rating_low, line.rating_high] for line in lines])
        reach = np.nan_to_num(np.array([ratings - ends[:, 0], ends[:, 1] - ratings]))
        axes.errorbar(ratings, range(len(lines)), xerr=reach, fmt="o", capsize=4)
        axes.set_yticks(range(len(lines)), [line.policy for line in lines])
        axes.set_ylim(-0.5, len(lines) - 0.5)
        axes.set_xlabel(f"rating (Elo's scale, {ANCHOR} = 0), {CONFIDENCE:.0%} intervals")
        axes.set_title(f"{self.version}, {self.options['num_players']} players: {self.games:,} games")
        axes.grid(axis="x", alpha=0.3)
        figure.savefig(path, dpi=120)

    def show(self) -> None:
        """Print the table on the screen, and below it what its columns mean."""
        require_extras()
        from rich import box
        from rich.console import Console
        from rich.table import Table

        table = Table(
            title=f"{self.version}, {self.options['num_players']} players: {self.deals:,} deals, {self.games:,} games",
            box=box.SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
        )
        table.add_column("policy", overflow="fold")
        for heading in ("win rate", f"{CONFIDENCE:.0%} interval", "margin", "rating", f"{CONFIDENCE:.0%} interval"):
            table.add_column(heading, justify="right", no_wrap=True)
        for line in self.standings():
            table.add_row(
                line.policy,
                f"{line.win_rate:.1%}",
                _from_to(line.win_rate_low, line.win_rate_high, ".1%"),
                f"{line.margin:+.1f}",
                f"{line.rating:.0f}",
                _from_to(line.rating_low, line.rating_high, ".0f"),
            )
        console = Console()
        console.print(table)
        console.print(
            f"Win rate: of the games alone against one of the others; even is {1 / self.sides:.0%}. Margin: points "
            f"ahead of the others. Rating: Elo's scale, {ANCHOR} play is 0. Intervals: {CONFIDENCE:.0%} confidence, "
            "from resampling the deals.",
            highlight=False,
        )
        if self.deals < FEW_DEALS:
            console.print(
                f"Only {self.deals} deal{'' if self.deals == 1 else 's'}: too few to rank by; from {FEW_DEALS} on the "
                "intervals can be trusted.",
                highlight=False,
            )


def compete(
    game: AnyGame,
    policies: Mapping[str, AnyPolicy],
    *,
    deals: int = 500,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    progress: bool = False,
) -> ArenaResult:
    """Let policies play a round robin.

    Args:
        game: The game, or its name.
        policies: By name; random play is added under the name ``"random"`` where it is missing, since it is rated 0.
        deals: Number of deals, 1 or more; each is played by every pair in every seating.
        seed: Of the deals and of the policies' own randomness; the same seed gives the same result.
        options: The game's options.
        threads: Cores that share the games; results do not depend on it.
        progress: Show a progress bar.

    Returns:
        The result; of the deals played so far if the run was interrupted by ``KeyboardInterrupt``.

    Raises:
        ValueError: There is nobody for ``random`` to play against, an unknown game, or a wrong number or option.
        TypeError: Something that is no policy, or no game.
        PolicyFailure: A policy gave no legal action; the message says which and where.
        KeyboardInterrupt: Before the first deals were finished.
    """
    game = game_of(game)
    for name, policy in policies.items():
        checked_policy(policy, f"the policy {name!r}")
    policies = dict(policies) if ANCHOR in policies else {**policies, ANCHOR: RandomPolicy()}
    if len(policies) < 2:
        raise ValueError(f"an arena needs at least one policy besides {ANCHOR!r}.")
    deals = checked_integer("deals", deals, DEALS)
    seed = checked_seed(seed)
    table = BatchEnv(game, 1, **dict(options or {}))
    sides = int(table.states["num_sides"][0])
    plan = seatings(len(policies), sides)
    deals_at_once = max(1, ROWS_AT_ONCE // len(plan))
    game_seeds = first_game_seeds(seed, deals)
    wins, margins = [], []
    with progress_bar(deals * len(plan), "games", progress) as bar:
        try:
            for start in range(0, deals, deals_at_once):
                dealt = game_seeds[start : start + deals_at_once]
                won, ahead = _play_deals(game, policies, dealt, plan, sides, (seed, start), table, threads, bar)
                wins.append(won)
                margins.append(ahead)
        except KeyboardInterrupt:
            if not wins:
                raise
    return ArenaResult(
        version=game.version,
        options=table.options.as_record(),
        sides=sides,
        policies=tuple(policies),
        seed=seed,
        deals_wanted=deals,
        wins=np.concatenate(wins),
        margins=np.concatenate(margins),
    )


def require_extras() -> None:
    """Make sure, before any game is played, that table and plot can be drawn.

    Raises:
        MissingExtraError: A library of the extra ``train`` is not installed.
    """
    try:
        import matplotlib.figure  # noqa: F401
        import rich.table  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("the arena's table and plot", "train") from error


def seatings(policies: int, sides: int) -> list[tuple[int, int, int]]:
    """Who sits where in the games of one deal: ``(policy that sits alone, policy of all other sides, its side)``.

    Args:
        policies: Number of policies.
        sides: Number of sides; with two, each game is named once, by the lower number.
    """
    return [
        (alone, others, side)
        for alone in range(policies)
        for others in range(policies)
        for side in range(sides)
        if alone != others and (sides > 2 or alone < others)
    ]


def fit_ratings(win_rates: np.ndarray, games: int, sides: int, anchor: int) -> np.ndarray:
    """Fit Luce's choice model; see the module for what it says.

    Args:
        win_rates: float64 (n, K, K), n samples of the win rate of one policy alone against another; the diagonal is
            not read.
        games: Number of games behind each.
        sides: Number of sides.
        anchor: The policy whose rating is 0.

    Returns:
        float64 (n, K), on Elo's scale.
    """
    samples, count, _ = win_rates.shape
    weight = (games + 1) * (1.0 - np.eye(count))
    rates = np.where(np.eye(count, dtype=bool), 0.0, (win_rates * games + 1.0 / sides) / (games + 1))
    free = np.delete(np.arange(count), anchor)
    strength = np.zeros((samples, count))
    for _ in range(NEWTON_STEPS):
        ahead = strength[:, :, None] - strength[:, None, :] - np.log(sides - 1.0)
        expected = 1.0 / (1.0 + np.exp(-ahead))
        surplus = weight * (rates - expected)
        gradient = surplus.sum(axis=2) - surplus.sum(axis=1)
        curvature = weight * expected * (1.0 - expected)
        curvature = curvature + curvature.transpose(0, 2, 1)
        hessian = np.eye(count) * curvature.sum(axis=2)[:, :, None] - curvature
        step = np.linalg.solve(hessian[:, free[:, None], free], gradient[:, free, None])[..., 0]
        strength[:, free] += np.clip(step, -LARGEST_NEWTON_STEP, LARGEST_NEWTON_STEP)
        if np.abs(step).max() < CONVERGED:
            break
    return strength * ELO_PER_UNIT


def _play_deals(
    game: Game,
    policies: Mapping[str, AnyPolicy],
    game_seeds: np.ndarray,
    plan: list[tuple[int, int, int]],
    sides: int,
    entropy: tuple[int, int],
    table: BatchEnv,
    threads: int,
    bar: Any,
) -> tuple[np.ndarray, np.ndarray]:
    # Rows: all seatings of the first deal, all of the second, ...
    names = list(policies)
    deals, rows = len(game_seeds), len(game_seeds) * len(plan)
    batch = BatchEnv.with_options(game, rows, table.options, threads=threads, auto_reset=False)
    batch.reset(options={"game_seed": np.repeat(game_seeds, len(plan))})
    alone, others, side = (np.tile(column, deals) for column in np.array(plan).T)
    generators = [np.random.default_rng([*entropy, number]) for number in range(len(names))]
    history: list[tuple[np.ndarray, np.ndarray]] = []
    running = rows
    while running:
        waiting = np.flatnonzero(batch.seat >= 0)
        mover = np.where(batch.seat[waiting] % sides == side[waiting], alone[waiting], others[waiting])
        actions = np.empty(len(waiting), dtype=np.int64)
        for number, name in enumerate(names):
            asked = mover == number
            if asked.any():
                with _named(name, batch, history):
                    actions[asked] = call_policy(policies[name], batch, waiting[asked], generators[number])
        history.append((waiting, actions))
        batch.step(actions, waiting)
        left = int(np.count_nonzero(batch.seat >= 0))
        bar.update(running - left)
        running = left
    winners = np.zeros((rows, sides))
    for row in range(rows):
        won = {seat % sides for seat in batch.winners(row)}
        winners[row, list(won)] = 1.0 / len(won)
    scores = batch.scores()[:, :sides].astype(np.float64)
    margins = (sides * scores - scores.sum(axis=1, keepdims=True)) / (sides - 1)
    every = np.arange(rows)
    deal = every // len(plan)
    shape = (deals, len(names), len(names))
    results = []
    for values in (winners, margins):
        total = np.zeros(shape)
        np.add.at(total, (deal, alone, others), values[every, side] / sides)
        if sides == 2:
            # Seen from the other chair, the same games are the other policy's.
            np.add.at(total, (deal, others, alone), values[every, 1 - side] / sides)
        total[:, np.arange(len(names)), np.arange(len(names))] = np.nan
        results.append(total)
    return results[0], results[1]


@contextmanager
def _named(name: str, batch: BatchEnv, history: list[tuple[np.ndarray, np.ndarray]]) -> Iterator[None]:
    """Turn whatever a policy raises into a ``PolicyFailure`` with its name and, where there is one, the position."""
    try:
        yield
    except Exception as error:
        row = getattr(error, "row", None)
        message = f"policy {name!r} failed: {type(error).__name__}: {error}"
        record = None
        if row is not None:
            env = _game_so_far(batch, row, history)
            record = env.record()
            message += f"\nThe position, after {len(record['steps'])} steps:\n{env.render()}"
        raise PolicyFailure(message, name, record) from error


def _game_so_far(batch: BatchEnv, row: int, history: list[tuple[np.ndarray, np.ndarray]]) -> Any:
    env = face_of(batch.game.name).raw_env.with_options(batch.options, render_mode="ansi")
    env.reset(options={"game_seed": batch.game_seed(row)})
    for rows, actions in history:
        for action in actions[rows == row]:
            env.step(int(action))
    return env


def bootstrap(wins: np.ndarray, sides: int, seed: int) -> np.ndarray:
    """Win rates over resampled deals, each pairing with one more deal won and one more lost.

    Args:
        wins: float64 (deals, K, K), as ``ArenaResult.wins``.
        sides: Number of sides; with two, what one policy of a pair wins the other loses.
        seed: Of the resampling.

    Returns:
        float64 (BOOTSTRAP_SAMPLES, K, K); the diagonal is NaN.
    """
    rng = np.random.default_rng([seed, BOOTSTRAP_SAMPLES])
    deals, count, _ = wins.shape
    at_once = max(1, WEIGHTS_AT_ONCE // deals)
    parts = []
    for start in range(0, BOOTSTRAP_SAMPLES, at_once):
        samples = min(at_once, BOOTSTRAP_SAMPLES - start)
        # How often each deal is drawn: independent, so that each pairing can draw its own two deals more.
        drawn = rng.poisson(1.0, (samples, deals)).astype(np.float64)
        won, lost = rng.poisson(1.0, (2, samples, count, count))
        if sides == 2:
            # The games of a pair are the same from either chair.
            won, lost = np.triu(won) + np.tril(lost.transpose(0, 2, 1)), np.triu(lost) + np.tril(won.transpose(0, 2, 1))
        total = drawn.sum(axis=1)[:, None, None] + won + lost
        # Where not a single deal was drawn, either may be the stronger.
        parts.append((np.tensordot(drawn, wins, axes=1) + won + NEXT_TO_NOTHING / 2) / (total + NEXT_TO_NOTHING))
    return np.concatenate(parts)


def interval(samples: np.ndarray, estimates: np.ndarray, deals: int) -> np.ndarray:
    """The ends of confidence intervals.

    Args:
        samples: float64 (samples, K), of a bootstrap over deals.
        estimates: float64 (K,), what they are samples of.
        deals: Number of deals, those that ``bootstrap`` adds left out.

    Returns:
        float64 (2, K), lower and upper ends; NaN for a single deal.
    """
    if deals < 2:
        return np.full((2, len(estimates)), np.nan)
    resampled = deals + 2
    tail = NormalDist().cdf(-np.sqrt(resampled / (resampled - 1)) * t_quantile((1 + CONFIDENCE) / 2, resampled - 1))
    low, high = np.nanquantile(samples, [tail, 1.0 - tail], axis=0)
    # The deals that are added for the samples draw them towards the middle, past an estimate at the very end.
    return np.array([np.minimum(low, estimates), np.maximum(high, estimates)])


def t_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t, by Cornish and Fisher's expansion: within 1 % for 3 degrees of freedom and more."""
    z = NormalDist().inv_cdf(probability)
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )


def _from_to(low: float, high: float, how: str) -> str:
    return "-" if np.isnan(low) else f"{low:{how}} to {high:{how}}"


def _without_nan(line: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and np.isnan(value) else value for key, value in line.items()}
