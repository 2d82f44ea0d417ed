"""The command ``weft``, as ``python -m weft`` and as the script of that name."""

from __future__ import annotations

import os
import sys

from . import _core


def main() -> None:
    """Run the command with the arguments of the process, and end the process with its exit code."""
    program = sys.argv[0] if os.path.basename(sys.argv[0]) == "sort" else "weft"
    sys.exit(_core.run_command([os.fsencode(word) for word in [program, *sys.argv[1:]]]))


if __name__ == "__main__":
    main()
