"""Save an index of many short texts in a file, so that a process with one question does not rebuild it.

The file's name is a hash of the state of the texts: other texts are another file, and are not needed to search it.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from openkoi_base.files.private_files import write_atomically

from .bm25 import LONG_SHAPE
from .checksums import CorruptFileError
from .fusion import STANDALONE
from .index import TextIndex, encode_words, read_encoded
from .words import document_terms

WeightedText = Sequence[tuple[str, int]]  # its parts, each with how often a word of it counts
FORMAT = 5  # of the files: words, as they are split now


def open_saved_index(
    ids: Sequence[str],
    state: object,
    make_texts: Callable[[], Sequence[WeightedText]],
    path: Path,
    shape: tuple[float, float] = LONG_SHAPE,
) -> TextIndex[str]:
    """Return an index of texts; load it from the file, or build it if their state has changed.

    ``path`` is a file's without its ending. The files of other states are removed; a folder that cannot be written to
    only costs time. ``state`` is anything that JSON can contain and that changes with a text. ``shape`` is BM25's k1
    and b.
    """
    path = path.with_name(f"{path.name}-{hash_state(ids, state)}.index")
    data = read_file(path)
    try:
        segment = read_encoded(data)
    except CorruptFileError:
        data = encode_words(list(map(count_weighted, make_texts())), ids)
        write_file(path, data)
        remove_other_states(path)
        segment = read_encoded(data)
    return TextIndex(list(ids), segment, shape, STANDALONE)


def count_weighted(text: WeightedText) -> Counter[str]:
    """Count the words of a text, multiplied by the weight of their part."""
    counted: Counter[str] = Counter()
    for part, weight in text:
        for word, times in Counter(document_terms(part)).items():
            counted[word] += times * weight
    return counted


def hash_state(ids: Sequence[str], state: object) -> str:
    """Return a hash of ids, in their order, and of the state of their texts."""
    return blake2b(json.dumps([FORMAT, ids, state]).encode(), digest_size=10).hexdigest()


def read_file(path: Path) -> bytes:
    """Return a file's content; nothing if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def write_file(path: Path, data: bytes) -> None:
    """Write a file; ignore a failure."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def remove_other_states(path: Path) -> None:
    """Remove the files of other states."""
    name = path.name.rpartition("-")[0]
    with suppress(OSError):
        for old in path.parent.glob(f"{name}-*{path.suffix}"):
            if old != path:
                old.unlink(missing_ok=True)
