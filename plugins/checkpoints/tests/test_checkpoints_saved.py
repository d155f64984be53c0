"""Test that files are saved before a tool writes them, including those whose content no checkpoint stores."""

import asyncio
from pathlib import Path

import pytest

from openkoi_checkpoints import CheckpointStore, SaveBeforeWrite
from openkoi_hookspecs import Arguments, Effect, Tool, ToolCall, ToolResult
from openkoi_testing import make_run


@pytest.fixture
def small(tmp_path: Path) -> CheckpointStore:
    """A store for which two thousand bytes are large."""
    return CheckpointStore(folder=tmp_path / "kept", max_file_mb=0.001)


@pytest.fixture
def root(root: Path) -> Path:
    """With ignored and large files."""
    (root / ".gitignore").write_text(".env\nout/\n")
    (root / ".env").write_bytes(b"KEY=1\r\n")
    (root / ".env").chmod(0o600)
    (root / "large").write_bytes(bytes(2000))
    return root


def take(store: CheckpointStore, root: Path) -> str:
    return asyncio.run(store.create(root))


def restore(store: CheckpointStore, root: Path, id: str) -> dict[str, str]:
    restoration = asyncio.run(store.restore(root, id))
    return {**restoration.conflicts, **restoration.left}


def written(store: CheckpointStore, root: Path, name: str, data: bytes) -> None:
    """As in a run: the hook is called, then the tool writes."""
    asyncio.run(store.save(root, Path(name)))
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_bytes(data)


@pytest.mark.parametrize("name", [".env", "large"])
def test_what_a_tool_wrote_over_comes_back_and_goes_again(small: CheckpointStore, root: Path, name: str) -> None:
    before, mode = (root / name).read_bytes(), (root / name).stat().st_mode
    first = take(small, root)
    written(small, root, name, b"by a tool" * 300)
    second = take(small, root)

    for _ in range(2):
        restore(small, root, first)
        assert (before, mode) == ((root / name).read_bytes(), (root / name).stat().st_mode)
        restore(small, root, second)
        assert b"by a tool" * 300 == (root / name).read_bytes()


def test_it_may_be_saved_before_the_first_checkpoint(small: CheckpointStore, root: Path) -> None:
    asyncio.run(small.save(root, Path(".env")))
    first = take(small, root)
    (root / ".env").write_bytes(b"by a tool")
    take(small, root)

    restore(small, root, first)

    assert b"KEY=1\r\n" == (root / ".env").read_bytes()


def test_an_ignored_file_that_a_tool_made_goes_and_comes_again(small: CheckpointStore, root: Path) -> None:
    first = take(small, root)
    written(small, root, "out/new", b"by a tool")
    second = take(small, root)

    restore(small, root, first)
    assert not (root / "out").exists()
    restore(small, root, second)
    assert b"by a tool" == (root / "out/new").read_bytes()


def test_what_a_command_did_to_it_is_named_and_left(small: CheckpointStore, root: Path) -> None:
    first = take(small, root)
    (root / ".env").write_bytes(b"by a command")
    (root / "large").unlink()
    (root / "out").mkdir()
    (root / "out/new").touch()
    take(small, root)

    assert {".env", "large", "out/new"} == restore(small, root, first).keys()
    assert b"by a command" == (root / ".env").read_bytes()


def test_what_a_command_did_after_a_tool_is_named(small: CheckpointStore, root: Path) -> None:
    """The content from before the tool's write was saved; that from before the command's was not."""
    first = take(small, root)
    written(small, root, ".env", b"by a tool")
    second = take(small, root)
    (root / ".env").write_bytes(b"by a command")
    take(small, root)

    assert {".env"} == restore(small, root, second).keys()
    restore(small, root, first)
    assert b"KEY=1\r\n" == (root / ".env").read_bytes()


def test_what_a_person_changed_since_is_left(small: CheckpointStore, root: Path) -> None:
    first = take(small, root)
    written(small, root, ".env", b"by a tool")
    take(small, root)
    (root / ".env").write_bytes(b"by a person")

    assert {".env"} == restore(small, root, first).keys()
    assert b"by a person" == (root / ".env").read_bytes()


def test_what_no_run_touched_is_nobody_s_business(small: CheckpointStore, root: Path) -> None:
    first = take(small, root)
    (root / "a.txt").write_text("by the run\n")
    take(small, root)
    (root / ".env").write_bytes(b"by a person")

    restore(small, root, first)

    assert b"by a person" == (root / ".env").read_bytes()


def test_a_mode_comes_back_without_the_content(small: CheckpointStore, root: Path) -> None:
    first = take(small, root)
    (root / ".env").chmod(0o644)
    take(small, root)

    restore(small, root, first)

    assert 0o600 == (root / ".env").stat().st_mode & 0o777


def test_what_is_outside_or_kept_anyway_is_not_saved(small: CheckpointStore, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("not ours")
    for name in ("../outside", "a.txt", ".", "/etc/hostname"):
        asyncio.run(small.save(root, Path(name)))

    assert [] == [*small.folder.glob("workspaces/*/saved/*")]


async def nothing(arguments: Arguments) -> ToolResult:
    return ToolResult("")


@pytest.mark.parametrize(
    ("effect", "arguments", "marks"),
    [
        (Effect.WRITES, {"path": ".env"}, 1),
        (Effect.WRITES, {"files": [".env", "large", 3, "\0"]}, 2),
        (Effect.READS, {"path": ".env"}, 0),
        (Effect.WRITES, {"command": "rm .env"}, 0),
    ],
)
def test_the_hook_saves_what_a_call_names(
    small: CheckpointStore, root: Path, effect: Effect, arguments: Arguments, marks: int
) -> None:
    async def story() -> None:
        async with make_run(root) as run:
            tool = Tool("t", "", {}, nothing, effect=effect)
            if waiting := SaveBeforeWrite(store=small).before_tool(ToolCall("1", "t", arguments), tool, run):
                await waiting

    asyncio.run(story())

    assert marks == len([*small.folder.glob("workspaces/*/saved/*")])


def test_a_damaged_mark_loses_one_file_and_stops_no_pruning(small: CheckpointStore, root: Path) -> None:
    first = take(small, root)
    written(small, root, ".env", b"by a tool")
    take(small, root)
    for mark in small.folder.glob("workspaces/*/saved/*"):
        mark.write_bytes(b"\xff\xfe")

    assert ".env" in restore(small, root, first)
    assert "deleted 0 checkpoints and freed 0.0 MB" == asyncio.run(small.prune())


def test_health_survives_a_damaged_report(small: CheckpointStore) -> None:
    asyncio.run(small.prune())
    (small.folder / "pruned").write_bytes(b"\xff\xfe")

    assert asyncio.run(small.health())["pruned"].endswith("\ufffd\ufffd")
