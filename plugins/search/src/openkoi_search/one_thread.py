"""Multiply in one thread: several threads gain little, and slow down the slowest searches on a busy machine.

Applies to the BLAS in NumPy's wheels, unless an environment variable sets the number of threads.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
SETTERS = ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads", "openblas_set_num_threads")


@cache
def one_thread() -> None:
    """Limit BLAS to one thread in this process, whether or not NumPy is already loaded."""
    from ctypes import CDLL

    if any(name in os.environ for name in VARIABLES):
        return
    for library in list_blas_libraries():
        with suppress(OSError):
            blas = CDLL(str(library))
            setter = next((name for name in SETTERS if hasattr(blas, name)), None)
            if setter:
                getattr(blas, setter)(1)


def list_blas_libraries() -> Iterator[Path]:
    """List the libraries that NumPy's wheel includes: next to the package, or on macOS in it."""
    import numpy

    home = Path(numpy.__file__).parent
    yield from home.parent.glob("numpy.libs/*openblas*")
    yield from home.glob(".dylibs/*openblas*")
