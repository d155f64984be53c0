"""Test the format of diffs, and that git can apply them."""

import asyncio
import codecs
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from openkoi_base.files.reverse_patch import reverse_patch
from openkoi_checkpoints import CheckpointStore
from openkoi_checkpoints.patch import FileVersion, file_patch, quote_name

git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


def text(words: str, mode: str = "100644") -> FileVersion:
    return FileVersion(mode, words.encode())


def applied(root: Path, patch: str) -> None:
    """Let git apply a patch to a folder outside any repository."""
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(
        command, cwd=root, input=patch.encode(), check=True, env={"GIT_CEILING_DIRECTORIES": str(root.parent)}
    )


def files(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(root).as_posix(): (path.lstat().st_mode & 0o170100, path.read_bytes())
        for path in root.rglob("*")
        if path.is_file()
    }


def test_a_changed_line_stands_between_three_others() -> None:
    old, new = text("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), text("1\n2\n3\n4\nfive\n6\n7\n8\n9\n")

    assert ("diff --git a/n b/n\n--- a/n\n+++ b/n\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n") == file_patch(
        "n", old, new
    )


def test_a_new_file_comes_from_nowhere() -> None:
    assert ("diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+hi\n") == file_patch(
        "n", None, text("hi\n", "100755")
    )


def test_what_cannot_be_shown_is_binary() -> None:
    old, new = FileVersion("100644", b"a\0b"), FileVersion("100644", b"caf\xe9")

    assert "diff --git a/n b/n\nBinary files a/n and b/n differ\n" == file_patch("n", old, new)


@git
@pytest.mark.parametrize("codec", ["latin-1", "cp1252", "utf-16"])
def test_text_in_another_encoding_is_shown_decoded_and_not_applied_by_git(codec: str, tmp_path: Path) -> None:
    words = "1\n\u2019caf\u00e9\n" if codec == "cp1252" else "1\ncaf\u00e9\n"
    old, new = (FileVersion("100644", one.encode(codec)) for one in (words, words.replace("1", "2")))
    name = "utf-16-le" if codec == "utf-16" else codec
    (tmp_path / "n").write_bytes(old.data or b"")

    part = file_patch("n", old, new)

    first, *lines = words.replace("1", "-1\n+2").splitlines()
    assert part.splitlines() == [
        "diff --git a/n b/n",
        f"Binary files a/n and b/n differ ({name} text, decoded below)",
        *("--- a/n", "+++ b/n", "@@ -1,2 +1,2 @@", first, lines[0], f" {lines[1]}"),
    ]
    assert None is reverse_patch(part, words.replace("1", "2"))
    with pytest.raises(subprocess.CalledProcessError):
        applied(tmp_path, part)


def test_a_file_that_only_changes_its_encoding_says_so() -> None:
    old, new = text("caf\u00e9\n"), FileVersion("100644", "caf\u00e9\n".encode("latin-1"))

    assert file_patch("n", old, new).splitlines()[1:] == [
        "Binary files a/n and b/n differ (utf-8 text before, latin-1 now, the same characters)"
    ]
    assert "(latin-1 text, decoded below)\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+caf\u00e9\n" in file_patch(
        "n", None, new
    )


@pytest.mark.parametrize("old", [b"", codecs.BOM_UTF16_BE])
def test_a_file_that_is_only_a_byte_order_mark_has_no_text_to_show(old: bytes) -> None:
    before, after = FileVersion("100644", old), FileVersion("100644", codecs.BOM_UTF16_LE)

    assert "diff --git a/n b/n\nBinary files a/n and b/n differ\n" == file_patch("n", before, after)


def test_what_was_not_kept_differs_too() -> None:
    assert "diff --git a/n b/n\nBinary files a/n and b/n differ\n" == file_patch(
        "n", FileVersion("100644", None), FileVersion("100644", None)
    )


def test_modes_git_does_not_know_make_no_patch() -> None:
    assert "" == file_patch("n", text("same"), text("same"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plain.txt", "plain.txt"),
        ("two words", "two words"),
        ("\u00fc\u732b", "\u00fc\u732b"),
        ('say "hi"', '"say \\"hi\\""'),
        ("tab\there", '"tab\\there"'),
        ("line\nfeed", '"line\\nfeed"'),
        ("back\\slash", '"back\\\\slash"'),
        ("bad\udcff", '"bad\\377"'),
    ],
)
def test_names_are_quoted_only_when_they_must_be(name: str, expected: str) -> None:
    assert expected == quote_name(name)


@git
@pytest.mark.parametrize("seed", range(12))
def test_git_applies_what_is_written(tmp_path: Path, seed: int) -> None:
    root, copy = tmp_path / "root", tmp_path / "copy"
    root.mkdir()
    chance = random.Random(seed)
    scribble(root, chance)
    shutil.copytree(root, copy, symlinks=True)
    store = CheckpointStore(folder=tmp_path / "kept")
    first = asyncio.run(store.create(root))
    scribble(root, chance)

    applied(copy, asyncio.run(store.diff(root, first)))

    assert files(root) == files(copy)


def scribble(root: Path, chance: random.Random) -> None:
    """Write, change and delete files whose names and contents are easily damaged."""
    for name in ("a", "b b", "d/c.txt", "d/\u00e9 \u732b", 'q"uote', "tab\there", "d/e/f", "x\\y"):
        path = root / name
        if path.exists() and chance.random() < 0.3:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(path, chance))
        path.chmod(chance.choice([0o644, 0o755]))


