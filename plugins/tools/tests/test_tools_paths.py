"""Test that nothing outside the workspace is accessible, and that errors are clear."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from privileges import bound_by_modes

from openkoi_hookspecs import Json

if TYPE_CHECKING:
    from plugins.tools.tests.conftest import Hands

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links, pipes and modes")
CALLS: dict[str, dict[str, Json]] = {
    "read_file": {},
    "list_files": {},
    "search": {"pattern": "secret"},
    "edit_file": {"search": "secret", "replace": "x"},
    "write_file": {"content": "x", "overwrite": True},
}


@posix_only
@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "/etc/hostname",
        "link/secret",
        "secret-link",
        "a/../../secret",
        "fresh-link",
        "link/new/file",
    ],
)
def test_no_spelling_leads_out_of_the_workspace(hands: "Hands", tool: str, path: str) -> None:
    outside = hands.workspace.parent
    (outside / "secret").write_text("secret")
    (hands.workspace / "link").symlink_to(outside)
    (hands.workspace / "secret-link").symlink_to(outside / "secret")
    (hands.workspace / "fresh-link").symlink_to(outside / "fresh")

    answer = hands.use(tool, path=path, **CALLS[tool])

    assert f"{path} is outside the working directory" in answer.text
    assert "secret" == (outside / "secret").read_text()
    assert ["secret", "workspace"] == sorted(file.name for file in outside.iterdir())


@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("", "The path is empty."),
        ("a\0b", "The path contains a NUL character"),
        ("x" * 200_000, "File name too long"),
        ("y" * 300, "File name too long"),
    ],
    ids=["empty", "nul", "huge", "long"],
)
def test_what_is_no_path_is_refused_in_a_short_sentence(hands: "Hands", tool: str, path: str, sentence: str) -> None:
    answer = hands.use(tool, path=path, **CALLS[tool])

    assert answer.failed
    assert sentence in answer.text
    assert len(answer.text) < 300


@posix_only
def test_a_link_in_a_circle_is_said_to_be_one(hands: "Hands") -> None:
    (hands.workspace / "loop").symlink_to("loop")

    assert "loop is a link to itself." == hands.use("read_file", path="loop").text


@posix_only
def test_a_pipe_is_not_waited_for(hands: "Hands") -> None:
    os.mkfifo(hands.workspace / "pipe")

    assert "pipe is a device, a pipe or a socket, not a file." == hands.use("read_file", path="pipe").text
    assert (
        "[No matches. Try a shorter pattern, literal=true for plain text, or another path]"
        == hands.use("search", pattern="x").text
    )
    assert hands.use("write_file", path="pipe", content="x", overwrite=True).failed


def test_an_absolute_path_inside_the_workspace_is_one_of_it(hands: "Hands") -> None:
    file = hands.write("src/a.txt", "hello\n")

    assert "src/a.txt: 1 line, 6 bytes\n1|hello" == hands.use("read_file", path=str(file)).text


def test_a_file_without_a_similar_name_is_answered_with_how_to_find_it(hands: "Hands") -> None:
    assert (
        "File not found: src/zebra.rs. Use list_files or search to find it."
        == hands.use("read_file", path="src/zebra.rs").text
    )


def test_a_folder_is_not_read_and_a_file_is_not_listed(hands: "Hands") -> None:
    hands.write("src/a.txt", "hello\n")

    assert "src is a folder, not a file. Use list_files." == hands.use("read_file", path="src").text
    assert "src/a.txt is a file, not a folder." in hands.use("list_files", path="src/a.txt").text
    assert hands.use("write_file", path="src", content="x", overwrite=True).failed


@pytest.mark.parametrize(
    ("asked", "meant"), [("src/auht.py", "src/auth.py"), ("auth.py", "src/auth.py"), ("src/Auth.py", "src/auth.py")]
)
def test_a_missing_file_is_answered_with_the_nearest_name(hands: "Hands", asked: str, meant: str) -> None:
    hands.write("src/auth.py", "x\n")
    hands.write("src/other.py", "x\n")

    assert f"File not found: {asked}. Did you mean {meant}?" == hands.use("read_file", path=asked).text


def test_nothing_can_be_below_a_file(hands: "Hands") -> None:
    hands.write("a.txt", "x\n")

    assert hands.use("read_file", path="a.txt/b").text.startswith("File not found: a.txt/b.")
    assert (
        "a.txt/b: a part of this path is a file, not a folder."
        == hands.use("write_file", path="a.txt/b", content="x").text
    )


def test_missing_rights_are_said(hands: "Hands") -> None:
    with bound_by_modes():
        hands.have_read("a.txt", "x\n").chmod(0o444)
        hands.write("b.txt", "x\n").chmod(0)

        assert "a.txt is read-only." in hands.use("edit_file", path="a.txt", search="x", replace="y").text
        assert "b.txt: permission denied for this user." in hands.use("read_file", path="b.txt").text


@posix_only
def test_a_name_that_is_no_text_can_still_be_listed(hands: "Hands") -> None:
    Path(os.fsdecode(os.fsencode(hands.workspace) + b"/caf\xe9.txt")).write_text("x\n")

    assert "caf\ufffd.txt" in hands.use("list_files").text
    assert "caf" in hands.use("search", pattern="x").text
    assert "Did you mean caf\ufffd.txt?" in hands.use("read_file", path="cafe.txt").text


def test_a_very_long_way_out_is_refused_in_a_short_sentence(hands: "Hands") -> None:
    answer = hands.use("read_file", path="../" * 1_000 + "etc/hostname")

    assert "is outside the working directory" in answer.text
    assert len(answer.text) < 300
