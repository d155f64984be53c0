"""What is for one person alone is readable by nobody else, and nobody sees half of it."""

import os
from pathlib import Path

import pytest

from openkoi_base.files import lock_beside, private_folder, replace_file, restrict_permissions

posix = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@posix
@pytest.mark.row("SEC-02")
def test_folders_that_are_made_are_private_and_others_stay_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    made = private_folder(tmp_path / "a" / "b" / "c")

    assert [0o700] * 3 == [folder.stat().st_mode & 0o777 for folder in (made, made.parent, made.parent.parent)]
    assert 0o755 == tmp_path.stat().st_mode & 0o777
    assert made == private_folder(made)


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")

    with pytest.raises(OSError, match="a"):
        private_folder(tmp_path / "a" / "b")


@posix
@pytest.mark.row("SEC-02")
def test_what_was_open_to_others_is_closed_and_named(tmp_path: Path) -> None:
    file = replace_file(tmp_path / "credentials" / "providers.json", "{}")
    file.chmod(0o644)
    file.parent.chmod(0o755)
    reply = restrict_permissions(file.parent)

    assert (0o700, 0o600) == (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777)
    assert [f"{path} was readable by other users; its permissions were fixed." for path in (file.parent, file)] == reply
    assert [] == restrict_permissions(file.parent)


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "config.toml", tmp_path / "config.toml"
    real.write_text("a = 1\n")
    link.symlink_to(real)
    replace_file(link, "a = 2\n")

    assert (True, "a = 2\n") == (link.is_symlink(), real.read_text())


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    file = replace_file(tmp_path / "a.json", "{}")

    with pytest.raises(UnicodeEncodeError):
        replace_file(file, "half a character: \ud800")
    assert ("{}", [file]) == (file.read_text(), list(tmp_path.iterdir()))


def test_a_lock_lies_beside_the_file_and_is_let_go(tmp_path: Path) -> None:
    for _ in range(2):
        with lock_beside(tmp_path / "a.json"):
            pass

    assert [tmp_path / ".a.json.lock"] == list(tmp_path.iterdir())
