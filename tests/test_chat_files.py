"""Files that a message of the chat names, and images of a draft that is saved."""

import asyncio
import os
import sys
import tracemalloc
from pathlib import Path

import pytest

from openkoi_base.attachments import read_part
from openkoi_chat.attachments import Draft, explain_files, find_files, find_missing_files, load_parts
from openkoi_chat.clipboard import read_image_path
from openkoi_chat.completion_lists import mention
from openkoi_chat.files import list_files
from openkoi_chat.saved_state import load_images, save_images
from openkoi_hookspecs import ConfigError, KoiError
from openkoi_testing import Scenario
from openkoi_testing.full_disk import limit_file_size

DOT = b"\x89PNG\r\n\x1a\n and more"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("README.md", "bill.py", "src/bill.py", "src/a b.py", "src/deep/x.py", ".git/config"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("what is in @bill.py?", ["src/bill.py"]),
        ("and in @../bill.py", ["bill.py"]),
        ("and in @README.md, @deep/x.py.", ["README.md", "src/deep/x.py"]),
        ('and in @"a b.py"', ["src/a b.py"]),
        ("mail me@bill.py or @nobody", []),
        ("@deep", []),
    ],
)
def test_a_name_means_a_file_of_the_current_folder_else_of_the_project(
    text: str, files: list[str], project: Path
) -> None:
    found = [str(path.relative_to(project)) for path in find_files(text, project / "src", project)]

    assert files == found


def test_what_looks_like_a_file_and_is_none_is_named(project: Path) -> None:
    os.mkfifo(project / "pipe.txt")
    text = "compare @bill.py, @README.md, @nothing.py, @pipe.txt, @src/ and @someone"

    assert ["nothing.py", "pipe.txt"] == list(find_missing_files(text, project / "src", project))


def test_a_file_outside_the_project_is_named_by_its_whole_path(tmp_path: Path) -> None:
    (outside := tmp_path.resolve() / "keys.txt").write_text("x")
    (project := tmp_path.resolve() / "project").mkdir()
    (project / "link.txt").symlink_to(outside)

    for text in ("explain @../keys.txt", "explain @link.txt"):
        (path,) = find_files(text, project, project)
        notes = [*explain_files(text, [read_part(path, project)], project, project)]

        assert [f"{outside}, which is outside this folder, is also sent."] == notes


def test_files_are_listed_from_the_current_folder_nearer_ones_first(project: Path) -> None:
    near = asyncio.run(list_files(project, project / "src"))

    assert {"a b.py", "bill.py", "deep/x.py"} == set(near[:3])
    assert {"../README.md", "../bill.py"} == set(near[3:])
    assert ['@"a b.py" ', "@bill.py "] == [mention(name) for name in ("a b.py", "bill.py")]


def test_images_of_a_draft_come_back_and_nobody_else_reads_them(tmp_path: Path) -> None:
    names = save_images(tmp_path, {"[Image #1]": DOT})

    assert {"[Image #1]": DOT} == load_images(tmp_path, {**names, "[Image #2]": "image-that-is-gone"})
    assert {"[Image #1]": b""} != load_images(tmp_path, names)
    assert [0o600] == [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()]
    assert {} == load_images(tmp_path, {"[Image #1]": "../../etc/passwd"})


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_an_image_that_a_full_disk_cut_off_is_saved_again(tmp_path: Path) -> None:
    with limit_file_size(10):
        save_images(tmp_path, {"[Image #1]": DOT})
    names = save_images(tmp_path, {"[Image #1]": DOT})

    assert {"[Image #1]": DOT} == load_images(tmp_path, names)


@pytest.mark.parametrize("start", [b"", DOT])
def test_of_a_file_that_is_too_large_only_what_shows_that_is_read(tmp_path: Path, start: bytes) -> None:
    large = tmp_path / "large.bin"
    large.write_bytes(start)
    os.truncate(large, 1_000_000_000)

    tracemalloc.start()
    try:
        with pytest.raises(ConfigError, match=r"large.bin is 1000.0 MB; the limit is (5|20) MB\."):
            read_part(large, tmp_path)
        assert b"" == read_image_path(str(large))
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_an_image_that_is_too_large_is_named_by_its_chip(tmp_path: Path) -> None:
    draft = Draft("what is [Image #2]", {"[Image #1]": DOT, "[Image #2]": DOT + bytes(5_000_000)})

    with pytest.raises(
        KoiError, match=r"\[Image #2\] is 5.0 MB; the limit is 5 MB. Remove it, or paste a smaller one."
    ):
        asyncio.run(load_parts(draft, Scenario().build_app(tmp_path, tmp_path)))
