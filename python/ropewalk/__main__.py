"""The ``ropewalk`` command: ``ropewalk run scene.toml``, or ``python -m ropewalk run scene.toml``."""

import sys

from ropewalk import _core


def main() -> int:
    """Carries out the command line; its exit code."""
    return _core.run_command(["ropewalk", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
