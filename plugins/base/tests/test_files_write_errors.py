"""What is said when a file cannot be written fits the reason."""

import errno
import os
from pathlib import Path

import pytest

from openkoi_base.files import describe_write_error, save_key
from openkoi_base.files.active_runs import lock_run
from openkoi_hookspecs import KoiError


@pytest.mark.parametrize(
    ("number", "fix"),
    [
        (errno.ENOSPC, "Free some space"),
        (errno.EFBIG, "Free some space"),
        (errno.EACCES, "Fix its permissions"),
        (errno.EPERM, "Fix its permissions"),
        (errno.EROFS, "Make its disk writable"),
        (errno.ENOTDIR, "Move the file that is in the way"),
        (errno.EIO, "Check its disk"),
        (errno.ENAMETOOLONG, "Use a shorter name"),
        (errno.EMFILE, "Free some space or fix its permissions"),
    ],
)
def test_the_fix_is_that_of_the_reason(number: int, fix: str) -> None:
    assert f"{os.strerror(number)}. {fix}" == describe_write_error(OSError(number, os.strerror(number)))


def test_a_file_in_the_way_is_not_said_to_need_space(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder can be made here")

    for write in (
        lambda: save_key(tmp_path / "file", "acme", "k"),
        lambda: lock_run(tmp_path / "file", "r").__enter__(),
    ):
        with pytest.raises(KoiError, match=r"Move the file that is in the way\.$"):
            write()
