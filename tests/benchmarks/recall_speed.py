"""Measure search latency: the nearest of many vectors beside a multiplication, and a cold search beside DuckDB.

    python tests/benchmarks recall_speed [--rounds PROCESSES]
    PYTHONPATH=tests python -m benchmarks.recall_speed [VECTORS] [--home FOLDER] [--rounds PROCESSES]

Vector libraries search the same vectors in the same run; one way of faiss's looks at an eighth of them, and misses
some. Processor time, in turn with what it is measured against, in one run and one thread. ``--home`` names a home of
OpenKoi whose memory has ten thousand pieces or so: a cold ``openkoi memory search`` there is measured beside
``import duckdb``.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from .contest import TESTS, Contestant, enlisted, load, round_robin, table
from .peers import peers_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from openkoi_search.bm25 import Matrix
    from openkoi_search.exact_search import VectorMatrix

DIMENSIONS, NEAREST, QUESTIONS = 384, 28, 40
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(TESTS)}
PEERS = ("faiss-cpu", "faiss-cpu:lists", "usearch")
BEGIN = """
import sys, numpy
from pathlib import Path
from time import process_time
from openkoi_search.vector_file import read
asked, began = numpy.load(sys.argv[2]), process_time()
"""
PLAIN = "rows = numpy.load(sys.argv[1], mmap_mode='r'); (rows @ asked).argpartition(-28)"
OURS = "read(Path(sys.argv[1])).vectors.nearest(asked.tolist(), 28)"
END = "\nprint(process_time() - began)"


def show(rounds: int) -> None:
    """Print a line a figure, from a process of its own: the number of threads is settled when NumPy is imported."""
    command = [sys.executable, "-m", __name__, "--rounds", str(rounds)]
    result = subprocess.run(command, check=True, env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True)
    print(result.stdout)


def main() -> None:
    """Print a line a figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("vectors", type=int, nargs="?", default=100_000)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--rounds", type=int, default=7, help="how many new processes are measured (default 7)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, enlisted(peers_in("vectors", *PEERS), folder) as contestants:
        columns = [
            warm(made(asked.vectors), contestants, Path(folder, str(number)))
            for number, made in enumerate((anywhere, in_heaps))
        ]
    head = [
        f"{asked.vectors:,} vectors ({load()})",
        "random vectors",
        "nearest found",
        "clustered vectors",
        "nearest found",
    ]
    print(table(head, [[name, *(cell for column in columns for cell in column[name])] for name in columns[0]]))
    print(f"The first question of a process: {cold(anywhere(asked.vectors), asked.rounds)}")
    if asked.home:
        print(f"openkoi memory search: {measure_command(asked.home, 2 * asked.rounds)}")


def anywhere(size: int) -> "Matrix":
    """Vectors without any order: the worst case."""
    import numpy

    return of_length_one(numpy.random.default_rng(1).standard_normal((size, DIMENSIONS), numpy.float32))


