"""What the command ``gallery`` does.

Each command imports what it needs, the games and ``env_core`` too, so that ``gallery --help`` answers at once.
"""

from __future__ import annotations

import io
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

try:
    import typer
except ImportError as error:
    from env_core.errors import MissingExtraError

    raise MissingExtraError("the command line", "train") from error

PROGRAM = "gallery"
FAILED = 1
USAGE_ERROR = 2
INTERRUPTED = 130
DEFAULT_GAME = "musee"
DEFAULT_RANKING = Path("runs/arena")

# What Typer raises for all that is wrong on a command line; it gives this class no public name.
UsageError: Any = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name=PROGRAM,
    help="Games about galleries and museums for reinforcement learning: train, compare and play.",
    add_completion=False,
    pretty_exceptions_enable=False,
)

GameArgument = Annotated[
    str | None,
    typer.Argument(metavar="GAME", help="The game; `gallery list` names them.", show_default="musee"),
]
PlayersOption = Annotated[
    int | None, typer.Option("--players", "-p", help="Number of players.", show_default="the game's own: 2")
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option of the game, for example reward=margin, its value a word, a number, yes, no, none or JSON; may "
        "be given more than once. `gallery list` names each game's.",
        show_default=False,
    ),
]


def run(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that has no é shows a question mark.
            stream.reconfigure(errors="replace")
    try:
        code = app(args=list(arguments), prog_name=PROGRAM, standalone_mode=False)
    except UsageError as error:
        context = getattr(error, "ctx", None)
        where = context.command_path if context else PROGRAM
        print(f"{where}: error: {_one_line(error.format_message())}", file=sys.stderr)
        return USAGE_ERROR
    except ImportError as error:
        from env_core.errors import MissingExtraError

        if not isinstance(error, MissingExtraError):
            raise
        print(f"{PROGRAM}: error: {_one_line(error)}", file=sys.stderr)
        return USAGE_ERROR
    except (KeyboardInterrupt, typer.Abort):
        print(f"{PROGRAM}: interrupted.", file=sys.stderr)
        return INTERRUPTED
    except (MemoryError, OSError) as error:
        print(f"{PROGRAM}: error: {_said(error)}", file=sys.stderr)
        return USAGE_ERROR
    return code if isinstance(code, int) else 0


def _one_line(message: object) -> str:
    return " ".join(str(message).split())


def _said(error: Exception) -> str:
    return _one_line(f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error)


@contextmanager
def _refusing(classes: tuple[type[Exception], ...] = (ValueError, TypeError, OSError)) -> Iterator[None]:
    """Let what is raised for bad input end in one line and the exit code for it."""
    try:
        yield
    except classes as error:
        raise UsageError(_said(error)) from error


def _game_first(words: list[str] | None) -> tuple[str, list[str]]:
    """The game that the words begin with, or else the default one, and the words behind it, policies."""
    from agents.games import FACES, UnknownGameError, face_of
    from agents.policies import OWN_SEPARATOR, TRAINED_SUFFIX, policy_names
    from env_core.options import unknown_name_message

    names = list(words or [])
    if not names:
        return DEFAULT_GAME, names
    first = names[0]
    try:
        face_of(first)
    except UnknownGameError:
        ready = policy_names(DEFAULT_GAME)
        if first not in ready and OWN_SEPARATOR not in first and not first.endswith(TRAINED_SUFFIX):
            known = [*FACES, *ready, f"a trained policy's {TRAINED_SUFFIX}", f"my_module{OWN_SEPARATOR}MyPolicy"]
            raise UsageError(unknown_name_message("game or policy", first, known)) from None
        return DEFAULT_GAME, names
    return first, names[1:]


def _game_and_options(name: str, players: int | None, options: list[str] | None) -> tuple[Any, dict[str, Any]]:
    """The face of a game, and its options, which have been checked."""
    from agents.games import face_of, options_from_words
    from env_core.errors import OptionError

    with _refusing():
        face = face_of(name)
        given = options_from_words(options or [])
        if players is not None:
            if "num_players" in given:
                raise OptionError("the number of players is given twice, by --players and by --option.")
            given["num_players"] = players
        face.GAME.options.from_keywords(given)
    return face, given


def _policies(names: list[str], game: Any, options: Any) -> dict[str, Any]:
    """The policies of these names; modules of the user's are looked for in the working folder too."""
    from agents.policies import OWN_SEPARATOR, make_policy

    if any(OWN_SEPARATOR in name for name in names) and "" not in sys.path:
        sys.path.append("")
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        policies = {name: make_policy(name, game, options) for name in names}
    for note in noted:
        print(f"note: {note.message}", file=sys.stderr)
    return policies


def _checked_seed(seed: int) -> int:
    from env_core.random import checked_seed

    with _refusing():
        return checked_seed(seed)


@app.callback(invoke_without_command=True)
def _gallery(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False
) -> None:
    if version:
        from importlib.metadata import version as version_of

        print(f"{PROGRAM} {version_of('gallery-envs')}")
        raise typer.Exit()
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list")
def list_games(
    game_name: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Show this game only.", show_default="all")
    ] = None,
) -> None:
    """Name the games, with their versions, sizes, options (as --option takes them) and policies."""
    from agents.games import FACES, face_of, option_in_words
    from agents.policies import TRAINED_SUFFIX, policy_names

    with _refusing():
        games = [face_of(name).GAME for name in ([game_name] if game_name else FACES)]
    for game in games:
        print(f"{game.name}: {game.title}, version {game.version}")
        for players in game.options.PLAYERS:
            options = game.options(num_players=players)
            size = game.features(options).size
            actions = game.moves.number_of_actions(game.new_states(options, 1)[0])
            print(f"  {players} players: {size} observation columns, {actions} actions")
        shown = (option_in_words(name, value) for name, value in game.options().as_record().items())
        print(f"  options: {', '.join(shown)}")
        print(f"  policies: {', '.join(policy_names(game))}, or a trained policy's {TRAINED_SUFFIX} file")


