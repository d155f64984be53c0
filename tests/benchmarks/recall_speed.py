"""Measure search latency: the nearest of many vectors beside a multiplication, and the first question of a process.

Vector libraries search the same vectors in the same run; one way of faiss's looks at an eighth of them, and misses
some. Processor time, in turn with what it is measured against, in one run and one thread.
"""

import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .contest import Contestant, Entry, enlisted, load, met, round_robin, started, table
from .homes import home_of_openkoi
from .peers import peers_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[Any]

VECTORS, DIMENSIONS, NEAREST, QUESTIONS = 100_000, 384, 28, 40
FLOOR, OURS = "a plain multiplication", "openkoi"
OWN = (Entry(FLOOR, "vectors", way="multiplication"), Entry(OURS, "vectors", way="openkoi"))
PEERS = ("faiss-cpu", "faiss-cpu:lists", "usearch")
COLD_GOAL = 20  # ms


def show(rounds: int) -> None:
    """Print a table, and what the first question of a process costs."""
    made = (anywhere(VECTORS), in_heaps(VECTORS))
    with tempfile.TemporaryDirectory() as folder, enlisted([*OWN, *peers_in("vectors", *PEERS)], folder) as contestants:
        columns = [warm(matrix, contestants, Path(folder, str(number)), rounds) for number, matrix in enumerate(made)]
        head = [
            f"{VECTORS:,} vectors ({load()})",
            "random vectors",
            "nearest found",
            "clustered vectors",
            "nearest found",
        ]
        print(table(head, [[name, *(cell for column in columns for cell in column[name])] for name in columns[0]]))
        print(f"The first question of a process: {cold(Path(folder, '0'), rounds)}")


def anywhere(size: int) -> "Matrix":
    """Vectors without any order: the worst case."""
    import numpy

    return of_length_one(numpy.random.default_rng(1).standard_normal((size, DIMENSIONS), numpy.float32))


def in_heaps(size: int) -> "Matrix":
    """Vectors many of which resemble each other."""
    import numpy

    chance = numpy.random.default_rng(1)
    middles = chance.standard_normal((size // 100, 32), numpy.float32)[chance.integers(0, size // 100, size)]
    near = middles + numpy.float32(0.3) * chance.standard_normal((size, 32), numpy.float32)
    spread = near @ chance.standard_normal((32, DIMENSIONS), numpy.float32)
    return of_length_one(spread + numpy.float32(0.5) * chance.standard_normal(spread.shape, numpy.float32))


def of_length_one(rows: "Matrix") -> "Matrix":
    """Return the same directions."""
    import numpy

    found: Matrix = (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype(numpy.float32)
    return found


def warm(matrix: "Matrix", contestants: list[Contestant], folder: Path, rounds: int) -> dict[str, tuple[str, str]]:
    """Return the time of a question and the share of the nearest found: multiplied with all, by ours and by peers."""
    import numpy

    asked = questions(matrix)
    folder.mkdir()
    numpy.save(folder / "rows.npy", matrix)
    numpy.save(folder / "questions.npy", asked)
    right = [set(numpy.argpartition(matrix @ one, -NEAREST)[-NEAREST:].tolist()) for one in asked]
    costs = round_robin(contestants, rounds, set=int(folder.name))
    times = {
        name: statistics.median(took for turn in turns for took in turn.figures[: len(asked)])
        for name, turns in costs.items()
    }
    found: dict[str, tuple[str, str]] = {}
    for one in contestants:
        name, _, way = one.entry.name.partition(":")
        took, ids = times[one.entry.name], costs[one.entry.name][0].figures[len(asked) :]
        each = [set(ids[at : at + NEAREST]) for at in range(0, len(ids), NEAREST)]
        share = statistics.fmean(len(wanted & got) / NEAREST for wanted, got in zip(right, each, strict=True))
        cells = (f"{took:.1f} ms ({took / times[FLOOR]:.2f})", f"{share:.3f}")
        found[f"{name} {one.version} {way}".strip()] = cells
    return found


def questions(matrix: "Matrix") -> "Matrix":
    """Return some near the vectors, and as many from anywhere."""
    import numpy

    strange = anywhere(QUESTIONS // 2)
    near = matrix[:: max(1, len(matrix) // len(strange))][: len(strange)]
    return of_length_one(numpy.concatenate([near + strange / 2, strange]))


def cold(folder: Path, rounds: int) -> str:
    """Run new processes in turn: one maps a plain file and multiplies, the other searches our file."""
    first_question("write", folder)
    pairs = [[float(first_question(way, folder)) for way in ("plain", "openkoi")] for _ in range(rounds)]
    more = statistics.median(ours - plain for plain, ours in pairs) * 1000
    plain = statistics.median(plain for plain, _ in pairs) * 1000
    goal = f"goal +{COLD_GOAL} ms, {met(more, COLD_GOAL)}"
    return f"{more:+.1f} ms compared with {plain:.1f} ms for a plain multiplication ({goal})."


def first_question(way: str, folder: Path) -> str:
    """Return the output of a new process."""
    command = [home_of_openkoi(), "-m", "benchmarks.contestants.first_question", way, str(folder)]
    with started(command, None) as process:
        return process.stdout.read() if process.stdout else ""
