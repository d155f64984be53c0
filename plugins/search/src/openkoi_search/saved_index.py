"""Keep an index of many short texts in a file, so that a process that asks one question does not build it again.

The file's name is a hash of the texts: other texts are another file, and a changed text is never found in an old one.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile

from .bm25 import K1, B
from .checksums import CorruptFileError
from .fusion import STANDALONE
from .index import TextIndex, encode_texts, read_encoded
from .segment_documents import SegmentDocuments

FORMAT = 3  # of the files: words, as they are split now


def open_saved_index(texts: Mapping[str, str], folder: Path, name: str) -> TextIndex[str]:
    """Return an index of the words of texts by their ids; build it if its file does not exist.

    Files of the same ``name`` for other texts are removed. A folder that cannot be written to only costs time.
    """
    ids = list(texts)
    path = folder / f"{name}-{hash_texts(texts)}.index"
    data = read_file(path)
    try:
        segment = read_encoded(data)
    except CorruptFileError:
        data = encode_texts(list(texts.values()), ids, dimensions=0)
        write_file(path, data, name)
        segment = read_encoded(data)
    return TextIndex(ids, SegmentDocuments(segment, (K1, B)), STANDALONE)


def hash_texts(texts: Mapping[str, str]) -> str:
    """Return a hash of ids and texts, in their order."""
    content = json.dumps([FORMAT, *texts.items()], ensure_ascii=True)
    return blake2b(content.encode(), digest_size=10).hexdigest()


def read_file(path: Path) -> bytes:
    """Return a file's content; nothing if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def write_file(path: Path, data: bytes, name: str) -> None:
    """Write a file at once, and remove the files of other texts."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{name}-", delete=False) as file:
            file.write(data)
        Path(file.name).replace(path)
        for old in path.parent.glob(f"{name}-*.index"):
            if old != path:
                old.unlink(missing_ok=True)
