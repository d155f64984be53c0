"""Read a file of tensors without loading it: eight bytes of length, a JSON header, then the numbers.

Raise ValueError for another format.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Tensor: TypeAlias = NDArray[numpy.float32]

MAX_HEADER_BYTES = 100 * 1024 * 1024
NUMBER = "F32"


def read_tensors(file: Path) -> "Mapping[str, Tensor]":
    """Return the float32 tensors in a file by name, as views of it."""
    import numpy

    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if not 0 < length <= min(MAX_HEADER_BYTES, file.stat().st_size - 8):
            raise ValueError("invalid header")
        header = json.loads(opened.read(length))
    data = numpy.memmap(file, numpy.uint8, "r", offset=8 + length)
    found = {}
    for name, entry in header.items():
        if entry.get("dtype") == NUMBER:
            start, end = entry["data_offsets"]
            found[name] = data[start:end].view("<f4").reshape(entry["shape"])
    return found
