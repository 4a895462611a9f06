"""The command ``gallery``; also ``python -m agents``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

USAGE_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: As on the command line, without the command's name; None for the process's own.

    Returns:
        The exit code: 0, 1 (a record does not hold, a policy failed), 2 (something asked for is not possible), 130
        (interrupted).
    """
    try:
        from agents.command_line import run
    except ImportError as error:
        from env_core.errors import MissingExtraError

        if not isinstance(error, MissingExtraError):
            raise
        print(f"gallery: error: {error}", file=sys.stderr)
        return USAGE_ERROR
    return run(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