def content(path: Path, chance: random.Random) -> bytes:
    """A few changes of existing files, or new files."""
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    for _ in range(chance.randrange(6)):
        end = chance.choice([b"\n", b"\n", b"\r\n", b""])
        lines.insert(chance.randrange(len(lines) + 1), chance.choice([b"x", b"", b"\xef\xbb\xbf", b"-- a", b" "]) + end)
        if lines and chance.random() < 0.4:
            lines.pop(chance.randrange(len(lines)))
    return b"".join(lines)


@git
def test_git_applies_large_changes_and_links(tmp_path: Path) -> None:
    root, copy = tmp_path / "root", tmp_path / "copy"
    root.mkdir()
    (root / "long").write_text("".join(f"{n}\n" for n in range(20_000)))
    (root / "turns").write_text("file")
    (root / "empty").touch()
    shutil.copytree(root, copy)
    store = CheckpointStore(folder=tmp_path / "kept")
    first = asyncio.run(store.create(root))
    (root / "long").write_text("".join(f"{n if n % 2 or n < 9 or n > 19_990 else -n}\n" for n in range(20_000)))
    (root / "turns").unlink()
    (root / "turns").symlink_to("long")
    (root / "empty").unlink()
    (root / "void").touch()

    applied(copy, asyncio.run(store.diff(root, first)))

    assert files(root) == files(copy)
    assert (copy / "turns").is_symlink()
    assert (copy / "void").exists()
    assert not (copy / "empty").exists()


def test_what_a_file_was_is_read_from_its_diff() -> None:
    lines = ["a\n", "b\n", "\n", "@@ -1,1 +1,1 @@\n", "--- a/n\n", "\\ No newline at end of file\n", "\r\n", "x"]
    chance = random.Random(18)

    for _ in range(500):
        old, new = ("".join(chance.choices(lines, k=chance.randrange(12))) for _ in range(2))
        part = file_patch("n", text(old) if old else None, text(new))
        assert old == reverse_patch(part, new), (old, new)


def test_what_a_file_was_is_not_known_if_others_changed_it_or_it_is_not_text() -> None:
    part = file_patch("n", text("1\n"), text("2\n"))

    assert None is reverse_patch(part, "3\n")
    assert None is reverse_patch(file_patch("n", FileVersion("100644", b"\0"), text("2\n")), "2\n")
    assert "2\n" == reverse_patch(file_patch("n", text("2\n"), text("2\n", "100755")), "2\n")
