"""Do a long run whose process kills itself at its last step, after memory got a part: ``parts_run.py FOLDER``."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from test_memory_parts import InParts, do


def kill() -> None:
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    asyncio.run(do(InParts(path=folder / "own" / "memory.db"), folder, last=kill))