def in_heaps(size: int) -> "Matrix":
    """Vectors of which many resemble each other."""
    import numpy

    chance = numpy.random.default_rng(1)
    middles = chance.standard_normal((size // 100, 32), numpy.float32)[chance.integers(0, size // 100, size)]
    near = middles + numpy.float32(0.3) * chance.standard_normal((size, 32), numpy.float32)
    spread = near @ chance.standard_normal((32, DIMENSIONS), numpy.float32)
    return of_length_one(spread + numpy.float32(0.5) * chance.standard_normal(spread.shape, numpy.float32))


def of_length_one(rows: "NDArray[Any]") -> "Matrix":
    """Return the same directions."""
    import numpy

    found: Matrix = (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype(numpy.float32)
    return found


def warm(matrix: "Matrix", contestants: list[Contestant], folder: Path) -> dict[str, Sequence[str]]:
    """Return the time of a question and the share of the nearest found: multiplied with all, by ours and by peers."""
    import numpy

    from openkoi_search.exact_search import with_first_pass

    scanned, asked = with_first_pass(matrix), questions(matrix)
    pairs = [compared(scanned, matrix, question) for question in asked]
    plain, ours = (statistics.median(times) * 1000 for times in list(zip(*pairs, strict=True))[:2])
    same = statistics.fmean(alike for _, _, alike in pairs)
    found: dict[str, Sequence[str]] = {
        "a plain multiplication": (f"{plain:.1f} ms", ""),
        "openkoi": (f"{ours:.1f} ms ({ours / plain:.2f} of it)", f"{same:.3f}"),
    }
    folder.mkdir()
    numpy.save(folder / "rows.npy", matrix)
    numpy.save(folder / "questions.npy", asked)
    right = [set(numpy.argpartition(matrix @ one, -NEAREST)[-NEAREST:].tolist()) for one in asked]
    costs = round_robin(contestants, 1, set=int(folder.name))
    for one in contestants:
        times, ids = (costs[one.entry.name][0].figures[part] for part in (slice(len(asked)), slice(len(asked), None)))
        each = [set(ids[at : at + NEAREST]) for at in range(0, len(ids), NEAREST)]
        share = statistics.fmean(len(wanted & got) / NEAREST for wanted, got in zip(right, each, strict=True))
        name, _, way = one.entry.name.partition(":")
        median = statistics.median(times)
        found[f"{name} {one.version} {way}".strip()] = (f"{median:.1f} ms ({median / plain:.2f})", f"{share:.3f}")
    return found


def compared(scanned: "VectorMatrix", matrix: "Matrix", question: "Matrix") -> tuple[float, float, float]:
    """Seconds of both ways, and what share of the nearest ours found."""
    import numpy

    plain, right = timed(lambda: numpy.argpartition(matrix @ question, -NEAREST)[-NEAREST:])
    ours, found = timed(lambda: scanned.nearest(question.tolist(), NEAREST)[0])
    return plain, ours, len(set(right.tolist()) & set(found.tolist())) / NEAREST


def timed(work: "Callable[[], NDArray[Any]]") -> "tuple[float, NDArray[Any]]":
    """Seconds of processor time, and what came of it."""
    began = process_time()
    found = work()
    return process_time() - began, found


def questions(matrix: "Matrix") -> "Matrix":
    """Return some near the vectors, and as many from anywhere."""
    import numpy

    strange = anywhere(QUESTIONS // 2)
    near = matrix[:: max(1, len(matrix) // len(strange))][: len(strange)]
    return of_length_one(numpy.concatenate([near + strange / 2, strange]))


def cold(matrix: "Matrix", rounds: int) -> str:
    """New processes in turn: one maps a plain file and multiplies, the other reads ours and looks."""
    import numpy

    from openkoi_search.exact_search import with_first_pass
    from openkoi_search.vector_file import VectorFile, write

    with tempfile.TemporaryDirectory() as folder:
        plain, ours, question = Path(folder, "plain.npy"), Path(folder, "ours"), Path(folder, "question.npy")
        size = len(matrix)
        scanned = with_first_pass(matrix)
        write(ours, VectorFile("", "", numpy.arange(size), ["a"], numpy.zeros(size, numpy.int64), scanned))
        numpy.save(plain, matrix)
        numpy.save(question, matrix[7])
        pairs = [
            (measure_seconds(PLAIN, plain, question), measure_seconds(OURS, ours, question)) for _ in range(rounds)
        ]
    more = statistics.median(ours - plain for plain, ours in pairs) * 1000
    median = statistics.median(plain for plain, _ in pairs) * 1000
    return f"{more:+.1f} ms compared with {median:.1f} ms for a plain multiplication (goal +20 ms)."


def measure_seconds(code: str, *files: Path) -> float:
    """Seconds that a new process says it took."""
    command = [sys.executable, "-c", BEGIN + code + END, *map(str, files)]
    environment = {**os.environ, **ONE_THREAD}
    return float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


def measure_command(home: Path, rounds: int) -> str:
    """Whole processes in turn."""
    script = str(Path(sys.executable).with_name("openkoi"))
    ours = [script, "memory", "search", "what", "was", "said"]
    pairs = [(cpu([sys.executable, "-c", "import duckdb"], home), cpu(ours, home)) for _ in range(rounds)]
    return f"{statistics.median(ours / base for base, ours in pairs):.2f} times import duckdb (goal 3)"


def cpu(command: Sequence[str], home: Path) -> float:
    """Seconds of processor time of one whole process."""
    environment = {**os.environ, "OPENKOI_HOME": str(home)}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as child:
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    os.environ.update(ONE_THREAD)
    main()
