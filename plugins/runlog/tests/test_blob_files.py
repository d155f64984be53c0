"""The bytes of a blob are read from a regular file of its size only: a plugin's process could name another."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from openkoi_hookspecs import Blob, KoiError

DATA = b"an image"
DIGEST = sha256(DATA).hexdigest()


def test_the_bytes_of_a_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(DATA)

    assert DATA == Blob(DIGEST, len(DATA), tmp_path / "blob").read()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_neither_a_pipe_nor_a_device_nor_another_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "other").write_bytes(b"secret")

    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path / "other"):
        with pytest.raises(KoiError, match="is damaged"):
            Blob(DIGEST, 10**12, path).read()
    with pytest.raises(KoiError, match="cannot be read"):
        Blob(DIGEST, 10**12, tmp_path / "nothing").read()
