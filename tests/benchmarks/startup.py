"""How long a start takes, beside bare Python and click, in one run and in turn: ratios of CPU time.

python tests/benchmarks/startup.py [ROUNDS]
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PYTHON = sys.executable
SCRIPT = str(Path(PYTHON).with_name("openkoi"))
BASES = {"bare": [PYTHON, "-c", "pass"], "click": [PYTHON, "-c", "import click"]}
OURS = {"--version": ([SCRIPT, "--version"], "bare", 1.3), "--help": ([SCRIPT, "--help"], "click", 1.3)}
FAKES = 100


def cpu(command: Sequence[str], extra: str = "") -> float:
    """Seconds of processor time of one whole process."""
    environment = {**os.environ, "PYTHONPATH": extra} if extra else dict(os.environ)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as child:
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    return usage.ru_utime + usage.ru_stime


def ratio(command: Sequence[str], base: Sequence[str], rounds: int) -> float:
    """Return the median of the ratios, pair by pair."""
    return statistics.median(cpu(command) / cpu(base) for _ in range(rounds))


def added_by_plugins(rounds: int) -> float:
    """Milliseconds that a hundred more distributions add to ``--help``."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FAKES):
            info = Path(folder, f"openkoi_fake{number}-1.0.dist-info")
            info.mkdir()
            (info / "entry_points.txt").write_text(f"[openkoi.evaluators]\nfake{number} = fake{number}:Fake\n")
        return statistics.median(cpu(OURS["--help"][0], folder) - cpu(OURS["--help"][0]) for _ in range(rounds)) * 1000


def main() -> None:
    """Print one line a figure, with what it should be at most."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for name, (command, base, goal) in OURS.items():
        print(f"openkoi {name:<10} {ratio(command, BASES[base], rounds):5.2f} x {base:<6} (goal {goal})")
    print(f"{FAKES} more distributions: {added_by_plugins(rounds):+5.1f} ms (goal 10)")


if __name__ == "__main__":
    main()
