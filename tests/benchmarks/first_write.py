"""What a first write costs among many files that are not Python although they are named so, as it ships.

The same run without an evaluation is the floor. Ruff is on the path, and the project has no rules of its own.
"""

import os
import shutil
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say

from .contest import ALONE, COMPILES, load, met, table, usage_of
from .homes import home_of_openkoi

SIZES = (1_000, 10_000)
NOT_PYTHON = "def f(:\n" + ")( 1 2 3\nx = = 4 $ ??\n  import\n" * 40
WRITE = ToolCall("c1", "write_file", {"path": "new.py", "content": "x = 1\n", "overwrite": True})
TASK = ("-m", "openai/mock", "Write new.py")
FLOOR, OURS = ("-i", "0"), ("-i", "1", "--no-judge")
MOST_SECONDS, MOST_MEGABYTES, MOST_KEPT = 1.0, 100.0, 1.0


@dataclass(frozen=True, slots=True)
class WriteCost:
    """Seconds of processor time, and the most memory and the size of OpenKoi's files in MiB."""

    cpu: float
    peak: float
    kept: float


def show(rounds: int) -> None:
    """Print a table, and what it should be."""
    rows = [row(size, rounds) for size in SIZES]
    head = [f"a first write ({load()})", "more processor time", "", "more memory", "", "more files kept", ""]
    print(table(head, rows))
    print(
        f"Goals: at most {MOST_SECONDS:g} s, {MOST_MEGABYTES:g} MiB and {MOST_KEPT:g} MiB more than without evaluation."
    )


def row(size: int, rounds: int) -> list[str]:
    """Return what the evaluation of a write among so many files costs more than the write alone."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder, "workspace")
        for number in range(size):
            path = root / f"folder{number // 100}" / f"bad{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(NOT_PYTHON)
        pairs = [(cost_of_write(root, FLOOR), cost_of_write(root, OURS)) for _ in range(rounds)]
    seconds = statistics.median(ours.cpu - floor.cpu for floor, ours in pairs)
    memory = statistics.median(ours.peak - floor.peak for floor, ours in pairs)
    kept = statistics.median(ours.kept - floor.kept for floor, ours in pairs)
    return [
        f"among {size:,} files",
        *(f"{seconds:+.2f} s", met(seconds, MOST_SECONDS)),
        *(f"{memory:+.0f} MiB", met(memory, MOST_MEGABYTES)),
        *(f"{kept:+.2f} MiB", met(kept, MOST_KEPT)),
    ]


def cost_of_write(root: Path, options: Sequence[str]) -> WriteCost:
    """Do the task once, with files of OpenKoi that are its own."""
    (root / "new.py").unlink(missing_ok=True)
    home = root.with_name("home")
    shutil.rmtree(home, ignore_errors=True)
    with OpenAIServer(Say([WRITE]), "Done.", models=["mock"]) as server:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        own = {"OPENKOI_HOME": str(home), "OPENAI_BASE_URL": server.url, "PATH": path}
        environment = {name: value for name, value in {**os.environ, **ALONE, **own}.items() if name != COMPILES}
        command = [str(Path(home_of_openkoi()).with_name("openkoi")), *options, *TASK]
        usage = usage_of(command, environment, root)
    count = sum(file.stat().st_size for file in home.rglob("*") if file.is_file())
    return WriteCost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, count / 2**20)
