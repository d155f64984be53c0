"""Multiply in one thread: several ruin the tail on a busy machine, and gain little on an idle one.

Knows the BLAS that NumPy's wheels bring. Any other stays as it is, as does one that was told how many by a variable.
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
    """Set it for this process, whether NumPy was used before or not."""
    from ctypes import CDLL

    if any(name in os.environ for name in VARIABLES):
        return
    for library in libraries():
        with suppress(OSError):
            blas = CDLL(str(library))
            setter = next((name for name in SETTERS if hasattr(blas, name)), None)
            if setter:
                getattr(blas, setter)(1)


def libraries() -> Iterator[Path]:
    """List the libraries that came with NumPy: beside it, or on macOS within it."""
    import numpy

    home = Path(numpy.__file__).parent
    yield from home.parent.glob("numpy.libs/*openblas*")
    yield from home.glob(".dylibs/*openblas*")
