"""Test what every `Checkpoints` promises, including one over a version control system."""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from openkoi_hookspecs import Checkpoints, KoiError, Restoration

EXACT_FILES = {
    "crlf.txt": b"one\r\ntwo\r\n",
    "mixed.txt": b"one\r\ntwo\nthree\rfour",
    "bom.txt": b"\xef\xbb\xbfhello\n",
    "binary.bin": bytes(range(256)) * 8,
    "latin-1.txt": b"caf\xe9\n",
    "no-newline.txt": b"the end",
    "empty.txt": b"",
    "deep/er/file.py": b"print('deep')\n",
    "with space/a b.txt": b"spaces\n",
    "unicode-\u00e4\u732b.txt": b"name\n",
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file modes and links")


def write_files(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files in a workspace."""
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def workspace_state(root: Path) -> dict[str, bytes | str | None]:
    """Return the whole content of a workspace: bytes of files, targets of links, None for folders."""
    return {path.relative_to(root).as_posix(): read_entry(path) for path in sorted(root.rglob("*"))}


def read_entry(path: Path) -> bytes | str | None:
    """Return the content of one path."""
    if path.is_symlink():
        return os.readlink(path)  # noqa: PTH115  # Path would tidy it
    return None if path.is_dir() else path.read_bytes()


class CheckpointsContract:
    """Inherit it: ``class TestMine(CheckpointsContract): subject = staticmethod(mine)``.

    ``mine`` gets a private folder. As in a run, a checkpoint is created after the work: changes after the last
    checkpoint are the user's.
    """

    subject: Callable[[Path], Checkpoints]

    @pytest.fixture
    def checkpoints(self, tmp_path: Path) -> Checkpoints:
        """Return the store under test, with a folder of its own."""
        return self.subject(tmp_path / "kept")

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        """Return a workspace with files that are easily damaged."""
        root = tmp_path / "workspace"
        root.mkdir()
        write_files(root, EXACT_FILES)
        return root

    def change_and_restore(self, checkpoints: Checkpoints, root: Path, work: Callable[[Path], object]) -> str:
        """Create a checkpoint, work, create another, and restore the first; return its id."""

        async def story() -> str:
            first = await checkpoints.create(root)
            await asyncio.to_thread(work, root)
            await checkpoints.create(root)
            await checkpoints.restore(root, first)
            return first

        return asyncio.run(story())

    def test_every_byte_comes_back(self, checkpoints: Checkpoints, root: Path) -> None:
        before = workspace_state(root)

        self.change_and_restore(
            checkpoints, root, lambda root: write_files(root, dict.fromkeys(EXACT_FILES, b"spoilt\n"))
        )

        assert before == workspace_state(root)

    def test_what_was_deleted_comes_back(self, checkpoints: Checkpoints, root: Path) -> None:
        def work(root: Path) -> None:
            for name in EXACT_FILES:
                (root / name).unlink()

        before = workspace_state(root)

        self.change_and_restore(checkpoints, root, work)

        assert before == workspace_state(root)

    def test_what_was_not_there_goes(self, checkpoints: Checkpoints, root: Path) -> None:
        before = workspace_state(root)

        self.change_and_restore(
            checkpoints, root, lambda root: write_files(root, {"new.txt": b"1", "new/er/file": b"2"})
        )

        assert before == workspace_state(root)

    def test_an_empty_folder_comes_back(self, checkpoints: Checkpoints, root: Path) -> None:
        (root / "empty").mkdir()

        self.change_and_restore(checkpoints, root, lambda root: (root / "empty").rmdir())

        assert (root / "empty").is_dir()

    def test_a_file_that_became_a_folder_is_a_file_again(self, checkpoints: Checkpoints, root: Path) -> None:
        def work(root: Path) -> None:
            (root / "empty.txt").unlink()
            write_files(root, {"empty.txt/inside": b"surprise"})

        before = workspace_state(root)

        self.change_and_restore(checkpoints, root, work)

        assert before == workspace_state(root)

    @posix
    def test_modes_come_back(self, checkpoints: Checkpoints, root: Path) -> None:
        def work(root: Path) -> None:
            (root / "crlf.txt").chmod(0o600)
            (root / "bom.txt").chmod(0o600)

        (root / "crlf.txt").chmod(0o755)
        (root / "bom.txt").chmod(0o640)

        self.change_and_restore(checkpoints, root, work)

        assert [0o755, 0o640] == [(root / name).stat().st_mode & 0o777 for name in ("crlf.txt", "bom.txt")]

    @posix
    def test_links_come_back_as_links(self, checkpoints: Checkpoints, root: Path) -> None:
        (root / "link").symlink_to("./deep/er")
        (root / "broken").symlink_to("nowhere")

        def work(root: Path) -> None:
            (root / "link").unlink()
            (root / "link").write_text("a file now")
            (root / "broken").unlink()

        before = workspace_state(root)

        self.change_and_restore(checkpoints, root, work)

        assert before == workspace_state(root)

    def test_a_restore_can_be_repeated_and_taken_back(self, checkpoints: Checkpoints, root: Path) -> None:
        async def story() -> tuple[str, str]:
            first = await checkpoints.create(root)
            write_files(root, {"crlf.txt": b"second\n"})
            second = await checkpoints.create(root)
            for id in (first, first, second, first):
                await checkpoints.restore(root, id)
            return await checkpoints.diff(root, first), await checkpoints.diff(root, second)

        nothing, something = asyncio.run(story())

        assert "" == nothing
        assert "-second\n" in something

    def test_what_a_person_changed_since_is_left_and_named(self, checkpoints: Checkpoints, root: Path) -> None:
        async def story() -> Restoration:
            first = await checkpoints.create(root)
            write_files(root, {"bom.txt": b"by the agent\n", "crlf.txt": b"by the agent\n"})
            await checkpoints.create(root)
            write_files(root, {"bom.txt": b"by a person\n"})
            return await checkpoints.restore(root, first)

        done = asyncio.run(story())

        assert (("crlf.txt",), ["bom.txt"]) == (done.restored, [*done.conflicts])
        assert b"by a person\n" == (root / "bom.txt").read_bytes()
        assert EXACT_FILES["crlf.txt"] == (root / "crlf.txt").read_bytes()

    def test_a_diff_names_what_came_went_and_changed(self, checkpoints: Checkpoints, root: Path) -> None:
        async def story() -> str:
            first = await checkpoints.create(root)
            write_files(root, {"no-newline.txt": b"the end\n", "new.txt": b"hello\n"})
            (root / "deep/er/file.py").unlink()
            return await checkpoints.diff(root, first)

        diff = asyncio.run(story())

        headers = [line for line in diff.splitlines() if line.startswith(("diff --git ", "new file", "deleted file"))]
        assert [
            "diff --git a/deep/er/file.py b/deep/er/file.py",
            "deleted file mode 100644",
            "diff --git a/new.txt b/new.txt",
            "new file mode 100644",
            "diff --git a/no-newline.txt b/no-newline.txt",
        ] == headers
        assert "-the end\n\\ No newline at end of file\n+the end\n" in diff

    def test_an_untouched_workspace_has_no_diff(self, checkpoints: Checkpoints, root: Path) -> None:
        async def story() -> str:
            return await checkpoints.diff(root, await checkpoints.create(root))

        assert "" == asyncio.run(story())

    def test_nothing_is_left_in_the_workspace(self, checkpoints: Checkpoints, root: Path) -> None:
        before = workspace_state(root)

        asyncio.run(checkpoints.create(root))

        assert before == workspace_state(root)

    def test_an_unknown_id_is_named(self, checkpoints: Checkpoints, root: Path) -> None:
        for use in (checkpoints.restore, checkpoints.diff):
            with pytest.raises(KoiError, match="no-such-checkpoint"):
                asyncio.run(use(root, "no-such-checkpoint"))

    def test_a_git_repository_is_not_touched(self, checkpoints: Checkpoints, root: Path) -> None:
        write_files(root, {".git/HEAD": b"ref: refs/heads/main\n"})

        self.change_and_restore(
            checkpoints, root, lambda root: write_files(root, {".git/HEAD": b"moved on\n", "new": b""})
        )

        assert b"moved on\n" == (root / ".git/HEAD").read_bytes()
