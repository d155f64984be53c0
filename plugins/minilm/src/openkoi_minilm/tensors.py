"""Read a file of tensors without loading it: eight bytes of length, a JSON header, then the numbers.

Knows the format; knows no model. Raises ValueError when it is none.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Tensor: TypeAlias = NDArray[numpy.float32]

LONGEST_HEADER = 100 * 1024 * 1024
NUMBER = "F32"


def tensors(file: Path) -> "Mapping[str, Tensor]":
    """Return what is in a file by name, as views of it; tensors of other numbers than float32 are left out."""
    import numpy

    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if not 0 < length <= min(LONGEST_HEADER, file.stat().st_size - 8):
            raise ValueError("its header is broken")
        header = json.loads(opened.read(length))
    data = numpy.memmap(file, numpy.uint8, "r", offset=8 + length)
    found = {}
    for name, told in header.items():
        if told.get("dtype") == NUMBER:
            start, end = told["data_offsets"]
            found[name] = data[start:end].view("<f4").reshape(told["shape"])
    return found