@app.command()
def train(
    game: GameArgument = None,
    players: PlayersOption = None,
    option: OptionsOption = None,
    steps: Annotated[
        int | None,
        typer.Option(
            help="Decisions of the learner to learn from, in all; rounded up to whole updates "
            "(num_envs * num_steps, 4096 decisions by default).",
            show_default="2000000",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The run's folder.")] = Path("runs/train"),
    seed: Annotated[int, typer.Option(help="The same seed gives the same policy.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="How to train, for example learning_rate=0.0005 or num_envs=512; may be given more than once. "
            "A wrong name shows all of them.",
            show_default=False,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Stop after so many seconds; compiling the rules is not counted.", show_default="none"),
    ] = None,
    threads: Annotated[int, typer.Option(help="Cores for the updates.")] = 1,
) -> int:
    """Train a policy by self-play with MaskablePPO.

    Ctrl-C stops it and leaves the policy as it then is; --resume goes on.
    """
    from agents import train_ppo

    if resume:
        with _refusing():
            train_ppo.check_run_folder(out)
            if game is not None:
                _refuse_another_game(out / train_ppo.CONFIG, game)
        others = {"--players": players, "--option": option, "--setting": setting, "--seed": seed or None}
        if given := [name for name, value in others.items() if value]:
            raise UsageError(
                f"--resume goes on as the run in {out} began: leave out {' and '.join(given)}. It takes GAME, --out, "
                "--steps, --time-limit and --threads only."
            )
    face, options = _game_and_options(game or DEFAULT_GAME, players, option)
    from agents.games import changed_options
    from env_core.errors import OptionError

    how: dict[str, Any] = {"threads": threads, "time_limit": time_limit, "report": print}
    with _refusing((OptionError, train_ppo.RunFolderError, OSError)):
        if resume:
            result = train_ppo.resume(out, total_steps=steps, **how)
        else:
            settings = _training_settings(train_ppo, setting or [])
            total = 2_000_000 if steps is None else steps
            result = train_ppo.train(face.GAME, options, total, out, seed, settings=settings, **how)
    ranking = f"gallery arena {result.game.name} {result.policy} expert -p {result.options.num_players}"
    ranking += "".join(f" -o {word}" for word in changed_options(result.options))
    print(f"{result.policy}: learned from {result.steps:,} decisions. `{ranking}` ranks it.")
    return 0 if result.finished else INTERRUPTED


def _refuse_another_game(config: Path, name: str) -> None:
    """Refuse to resume a run of another game than the one named; what else a file may lack is for ``resume`` to say."""
    import json

    from agents.games import face_of

    game = face_of(name).GAME
    try:
        trained = json.loads(config.read_text(encoding="utf-8"))["version"]
    except (KeyError, TypeError, ValueError):
        return
    if trained != game.version:
        raise ValueError(f"the run in {config.parent} trains {trained}, not {game.version}: leave out {name}.")


def _training_settings(train_ppo: Any, words: list[str]) -> Any:
    import dataclasses

    from agents.games import options_from_words
    from env_core.errors import OptionError
    from env_core.options import unknown_name_message

    with _refusing():
        given = options_from_words(words)
        known = [field.name for field in dataclasses.fields(train_ppo.TrainingSettings)]
        for name in given:
            if name not in known:
                raise OptionError(unknown_name_message("setting", name, known))
        return train_ppo.TrainingSettings(**given)


@app.command()
def arena(
    policies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME] [POLICY]...",
            help="The game (`gallery list` names them), then random, greedy, expert, a trained policy's .zip, or "
            "my_module:MyPolicy for one of your own; random is always there, since it is rated 0.",
            show_default="musee, all but trained ones",
        ),
    ] = None,
    players: PlayersOption = None,
    option: OptionsOption = None,
    deals: Annotated[int, typer.Option(help="Every pair plays each deal, once in every seat.")] = 500,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for arena.json, arena.csv and arena.png; must not hold a ranking.",
            show_default="runs/arena, or else runs/arena-2, ...",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Cores that share the games.")] = 1,
) -> int:
    """Rank policies: a round robin with duplicate deals, win rates, margins and ratings.

    Ctrl-C stops it and keeps what was played.
    """
    from agents.arena import DEALS, FILES, PolicyFailure, compete, require_extras
    from agents.folders import new_folder
    from agents.policies import policy_names
    from agents.progress import compile_rules
    from env_core.batch import THREADS
    from env_core.options import checked_integer

    require_extras()
    game, policies = _game_first(policies)
    face, options = _game_and_options(game, players, option)
    game_options = face.GAME.options.from_keywords(options)
    seed = _checked_seed(seed)
    names = policies or policy_names(face.GAME)
    with _refusing():
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the policy {name!r} is named twice.")
        playing = _policies(names, face.GAME, game_options)
        checked_integer("--deals", deals, DEALS)
        checked_integer("--threads", threads, THREADS)
        if list(playing) == ["random"]:
            raise ValueError("name a policy besides random.")
        if out is None:
            out = new_folder(DEFAULT_RANKING)
        elif found := [name for name in FILES if (out / name).exists()]:
            raise ValueError(f"{out} holds a ranking already ({found[0]}): choose another folder with --out.")
        out.mkdir(parents=True, exist_ok=True)
    try:
        ready = [playing[name] for name in policy_names(face.GAME) if name in playing]
        compile_rules(face.GAME, game_options, ready)
        result = compete(face.GAME, playing, deals=deals, seed=seed, options=options, threads=threads, progress=True)
    except PolicyFailure as error:
        print(f"{PROGRAM} arena: {error}", file=sys.stderr)
        if error.record is not None:
            from env_core.records import save

            path = out / "failed_position.json"
            save(error.record, path)
            print(f"The game up to there: {path}", file=sys.stderr)
        return FAILED
    with _refusing((OSError,)):
        paths = result.save(out)
    result.show()
    print(f"Written: {', '.join(map(str, paths))}")
    if result.interrupted:
        print(f"Interrupted: {result.deals:,} of {result.deals_wanted:,} deals were played.", file=sys.stderr)
        return INTERRUPTED
    return 0


