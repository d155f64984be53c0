"""Find the nearest of many vectors, with our search or a library, exactly or approximately, in one thread."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.turns import Turn, address, take_part

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # is read when NumPy is imported

import numpy

NEAREST = 28


def searched(make: Callable[[Any], Callable[[Any], Any]]) -> Turn:
    """Return a turn that indexes the vectors of a file, and asks once for each of another one.

    It returns the milliseconds of processor time of each question, then the numbers that each found.
    """

    def turn(asked: dict[str, int]) -> list[float]:
        folder = Path(address(), str(asked["set"]))
        search, took, found = make(numpy.load(folder / "rows.npy")), [], []
        questions = numpy.load(folder / "questions.npy")
        search(questions[:1])
        for number in range(len(questions)):
            began = time.process_time()
            ids = search(questions[number : number + 1])
            took.append(1_000 * (time.process_time() - began))
            found += ids.ravel().tolist()
        return [*took, *found]

    return turn


def multiplied(rows: Any) -> Callable[[Any], Any]:
    """Multiply all vectors with the question."""
    return lambda question: numpy.argpartition(rows @ question[0], -NEAREST)[-NEAREST:]


def ours(rows: Any) -> Callable[[Any], Any]:
    """Search all vectors as memory does."""
    from openkoi_search.exact_search import with_first_pass

    scanned = with_first_pass(rows)
    return lambda question: scanned.nearest(question[0].tolist(), NEAREST)[0]


def faiss_flat(rows: Any) -> Callable[[Any], Any]:
    """Search all vectors with faiss."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    return lambda question: index.search(question, NEAREST)[1]


def faiss_lists(rows: Any) -> Callable[[Any], Any]:
    """Search an eighth of 256 lists of vectors with faiss, which have to be trained."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.index_factory(rows.shape[1], "IVF256,Flat", faiss.METRIC_INNER_PRODUCT)
    index.train(rows[::4])
    index.add(rows)
    index.nprobe = 32
    return lambda question: index.search(question, NEAREST)[1]


def usearch(rows: Any) -> Callable[[Any], Any]:
    """Search all vectors with usearch."""
    from usearch.index import MetricKind, search

    return lambda question: search(rows, question[0], NEAREST, MetricKind.IP, exact=True, threads=1).keys


if __name__ == "__main__":
    take_part(
        {
            "multiplication": lambda: searched(multiplied),
            "openkoi": lambda: searched(ours),
            "faiss-cpu": lambda: searched(faiss_flat),
            "faiss-cpu:lists": lambda: searched(faiss_lists),
            "usearch": lambda: searched(usearch),
        }
    )
