"""Test that changes of calls to a repository and outside the workspace are logged, because no checkpoint has them."""

import asyncio
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from openkoi_checkpoints import CheckpointStore, SaveBeforeWrite
from openkoi_checkpoints.git_refs import compare_refs, read_refs
from openkoi_checkpoints.side_effects import paths_outside
from openkoi_hookspecs import Arguments, Tool, ToolCall, ToolResult
from openkoi_hookspecs.events import Event, GitRefChanged, OutsideFileWritten
from openkoi_testing import make_run

WHO = ("-c", "user.name=a", "-c", "user.email=b", "-c", "init.defaultBranch=main")


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *WHO, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with a repository that has one commit."""
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    return folder


async def nothing(arguments: Arguments) -> ToolResult:
    return ToolResult("")


def logged_events(workspace: Path, do: Callable[[], object], **arguments: str) -> list[Event]:
    """The logged effects of a call."""
    return called(workspace, do, ToolResult(""), **arguments)[0]


def called(
    workspace: Path, do: Callable[[], object], result: ToolResult, **arguments: str
) -> tuple[list[Event], ToolResult]:
    """The logged effects of a call, and its result as later hooks get it."""

    async def story() -> tuple[list[Event], ToolResult]:
        foresight = SaveBeforeWrite(store=CheckpointStore(folder=workspace.parent / "kept"))
        call, tool = ToolCall("1", "run_command", arguments), Tool("run_command", "", {}, nothing)
        async with make_run(workspace=workspace) as run:
            await foresight.save_before(call, tool, run)
            do()
            whole = await foresight.log_side_effects(result, call, run) or result
            reply = [record.event for record in run.koi.records("") if record.event.name.startswith("checkpoints.")]
            return reply, whole

    return asyncio.run(story())


def test_names_are_read_as_git_tells_them(repository: Path) -> None:
    git(repository, "branch", "packed/deep")
    git(repository, "pack-refs", "--all")
    git(repository, "tag", "loose")
    (repository / "sub").mkdir()
    lines = git(repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    wanted = dict(line.split() for line in lines)

    assert {"HEAD": "ref: refs/heads/main", **wanted} == read_refs(repository) == read_refs(repository / "sub")


def test_a_worktree_has_a_head_of_its_own_and_the_names_of_all(repository: Path) -> None:
    git(repository, "worktree", "add", "-q", "../beside")

    assert {**read_refs(repository), "HEAD": "ref: refs/heads/beside"} == read_refs(repository.parent / "beside")


@pytest.mark.parametrize("git", [None, "", "gitdir: /nowhere/at/all", "\0"])
def test_where_there_is_no_repository_there_are_no_names(tmp_path: Path, git: str | None) -> None:
    if git is not None:
        (tmp_path / ".git").write_text(git)

    assert {} == read_refs(tmp_path)


def test_what_moved_is_what_differs() -> None:
    before = {"HEAD": "ref: refs/heads/main", "refs/heads/main": "1", "refs/tags/old": "1"}
    after = {"HEAD": "ref: refs/heads/main", "refs/heads/main": "2", "refs/tags/new": "2"}

    assert [
        GitRefChanged("refs/heads/main", "1", "2", current=True),
        GitRefChanged("refs/tags/new", "", "2"),
        GitRefChanged("refs/tags/old", "1", ""),
    ] == list(compare_refs(before, after))


def test_a_commit_of_a_command_is_written_down(repository: Path) -> None:
    before = git(repository, "rev-parse", "HEAD")
    reply = logged_events(repository, lambda: git(repository, "commit", "-q", "--allow-empty", "-m", "two"))

    assert [GitRefChanged("refs/heads/main", before, git(repository, "rev-parse", "HEAD"), current=True)] == reply


def test_settings_and_hooks_that_a_command_changed_are_written_down(repository: Path) -> None:
    def change() -> None:
        git(repository, "config", "user.email", "c@d")
        hooks = repository / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        (hooks / "pre-commit").write_text("true\n")

    reply = [event for event in logged_events(repository, change) if isinstance(event, GitRefChanged)]

    assert ["config", "hooks/pre-commit"] == [event.ref for event in reply]
    assert [True, False] == [bool(event.before) for event in reply]


@pytest.mark.parametrize(
    ("words", "effect"),
    [
        (("commit", "-q", "--allow-empty", "-m", "two"), "moved refs/heads/main in the git repository"),
        (("tag", "v2"), "created refs/tags/v2 in the git repository"),
        (("branch", "-D", "old"), "deleted refs/heads/old in the git repository"),
    ],
)
@pytest.mark.parametrize("failed", [False, True])
def test_what_a_call_moved_is_an_effect_of_it_however_it_ended(
    repository: Path, words: tuple[str, ...], effect: str, failed: bool
) -> None:
    git(repository, "branch", "old")
    given = ToolResult("said", failed=failed, effects=("sent a message",))

    _, result = called(repository, lambda: git(repository, *words), given)

    assert replace(given, effects=("sent a message", effect)) == result


def test_a_call_that_moved_nothing_has_no_effect(repository: Path) -> None:
    assert ToolResult("said") == called(repository, lambda: (repository / "a").touch(), ToolResult("said"))[1]


@pytest.mark.parametrize("failed", [False, True])
def test_a_file_written_outside_the_workspace_is_an_effect_of_a_call_that_succeeded(
    tmp_path: Path, failed: bool
) -> None:
    workspace, target = tmp_path / "work", tmp_path / "elsewhere"
    workspace.mkdir()

    _, result = called(workspace, target.touch, ToolResult("", failed=failed), path=str(target))

    assert (() if failed else (f"wrote {target}, outside the workspace",)) == result.effects


def test_what_moves_nothing_writes_nothing_down(repository: Path) -> None:
    assert [] == logged_events(repository, lambda: (repository / "a").touch(), path="a")


def test_a_file_outside_that_a_tool_wrote_is_written_down(tmp_path: Path) -> None:
    workspace, target = tmp_path / "work", tmp_path / "elsewhere"
    workspace.mkdir()
    (workspace / "link").symlink_to(target)

    assert [OutsideFileWritten(str(target))] == logged_events(workspace, target.touch, path="link")
    assert [] == paths_outside(["a", "b/../c", "."], workspace)