@app.command()
def play(
    policies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME] [POLICY]...",
            help="The game (`gallery list` names them), then one policy for all other seats, or one for each, in turn "
            "order from yours: random, greedy, expert, a trained policy's .zip, or my_module:MyPolicy.",
            show_default="musee, the strongest that is ready",
        ),
    ] = None,
    players: PlayersOption = None,
    option: OptionsOption = None,
    seat: Annotated[int, typer.Option(help="Your seat, from 0.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Deals the game.", show_default="a fresh one")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to save the game record.", show_default="runs/play/<game>-<time>.json")
    ] = None,
) -> int:
    """Play in the terminal against policies. Moves are typed in words or as numbers; `help` there gives an example."""
    import numpy as np

    from agents.play import play_in_terminal
    from agents.policies import policy_names
    from agents.progress import compile_rules
    from env_core.records import save

    game, policies = _game_first(policies)
    face, options = _game_and_options(game, players, option)
    env = face.raw_env(render_mode="ansi", **options)
    seats = len(env.possible_agents)
    dealt = _checked_seed(seed) if seed is not None else int(np.random.default_rng().integers(2**63))
    names = policies or policy_names(face.GAME)[-1:]
    with _refusing():
        if not 0 <= seat < seats:
            raise ValueError(
                f"--seat {seat}: {face.GAME.title} with {seats} players has the seats 0 to {seats - 1}. Choose one of "
                "them, or another number of players with --players."
            )
        if len(names) not in (1, seats - 1):
            each = f", or {seats - 1}, one for each," if seats > 2 else ""
            raise ValueError(
                f"{len(names)} policies are named ({', '.join(names)}), but {face.GAME.title} with {seats} players has "
                f"{seats - 1} other seat{'s' if seats > 2 else ''}: name one policy{each} or choose another number of "
                "players with --players."
            )
        policy_of = _policies(names, face.GAME, env.options)
        path = out or Path("runs/play") / f"{face.GAME.name}-{time.strftime('%Y%m%d-%H%M%S')}.json"
        if path.suffix != ".json":
            raise ValueError(f"--out: a game record ends in .json, not {path.name!r}.")
        if path.exists():
            raise ValueError(f"--out: {path} is there already: choose another name.")
        path.parent.mkdir(parents=True, exist_ok=True)
    seated = [names[(other - seat - 1) % seats % len(names)] for other in range(seats)]
    compile_rules(face.GAME, env.options, [policy_of[name] for name in policy_names(face.GAME) if name in policy_of])
    record = play_in_terminal(env, seat, [policy_of[name] for name in seated], dealt, names=seated)
    with _refusing((OSError,)):
        save(record, path)
    print(f"Record: {path}")
    return 0


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A .json or .jsonl file of game records.")],
    boards: Annotated[
        bool, typer.Option("--boards", help="Show the table before each decision and at the end.")
    ] = False,
    step: Annotated[
        int | None, typer.Option(help="Show the table before this step only.", show_default="every step, in words")
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Save the tables there as pictures; needs the extra render.", show_default=False
        ),
    ] = None,
) -> int:
    """Show a game move by move, having played it back to check every step and the result.

    Of a file of several records only says whether they hold. Exit code 1 if one does not.
    """
    from agents import replay as shown
    from env_core.records import load

    with _refusing():
        records = load(file)
        if len(records) > 1 and (boards or pictures or step is not None):
            raise ValueError(
                f"{file} holds {len(records)} records: --boards, --step and --pictures take a file of one."
            )
    if len(records) > 1:
        all_hold = True
        for number, record in enumerate(records):
            if _checked(f"record {number}", record):
                print(f"record {number} holds: {len(record['steps'])} steps, {shown.outcome(record)}")
            else:
                all_hold = False
        return 0 if all_hold else FAILED
    (record,) = records
    face = _checked("the record", record)
    if face is None:
        return FAILED
    with _refusing():
        chosen: Iterable[tuple[int, Any]] = ()
        if step is not None:
            chosen = [(step, shown.position(face.raw_env, record, step))]
        elif boards or pictures:
            chosen = shown.positions(face.raw_env, record)
        if step is None and not boards:
            print(*shown.course(record), sep="\n")
        for number, env in chosen:
            if pictures:
                shown.save_board(env, number, pictures)
            if boards or (step is not None and not pictures):
                print(f"\n{shown.board(env)}\n\n{shown.step_in_words(record, number)}")
    if pictures:
        print(f"Pictures: {pictures}")
    print(f"The record holds: {len(record['steps'])} steps played back.")
    return 0


