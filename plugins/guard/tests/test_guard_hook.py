"""Test the hook: the calls that it decides about, and the effect of settings."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from openkoi_guard import Guard
from openkoi_guard.protected_globs import DEFAULT_GLOBS
from openkoi_guard.sourced_files import is_new
from openkoi_hookspecs import (
    Allow,
    Arguments,
    Ask,
    ConfigError,
    Deny,
    Effect,
    Json,
    NextAction,
    Permission,
    Task,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_hookspecs.events import ToolCallFinished
from openkoi_testing import FinishedRun, Scenario, make_run, run_scenario
from openkoi_tools import WorkspaceTools


async def nothing(arguments: Arguments) -> ToolResult:
    return ToolResult("")


def verdict(guard: Guard, workspace: Path, *, effect: Effect = Effect.WRITES, **arguments: Json) -> Permission | None:
    async def asked() -> Permission | None:
        async with make_run(workspace=workspace) as run:
            tool = Tool("any_tool", "", {}, nothing, effect=effect)
            return guard.before_tool(ToolCall("1", "any_tool", arguments), tool, run)

    return asyncio.run(asked())


def test_a_harmless_command_is_not_spoken_about(tmp_path: Path) -> None:
    assert verdict(Guard(), tmp_path, command="ls") is None


@pytest.mark.row("SAFE-05")
def test_the_reason_says_which_command_and_why(tmp_path: Path) -> None:
    permission = verdict(Guard(), tmp_path, command="ls && git push --force origin main")

    assert isinstance(permission, Ask)
    assert permission.reason.startswith("git push --force origin main: overwrites or deletes shared history.")


def test_modes_and_approvals(tmp_path: Path) -> None:
    kinds = [
        type(verdict(guard, tmp_path, command="rm -rf build"))
        for guard in (Guard(), Guard(mode="deny"), Guard(mode="off"), Guard(approvals="never"))
    ]

    assert [Ask, Deny, type(None), Allow] == kinds
    assert isinstance(verdict(Guard(approvals="never"), tmp_path, command="rm -rf /"), Deny)


async def twice(guard: Guard, workspace: Path, between: Callable[[], object], command: str) -> Permission | None:
    async with make_run(workspace=workspace) as run:
        tool = Tool("run_command", "", {}, nothing)
        guard.before_tool(ToolCall("1", "run_command", {"command": "ls"}), tool, run)
        between()
        return guard.before_tool(ToolCall("2", "run_command", {"command": command}), tool, run)


@pytest.mark.row("SAFE-05")
@pytest.mark.parametrize("command", [". ./evil.sh", "source evil.sh", "cd . && . evil.sh", ". ./link.sh", ". gone.sh"])
def test_a_shell_does_not_read_into_itself_what_the_run_has_written(tmp_path: Path, command: str) -> None:
    (tmp_path / "link.sh").symlink_to("evil.sh")

    assert isinstance(asyncio.run(twice(Guard(), tmp_path, (tmp_path / "evil.sh").touch, command)), Ask)


def test_a_shell_may_read_what_was_there_before_the_run_and_a_new_environment(tmp_path: Path) -> None:
    script = tmp_path / "env.sh"
    script.touch()
    soon = script.stat().st_ctime + 1

    assert not is_new(script, tmp_path, since=soon)
    assert asyncio.run(twice(Guard(), tmp_path, lambda: None, ". .venv/bin/activate")) is None


def test_a_file_behind_a_link_out_of_the_workspace_is_no_file_of_it(tmp_path: Path) -> None:
    outside, workspace = tmp_path / "outside.sh", tmp_path / "workspace"
    workspace.mkdir()
    outside.touch()
    (workspace / "env.sh").symlink_to(outside)

    assert is_new(Path("env.sh"), workspace, since=outside.stat().st_ctime + 1)


@pytest.mark.row("LOOP-18")
def test_always_asks_about_every_call_that_changes_something(tmp_path: Path) -> None:
    guard = Guard(approvals="always")

    assert isinstance(verdict(guard, tmp_path, command="ls"), Ask)
    assert verdict(guard, tmp_path, effect=Effect.READS, path="a") is None


def test_what_always_needs_approval_is_denied_in_the_mode_that_never_asks(tmp_path: Path) -> None:
    guard = Guard(approvals="always", mode="deny")

    assert isinstance(verdict(guard, tmp_path, command="ls"), Deny)
    assert verdict(guard, tmp_path, effect=Effect.READS, path="a") is None


@pytest.mark.row("LOOP-18")
@pytest.mark.parametrize(
    "path", [".git/config", "a/../.git/hooks/x", "link/hooks/x", "~/.bashrc", "~/.ssh/config", "/etc/hosts"]
)
def test_protected_paths_are_asked_about_by_whatever_spelling(tmp_path: Path, path: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / ".git")

    assert isinstance(verdict(Guard(), tmp_path, path=path), Ask)
    assert verdict(Guard(), tmp_path, effect=Effect.READS, path=path) is None


@pytest.mark.parametrize(
    "path",
    [
        "up/.bashrc",
        "up/child/../.bashrc",
        "deep/../.bashrc",
        "chain/.bashrc",
        "$HOME/.bashrc",
        "${HOME}/.ssh/config",
        "file:///etc/hosts",
        "sub/.git/hooks/x",
        ".GIT/config",
        ".git/config\0.txt",
        "/var/spool/cron/me",
    ],
)
def test_a_protected_path_is_known_behind_links_and_other_names(tmp_path: Path, path: str) -> None:
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    (home / "child").mkdir(parents=True)
    workspace.mkdir()
    (workspace / "up").symlink_to(home)
    (workspace / "chain").symlink_to("up")
    (workspace / "deep").symlink_to(home / "child")
    guard = Guard(protected_paths=[*DEFAULT_GLOBS, f"{home}/.bash*"])

    assert isinstance(verdict(guard, workspace, path=path), Ask)


@pytest.mark.parametrize(
    "command",
    [
        "ln -s locked l && echo x > l/a",
        "d=locked; echo x > $d/a",
        'd=locked; cp a "${d}/b"',
        "cp a lo*/kept",
        "echo x > l?cked/kept",
        "python3 -c \"import shutil; shutil.copy('a', 'locked/a')\"",
        "node -e \"require('fs').writeFileSync('locked/a', '')\"",
        "awk '{ print > \"locked/a\" }' b",
        "sed -n 'w locked/a' b",
        "tar -C locked -xf b.tar",
        "find . -name '*.x' -exec cp {} locked/ ';'",
        'echo x > "$PWD/locked/a"',
        "cd linked && touch a",
        "cd linked/.. && touch locked/a",
    ],
)
def test_commands_do_not_get_around_a_protected_path(tmp_path: Path, command: str) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "kept").touch()
    (tmp_path / "linked").symlink_to("locked")

    assert isinstance(verdict(Guard(protected_paths=["locked/**"]), tmp_path, command=command), Ask)


@pytest.mark.parametrize(
    "command", ["echo x > locked/a", "cd locked && echo x > a", "cp b locked/a", "python -c \"open('locked/a', 'w')\""]
)
def test_commands_are_held_to_protected_paths_too(tmp_path: Path, command: str) -> None:
    guard = Guard(protected_paths=["locked/**"])

    assert isinstance(verdict(guard, tmp_path, command=command), Ask)
    assert verdict(guard, tmp_path, command="echo x > open") is None


def test_a_command_given_word_by_word_is_judged(tmp_path: Path) -> None:
    assert isinstance(verdict(Guard(), tmp_path, command=["rm", "-rf", "a b"]), Ask)
    assert isinstance(verdict(Guard(), tmp_path, command={"run": "ls"}), Ask)


def test_a_pattern_that_cannot_be_parsed_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"\[hooks.guard\] allow: \"git 'push\" cannot be parsed"):
        Guard(allow=["git 'push"])


def performed(guard: Guard, command: str, workspace: Path) -> FinishedRun:
    stage = Scenario(
        says=[ToolCall("1", "run_command", {"command": command}), "done"],
        plugins={"guard": guard},
        tool_providers={"workspace": WorkspaceTools()},
    )
    return run_scenario(Task("Tidy up"), stage, workspace)


@pytest.mark.row("SAFE-05", "C28")
def test_a_run_without_a_terminal_stops_before_what_is_irreversible(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()

    finished = performed(Guard(), "rm -rf build", tmp_path)

    assert NextAction.ESCALATE is finished.result.decision.action
    assert (tmp_path / "build").is_dir()


@pytest.mark.row("LOOP-19")
def test_a_denied_call_is_a_result_that_the_model_reads(tmp_path: Path) -> None:
    finished = performed(Guard(deny=["ls"]), "ls", tmp_path)

    answers = [record.event.result.text for record in finished.records if isinstance(record.event, ToolCallFinished)]
    assert answers[0].startswith("Rejected by guard: ls: your settings forbid it.")


def test_a_tool_may_say_itself_which_paths_a_call_writes(tmp_path: Path) -> None:
    async def asked(patch: str) -> Permission | None:
        async with make_run(workspace=tmp_path) as run:
            tools = {tool.name: tool for tool in await WorkspaceTools(outputs=tmp_path / "outputs").tools(run)}
            return Guard().before_tool(ToolCall("1", "apply_patch", {"patch": patch}), tools["apply_patch"], run)

    patch = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+b\n"

    assert isinstance(asyncio.run(asked(patch.format(".git/config"))), Ask)
    assert asyncio.run(asked(patch.format("src/main.py"))) is None
    assert asyncio.run(asked("no patch at all")) is None


def repository(folder: Path) -> Path:
    """A folder with git settings, and one without."""
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("[core]\n")
    (folder / "new").mkdir()
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "git -C . config user.name x",
        "git -C . config core.fsmonitor x",
        "git config --unset core.pager",
        "git config --unset user.name && make",
        "git config user.name $(whoami)",
        "git config --edit",
        "git remote set-url origin https://host/x",
        "git submodule update --init; ./run",
        "cd new && cd .. && git config a.b c",
    ],
)
def test_commands_that_write_git_s_settings_ask_for_that_path(tmp_path: Path, command: str) -> None:
    permission = verdict(Guard(), repository(tmp_path), command=command)

    assert isinstance(permission, Ask)
    assert (str(tmp_path.resolve() / ".git/config"),) == permission.paths
    assert "git runs the programs it names" in permission.reason


@pytest.mark.parametrize(
    "command",
    [
        "git config user.name x && git config --local pull.rebase true",
        "git remote add origin https://host/x",
        "git branch --set-upstream-to=origin/main",
        "git submodule update --init --recursive",
    ],
)
def test_git_may_write_what_it_never_runs_unasked_in_that_call(tmp_path: Path, command: str) -> None:
    permission = verdict(Guard(), repository(tmp_path), command=command)

    assert isinstance(permission, Allow)
    assert ((str(tmp_path.resolve() / ".git/config"),), True) == (permission.paths, permission.only_this_call)


@pytest.mark.parametrize(
    "command",
    [
        "git config --get user.name",
        "git config --global user.name x",
        "git config --list",
        "git remote -v",
        "git push -u origin topic",
        "git commit -m x",
        "git init new && cd new && git config user.name x",
        "git -C new config user.name x",
    ],
)
def test_commands_that_do_not_write_them_do_not(tmp_path: Path, command: str) -> None:
    assert verdict(Guard(), repository(tmp_path), command=command) is None


@pytest.mark.parametrize(
    "path",
    [
        ".envrc",
        "a/b/.envrc",
        ".vscode/tasks.json",
        "pkg/.idea/x.xml",
        ".github/workflows/ci.yml",
        "Jenkinsfile",
        ".exrc",
    ],
)
def test_what_other_programs_run_is_asked_about_with_who_does(tmp_path: Path, path: str) -> None:
    permission = verdict(Guard(), tmp_path, path=path)

    assert isinstance(permission, Ask)
    assert (str(tmp_path.resolve() / path),) == permission.paths
    assert "can change what runs later" not in permission.reason


@pytest.mark.parametrize("path", ["conftest.py", "Makefile", "package.json", "src/Jenkinsfile.md", ".editorconfig"])
def test_what_is_only_listed_is_not_asked_about(tmp_path: Path, path: str) -> None:
    assert verdict(Guard(), tmp_path, path=path) is None


def test_one_question_asks_all_and_its_answer_counts_for_all(tmp_path: Path) -> None:
    permission = verdict(Guard(), tmp_path, command="echo x > .envrc; echo x > .exrc; git push --force")

    assert isinstance(permission, Ask)
    assert {".envrc", ".exrc"} == {Path(path).name for path in permission.paths}
    assert all(word in permission.reason for word in ("direnv", "Vim", "git push --force"))


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("write_file", {"path": "/etc/hosts", "content": ""}, "/etc/hosts is outside the working directory."),
        ("write_file", {"path": "old.txt", "content": ""}, "old.txt exists and was not read in this run."),
        ("edit_file", {"path": "old.txt", "search": "a", "replace": "b"}, "old.txt was not read in this run."),
    ],
)
def test_a_write_that_its_tool_refuses_is_not_asked_about(
    tool: str, arguments: dict[str, Json], why: str, tmp_path: Path
) -> None:
    (tmp_path / "old.txt").write_text("a")

    permission = asyncio.run(permission_of(tool, arguments, tmp_path))
    allowed = asyncio.run(
        permission_of("write_file", {"path": "old.txt", "content": "", "overwrite": "true"}, tmp_path)
    )

    assert isinstance(permission, Deny)
    assert permission.reason.startswith(why)
    assert isinstance(allowed, Ask)


async def permission_of(name: str, arguments: Mapping[str, Json], workspace: Path) -> Permission | None:
    """Return the decision of a guard that always asks about a call of a real tool."""
    async with make_run(workspace=workspace) as run:
        tools = {tool.name: tool for tool in await WorkspaceTools(outputs=workspace / "outputs").tools(run)}
        return Guard(approvals="always").before_tool(ToolCall("1", name, dict(arguments)), tools[name], run)
