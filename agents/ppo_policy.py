"""A policy trained with MaskablePPO, as a policy of ``env_core``, and the file it is kept in.

The file is Stable-Baselines3's own zip, so ``MaskablePPO.load`` reads it too, with one member more, ``gallery.json``,
that says which game the network plays. Reading it here unpickles nothing but weights.
"""

from __future__ import annotations

import json
import warnings
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.games import AnyGame, UnknownGameError, game_of
from env_core.batch import BatchEnv
from env_core.errors import MissingExtraError
from env_core.files import replacing
from env_core.options import GameOptions

try:
    import torch
    from torch.nn import functional
except ImportError as error:
    raise MissingExtraError("a trained policy", "train") from error

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

FORMAT = "gallery-policy/1"
DESCRIPTION = "gallery.json"
WEIGHTS = "policy.pth"
DESCRIPTION_KEYS = ("format", "game", "version", "options", "observation_size", "num_actions", "layers", "steps")
# What belongs to the training and not to the policy.
NOT_OF_THE_POLICY = ("_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer", "tensorboard_log")


class PolicyFileError(ValueError):
    """A file that is no policy, or the policy of another game or of another number of players."""


class OtherOptionsWarning(UserWarning):
    """A policy is to play by other rules than it learned by."""


class PPOPolicy:
    """The acting half of a trained network: linear layers with ReLU between them, and the mask.

    Args:
        layers: Weight float32 (outputs, inputs) and bias float32 (outputs,) of each layer, first to last.
        name: What messages and tables call it.
        deterministic: Always play the likeliest action; otherwise draw by the network's probabilities.
    """

    needs_states = False

    def __init__(self, layers: list[tuple[Any, Any]], name: str, deterministic: bool = False) -> None:
        self.layers = layers
        self.name = name
        self.deterministic = deterministic

    @property
    def observation_size(self) -> int:
        """Number of columns of the observations it was trained on."""
        return int(self.layers[0][0].shape[1])

    @property
    def num_actions(self) -> int:
        """Number of actions of the game it was trained on."""
        return int(self.layers[-1][0].shape[0])

    @classmethod
    def of_model(cls, model: MaskablePPO, name: str) -> PPOPolicy:
        """The policy that a model has now; training the model further does not change it."""
        weights = model.policy.state_dict()
        return cls(_layers_of(weights, _layer_names(weights), copy=True), name)

    def __call__(
        self, observation: np.ndarray, action_mask: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Choose an action in each position; see ``env_core.policies.Policy``.

        Raises:
            ValueError: Observations or masks of another size than the network's.
        """
        if observation.shape[1] != self.observation_size or action_mask.shape[1] != self.num_actions:
            raise ValueError(
                f"{self!r} plays a game with {self.observation_size} observation columns and {self.num_actions} "
                f"actions, not {observation.shape[1]} and {action_mask.shape[1]}: it was trained on another game or "
                "for another number of players."
            )
        with torch.no_grad():
            hidden = torch.from_numpy(np.ascontiguousarray(observation)).float()
            for weight, bias in self.layers[:-1]:
                hidden = functional.relu(functional.linear(hidden, weight, bias))
            logits = functional.linear(hidden, *self.layers[-1]).numpy()
        logits = np.where(action_mask, logits, -np.inf)
        if self.deterministic:
            return logits.argmax(axis=1)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True), dtype=np.float64)
        cumulated = weights.cumsum(axis=1)
        # Illegal actions have weight zero, so the first sum above a draw below the total is that of a legal one.
        return (cumulated > rng.random((len(logits), 1)) * cumulated[:, -1:]).argmax(axis=1)

    def __repr__(self) -> str:
        return f"PPOPolicy({self.name!r})"


def save_policy(model: MaskablePPO, path: str | Path, game: AnyGame, options: GameOptions) -> None:
    """Write a model's policy as a zip that ``load_policy`` and ``MaskablePPO.load`` read.

    The optimizer's moments, two thirds of a checkpoint, are left out.
    """
    game = game_of(game)
    weights = model.policy.state_dict()
    names = _layer_names(weights)
    description = {
        "format": FORMAT,
        "game": game.name,
        "version": game.version,
        "options": options.as_record(),
        "rules_sha256": game.rules_sha256(options),
        "observation_size": int(weights[f"{names[0]}.weight"].shape[1]),
        "num_actions": int(weights[f"{names[-1]}.weight"].shape[0]),
        "layers": names,
        "steps": int(model.num_timesteps),
    }
    optimizer = model.policy.optimizer
    moments, optimizer.state = optimizer.state, defaultdict(dict)
    try:
        with replacing(path) as temporary:
            model.save(temporary, exclude=NOT_OF_THE_POLICY)
            with zipfile.ZipFile(temporary, "a") as archive:
                archive.writestr(DESCRIPTION, json.dumps(description, indent=1))
    finally:
        optimizer.state = moments


def load_policy(
    path: str | Path, game: AnyGame | None = None, options: GameOptions | None = None, *, deterministic: bool = True
) -> PPOPolicy:
    """Read a policy that ``save_policy`` wrote.

    Args:
        path: The file, ``runs/demo/policy.zip`` say.
        game: The game that it is to play, or its name; None for the game that the file names.
        options: The options under which it is to play; None asks for the number of players it was trained with only
            when it is called.
        deterministic: Always play the likeliest action, which is the stronger play; otherwise draw by the network's
            probabilities, as in training.

    Raises:
        OSError: The file cannot be read.
        PolicyFileError: It is no policy, or that of another game, version or number of players.
    """
    path = Path(path)
    description, weights = _read(path)
    if game is None:
        try:
            game = game_of(str(description["game"]))
        except UnknownGameError as error:
            raise PolicyFileError(f"{path}: this policy plays {description['version']}: {error}") from None
    game = game_of(game)
    if (description["game"], description["version"]) != (game.name, game.version):
        raise PolicyFileError(f"{path}: this policy plays {description['version']}, not {game.version}.")
    if options is not None:
        trained = description["options"].get("num_players")
        if trained != options.num_players:
            raise PolicyFileError(
                f"{path}: this policy plays {game.version} with {trained} players, not {options.num_players}."
            )
        expected = BatchEnv.with_options(game, 1, options)
        sizes = (expected.observation_features.size, expected.num_actions)
        if sizes != (description["observation_size"], description["num_actions"]):
            raise PolicyFileError(
                f"{path}: this policy reads {description['observation_size']} observation columns and chooses among "
                f"{description['num_actions']} actions; under these options {game.version} has {sizes[0]} and "
                f"{sizes[1]}. It learned under {description['options']}: give these, or train it anew."
            )
        if description.get("rules_sha256", game.rules_sha256(options)) != game.rules_sha256(options):
            warnings.warn(
                f"{path}: this policy is to play under other options than it learned under: "
                f"{_differences(description['options'], options.as_record())}.",
                OtherOptionsWarning,
                stacklevel=2,
            )
    policy = PPOPolicy(_checked_layers(path, description, weights), path.stem, deterministic)
    if (policy.observation_size, policy.num_actions) != (description["observation_size"], description["num_actions"]):
        raise PolicyFileError(f"{path}: a damaged policy: its weights have not the sizes that it states.")
    return policy


def _differences(learned: dict[str, Any], now: dict[str, Any]) -> str:
    changed = [
        f"{name}={learned.get(name)!r}, now {value!r}" for name, value in now.items() if learned.get(name) != value
    ]
    return "; ".join(changed) or "the same names, but a file that they name has changed"


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise PolicyFileError(f"{path}: no policy file: expected a .zip that `gallery train` wrote.")
    try:
        with zipfile.ZipFile(path) as archive:
            missing = [name for name in (DESCRIPTION, WEIGHTS) if name not in archive.namelist()]
            if missing:
                raise PolicyFileError(
                    f"{path}: no policy file of this suite: it holds no {missing[0]}. Expected a .zip that `gallery "
                    "train` wrote."
                )
            description = json.loads(archive.read(DESCRIPTION))
            with archive.open(WEIGHTS) as file:
                weights = torch.load(file, map_location="cpu", weights_only=True)
    except PolicyFileError:
        raise
    except Exception as error:  # zipfile, json and torch each have their own for a damaged file
        raise PolicyFileError(f"{path}: a damaged policy: {error}") from None
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        found = description.get("format") if isinstance(description, dict) else description
        raise PolicyFileError(f"{path}: expected a policy of the format {FORMAT!r}, not {found!r}.")
    lacking = [key for key in DESCRIPTION_KEYS if key not in description]
    if lacking or not isinstance(description["options"], dict):
        raise PolicyFileError(f"{path}: a damaged policy: its {DESCRIPTION} lacks {lacking or ['options']}.")
    return description, weights


def _checked_layers(path: Path, description: dict[str, Any], weights: Any) -> list[tuple[Any, Any]]:
    try:
        layers = _layers_of(weights, description["layers"])
        for (weight, bias), (following, _) in zip(layers, [*layers[1:], (None, None)], strict=True):
            if weight.ndim != 2 or bias.shape != weight.shape[:1]:
                raise ValueError("a layer's weight and bias do not fit")
            if following is not None and following.shape[1] != weight.shape[0]:
                raise ValueError("two layers do not fit")
            if not (torch.isfinite(weight).all() and torch.isfinite(bias).all()):
                raise ValueError("a weight is not finite")
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise PolicyFileError(f"{path}: a damaged policy: {error}") from None
    return layers


def _layer_names(weights: dict[str, Any]) -> list[str]:
    # The state dictionary keeps the order in which the layers follow each other; the critic's own are left out.
    parts = ("features_extractor", "mlp_extractor.policy_net", "action_net")
    names = [name.removesuffix(".weight") for name in weights if name.startswith(parts) and name.endswith(".weight")]
    return sorted(names, key=lambda name: [name.startswith(part) for part in parts].index(True))


def _layers_of(weights: dict[str, Any], names: list[str], copy: bool = False) -> list[tuple[Any, Any]]:
    layers = [(weights[f"{name}.weight"].detach().float(), weights[f"{name}.bias"].detach().float()) for name in names]
    if not layers:
        raise ValueError("it has no layers")
    return [(weight.clone(), bias.clone()) for weight, bias in layers] if copy else layers
