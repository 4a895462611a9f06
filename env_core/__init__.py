"""What every game of the suite shares: environments, batches, records, policies and the conformance kit."""

from env_core.batch import BatchEnv, BatchStep
from env_core.errors import (
    IllegalActionError,
    MissingExtraError,
    OptionError,
    RecordError,
    SetupError,
    StateVersionError,
    UnknownOptionError,
)
from env_core.features import Feature, FeatureTable
from env_core.playing import play
from env_core.policies import Policy, PolicyWithStates, RandomPolicy

__all__ = [
    "BatchEnv",
    "BatchStep",
    "Feature",
    "FeatureTable",
    "IllegalActionError",
    "MissingExtraError",
    "OptionError",
    "Policy",
    "PolicyWithStates",
    "RandomPolicy",
    "RecordError",
    "SetupError",
    "StateVersionError",
    "UnknownOptionError",
    "play",
]
