"""Test git commands that change files which other programs run: complete with approval, else without these files."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import Shell, shell
from planting_attacks import make_victim
from planting_runs import CI, SANDBOXES, command, configure, results, run, server

if not sys.platform.startswith("linux"):
    pytest.skip("programs and sandboxes as Linux has them", allow_module_level=True)

SIDE = """
git checkout -qb side; echo 'on: fork' > .github/workflows/ci.yml; echo a2 > a.txt; mkdir z; echo z > z/z.txt
git add -A; git commit -qm side; git checkout -q -
"""
LOCAL_CHANGE = "echo 'on: stash' > .github/workflows/ci.yml; echo a3 > a.txt"
STATE = "git rev-parse HEAD; git symbolic-ref -q HEAD; git status --short; git diff; git stash list | wc -l"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line in a repository with a branch that has other CI."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    make_victim(openkoi.folder)
    sh(openkoi.folder, SIDE)
    return openkoi


def sh(folder: Path, line: str, *, check: bool = True) -> str:
    """Run a line outside any sandbox."""
    fixed = {f"GIT_{who}_DATE": "2030-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    words = ["env", *(f"{name}={value}" for name, value in fixed.items()), "bash", "-c", line]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=check)
    return result.stdout + result.stderr


def only_on_the_remote(openkoi: Shell) -> None:
    """Make the branch known only from a remote, which every sandbox can read."""
    (openkoi.folder / ".git/info/exclude").write_text("origin.git\n")
    sh(openkoi.folder, "git clone -q --bare . origin.git; git branch -qD side; git remote add origin origin.git")
    sh(openkoi.folder, "git fetch -q origin")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("line", ["git checkout -q side", "cd .github && git switch -q side"])
def test_a_branch_that_only_the_remote_has_waits_and_is_then_checked_out(
    openkoi: Shell, sandbox: str, line: str
) -> None:
    only_on_the_remote(openkoi)
    configure(openkoi, sandbox, guard="ask")
    with server(command(line)) as models:
        there = openkoi.with_environment(**models)
        stopped = there("Go on there", "-m", "openai/gpt-fake", "-i", "0")
        before = (openkoi.folder / CI).read_text()
        there("approve")
        resumed = there("resume", "-m", "openai/gpt-fake")

    assert (8, "on: push\n") == (stopped.returncode, before), stopped.stderr
    assert (0, "on: fork\n") == (resumed.returncode, (openkoi.folder / CI).read_text()), resumed.stderr
    assert ("side\n", "") == (sh(openkoi.folder, "git branch --show-current"), sh(openkoi.folder, "git status --short"))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize(
    "line",
    [
        "git restore --source side .",
        "git checkout side -- .",
        "git checkout side .github a.txt z",
    ],
)
def test_files_of_another_commit_wait_and_are_then_all_there(openkoi: Shell, sandbox: str, line: str) -> None:
    configure(openkoi, sandbox, guard="ask")
    with server(command(line)) as models:
        there = openkoi.with_environment(**models)
        stopped = there("Take the files", "-m", "openai/gpt-fake", "-i", "0")
        there("approve")
        resumed = there("resume", "-m", "openai/gpt-fake")

    assert 8 == stopped.returncode, stopped.stderr
    assert (0, "") == (resumed.returncode, sh(openkoi.folder, "git add -A; git diff --cached side")), resumed.stderr


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_with_approvals_off_a_plain_git_command_is_done_in_full(openkoi: Shell, sandbox: str) -> None:
    configure(openkoi, sandbox, 'approvals = "never"\n', guard="ask")
    status, screen, log = run(openkoi, command("git checkout -q side"))

    assert 0 == status, screen
    assert ("", "on: fork\n") == (sh(openkoi.folder, "git status --short"), (openkoi.folder / CI).read_text())
    assert f"{CI} is changed: GitHub Actions runs it after a push" in screen
    assert [] == [one for one in log if one["type"] == "sandbox.protected"], results(log)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize(
    "line",
    [
        "git checkout -q side",
        "git merge -q side",
        "git merge -q --no-ff -m merged side",
        "git rebase -q side",
        "git reset -q --hard side",
        "git cherry-pick side",
        "git checkout -q --detach side && git revert --no-edit HEAD",
        "git stash -q",
        "git stash -q && git stash pop -q",
        "git checkout side -- .",
        "git restore --source side .",
        "git diff HEAD side | git apply",
    ],
)
def test_without_a_question_git_does_all_but_what_others_run_and_the_state_is_told(
    openkoi: Shell, sandbox: str, line: str
) -> None:
    if "stash" in line:
        sh(openkoi.folder, LOCAL_CHANGE)
    before = (openkoi.folder / CI).read_text()
    sh(openkoi.folder.parent, "cp -a folder free")
    dated = f"export GIT_AUTHOR_DATE=2030-01-01T00:00:00Z GIT_COMMITTER_DATE=2030-01-01T00:00:00Z; {line}"
    sh(openkoi.folder.parent / "free", dated)
    configure(openkoi, sandbox)
    status, screen, log = run(openkoi, command(dated))

    changed = (openkoi.folder.parent / "free" / CI).read_text() != before
    assert (0, before) == (status, (openkoi.folder / CI).read_text()), screen
    (openkoi.folder / CI).write_text((openkoi.folder.parent / "free" / CI).read_text())
    free, caged = (sh(openkoi.folder.parent / name, STATE) for name in ("free", "folder"))
    assert free == caged, results(log)
    assert changed is (f"{CI} was changed by a command and has been restored" in screen)
    assert not changed or "git status" in results(log)


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_what_a_fetch_brings_is_checked_out_but_for_ci_which_can_be_had_by_asking(openkoi: Shell, sandbox: str) -> None:
    """No question comes before it, because the branch is not there yet."""
    only_on_the_remote(openkoi)
    sh(openkoi.folder, "git update-ref -d refs/remotes/origin/side")
    configure(openkoi, sandbox, guard="ask")
    get = f"git checkout -q -- {CI}"
    with server(command("git fetch -q origin && git checkout -q side"), command(get)) as models:
        there = openkoi.with_environment(**models)
        stopped = there("Go on there", "-m", "openai/gpt-fake", "-i", "0")
        state = sh(openkoi.folder, "git status --short --branch")
        there("approve")
        resumed = there("resume", "-m", "openai/gpt-fake")

    assert (8, f"## side\n M {CI}\n") == (stopped.returncode, state), stopped.stderr
    assert f"{CI} was changed by a command and has been restored" in stopped.stderr
    assert (0, "on: fork\n") == (resumed.returncode, (openkoi.folder / CI).read_text()), resumed.stderr
    assert "" == sh(openkoi.folder, "git status --short")


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_script_that_calls_git_is_told_what_state_it_left(openkoi: Shell, sandbox: str) -> None:
    (openkoi.folder / ".git/info/exclude").write_text("go.sh\n")
    (openkoi.folder / "go.sh").write_text("git merge -q side\n")
    configure(openkoi, sandbox)
    status, screen, log = run(openkoi, command("sh go.sh"))
    state = sh(openkoi.folder, "git status --short --branch").strip()

    assert (0, "on: push\n") == (status, (openkoi.folder / CI).read_text()), screen
    assert state.replace("\n", "\\n") in results(log).replace("\\\\n", "\\n"), (state, results(log))


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_setting_that_git_never_runs_is_written_unasked_and_nothing_else_is(openkoi: Shell, sandbox: str) -> None:
    planting = "open('.git/config', 'a').write('[core]\\n\\tfsmonitor = x\\n')"
    (openkoi.folder / "plant.py").write_text(planting)
    configure(openkoi, sandbox, guard="ask")
    status, screen, _ = run(openkoi, command("git config pull.rebase true"), command("python3 plant.py"))

    assert 0 == status, screen
    assert "true\n" == sh(openkoi.folder, "git config pull.rebase")
    assert "" == sh(openkoi.folder, "git config core.fsmonitor", check=False)
