"""Ask the first question of a process about many vectors in a file, and print the seconds of processor time.

``python -m benchmarks.contestants.first_question write|plain|openkoi FOLDER``; what is written are both files.
"""

import os
import sys
from pathlib import Path
from time import process_time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # is read when NumPy is imported

import numpy

from openkoi_search.vector_file import VectorFile, read, write

NEAREST = 28
FOLDER = Path(sys.argv[2])
PLAIN, OURS = FOLDER / "rows.npy", FOLDER / "ours"


def write_file() -> None:
    """Write the file of ours from the plain one."""
    from openkoi_search.exact_search import with_first_pass

    rows = numpy.load(PLAIN)
    size = len(rows)
    places = numpy.zeros(size, numpy.int64)
    write(OURS, VectorFile("", "", numpy.arange(size), ["a"], places, with_first_pass(rows)))


def ask_plain() -> None:
    """Map the plain file, and multiply."""
    question = numpy.load(FOLDER / "questions.npy")[0]
    began = process_time()
    (numpy.load(PLAIN, mmap_mode="r") @ question).argpartition(-NEAREST)
    print(process_time() - began)


def ask_ours() -> None:
    """Read our file, and search."""
    question = numpy.load(FOLDER / "questions.npy")[0]
    began = process_time()
    read(OURS).vectors.nearest(question.tolist(), NEAREST)
    print(process_time() - began)


if __name__ == "__main__":
    {"write": write_file, "plain": ask_plain, "openkoi": ask_ours}[sys.argv[1]]()