def _checked(name: str, record: dict[str, Any]) -> Any:
    """The face of a record's game if the record holds; None, having said why on stderr, if it does not."""
    from agents.games import UnknownGameError, face_of
    from env_core.errors import RecordError
    from env_core.records import check

    try:
        face = face_of(str(record.get("game")))
        check(face.raw_env, record)
    except (RecordError, UnknownGameError) as error:
        print(f"{name} does not hold: {_one_line(error)}", file=sys.stderr)
        return None
    return face


cards_app = typer.Typer()
app.add_typer(cards_app, name="cards")


@cards_app.callback()
def _cards() -> None:
    """Card files of Museum: Pictura."""


@cards_app.command()
def check(file: Annotated[str, typer.Argument(help="A card file, or default for the one that comes along.")]) -> None:
    """Check a card file of Museum: Pictura; say what it holds, or what is wrong and where."""
    from pictura_env.cards import load

    with _refusing():
        cards = load(file)
    print(f"{file} holds.")
    for source in sorted(set(cards.sources.values()), reverse=True):
        print(f"  {source}: {', '.join(name for name, found in cards.sources.items() if found == source)}")
    copies = cards.tables["favor_copies"][0].tolist()
    types = (f"{number} {name} ({copies[number]})" for number, name in enumerate(cards.favor_names))
    print(f"  favor types: {', '.join(types)}")
    print(f"  sha256: {cards.sha256}")


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
    options_metavar="[ARGUMENTS]",
)
def bench(context: typer.Context) -> int:
    """Measure speed; `gallery bench --help` names the arguments. Needs a source checkout."""
    root = Path(__file__).resolve().parents[1]
    if not (root / "benchmarks" / "__main__.py").is_file():
        raise UsageError(
            "the benchmarks are in the source checkout, not in an installed package: clone the repository and run "
            "`make bench` there."
        )
    return subprocess.run([sys.executable, "-m", "benchmarks", *context.args], cwd=root).returncode


@app.command()
def demo() -> int:
    """Train a policy on Musée in a few minutes, rank it, and keep policy, table, plot and a game record."""
    from agents.demo import main as run_demo

    return int(run_demo() or 0)
