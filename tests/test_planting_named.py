"""Test that files which git, direnv, an editor or CI runs by a link or setting are protected or listed."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, shell
from planting_attacks import QUIET, text_of
from planting_named import CALLED, STAND_INS, Case
from planting_named_fresh import FRESH_CALLED, FRESH_STAND_INS
from planting_runs import SANDBOXES, call, command, configure, records, results, run, server

if not sys.platform.startswith("linux"):
    pytest.skip("programs and sandboxes as Linux has them", allow_module_level=True)

NAMED = "export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e; "
PER_COMMAND = 4
SAMPLE = 3


def in_each_sandbox(cases: Mapping[str, Case], fresh: Mapping[str, Case]) -> list[Any]:
    """All cases in the default sandbox, every third of them in the next one; the others are of the campaign."""
    first, second, *others = SANDBOXES
    third = dict(list(cases.items())[::SAMPLE])
    campaign = [(one, all_of_it) for one in (second, *others) for all_of_it in (cases, fresh)] + [(first, fresh)]
    return [
        pytest.param(*first.values, cases, marks=first.marks),
        pytest.param(*second.values, third, marks=second.marks),
        *(pytest.param(*one.values, them, marks=[*one.marks, pytest.mark.campaign]) for one, them in campaign),
    ]


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line, without evaluators."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def sh(folder: Path, line: str) -> None:
    """Run what the user did before, outside any sandbox."""
    env = {**os.environ, **QUIET}
    subprocess.run(["bash", "-ec", NAMED + line], cwd=folder, env=env, check=True, capture_output=True)


def set_up(openkoi: Shell, cases: Mapping[str, Case]) -> dict[str, Path]:
    """Make a repository for each case; return the files that matter, by case."""
    files = {}
    for number, (name, case) in enumerate(cases.items()):
        folder = openkoi.folder / f"case{number}"
        folder.mkdir()
        sh(folder, f"git init -q; {case.setup}")
        files[name] = folder / case.path
    return files


def attack(openkoi: Shell, cases: Mapping[str, Case]) -> tuple[int, str, list[dict[str, object]]]:
    """Let a model run the attacks, a few in each command."""
    lines = [f"(cd case{number}; {case.attack})" for number, case in enumerate(cases.values())]
    groups = ["; ".join(lines[at : at + PER_COMMAND]) for at in range(0, len(lines), PER_COMMAND)]
    return run(openkoi, *map(command, groups))


def state(path: Path) -> str:
    """Return the content of a path."""
    return text_of(path) if path.is_symlink() or path.exists() else "absent"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("sandbox", "cases"), in_each_sandbox(STAND_INS, FRESH_STAND_INS))
def test_what_stands_in_the_place_of_a_protected_file_stays_as_it_is(
    openkoi: Shell, sandbox: str, cases: Mapping[str, Case]
) -> None:
    files = set_up(openkoi, cases)
    before = {name: state(path) for name, path in files.items()}
    configure(openkoi, sandbox)
    status, screen, _ = attack(openkoi, cases)

    assert 0 == status, screen
    assert [] == [name for name, path in files.items() if state(path) != before[name]]


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("sandbox", "cases"), in_each_sandbox(CALLED, FRESH_CALLED))
def test_what_a_hook_or_a_setting_calls_is_listed(openkoi: Shell, sandbox: str, cases: Mapping[str, Case]) -> None:
    files = set_up(openkoi, cases)
    before = {name: state(path) for name, path in files.items()}
    configure(openkoi, sandbox)
    status, screen, log = attack(openkoi, cases)
    listed = {path for one in log if one["type"] == "sandbox.autorun" for path in dict(one["files"])}  # type: ignore[call-overload]

    assert 0 == status, screen
    assert [] == [name for name, path in files.items() if state(path) == before[name]]
    assert [] == [name for name, path in files.items() if str(path.relative_to(openkoi.folder)) not in listed]


def test_a_file_tool_asks_before_it_writes_what_a_hook_is_a_link_to(openkoi: Shell) -> None:
    sh(openkoi.folder, f"git init -q; {STAND_INS['hook by link'].setup}")
    configure(openkoi, guard="ask")
    tool = call("write_file", path="scripts/check.sh", content="echo checked\n", overwrite=True)
    more = command("python3 -c \"open('scripts/check' + '.sh', 'a').write('echo again\\n')\"")
    with server(tool, more) as models:
        there = openkoi.with_environment(**models)
        stopped = there("Fix the check", "-m", "openai/gpt-fake", "-i", "0")
        unchanged, text = (openkoi.folder / "scripts/check.sh").read_text(), there("approvals").stdout
        there("approve")
        resumed = there("resume", "-m", "openai/gpt-fake")

    assert (8, "true\n") == (stopped.returncode, unchanged), stopped.stderr
    assert "git runs it on commit, merge, checkout or push (through .git/hooks/pre-commit)" in text
    assert (0, "echo checked\necho again\n") == (resumed.returncode, (openkoi.folder / "scripts/check.sh").read_text())
    assert "  ! scripts/check.sh is changed: git runs it" in resumed.stderr


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_what_is_only_newly_named_keeps_its_place(openkoi: Shell, sandbox: str) -> None:
    """The link and the setting are undone; the files that they would name are the user's."""
    sh(openkoi.folder, f"git init -q; {SCRIPTS}")
    configure(openkoi, sandbox)
    status, screen, _ = run(
        openkoi,
        command("ln -s ../../scripts/check.sh .git/hooks/pre-commit; echo more >> scripts/check.sh"),
        command("python3 -c \"open('.git/config', 'a').write('[core]\\n\\thooksPath = own\\n')\"; touch own/more"),
    )

    assert (0, ["more", "pre-commit"]) == (status, names_in(openkoi.folder / "own")), screen
    assert "true\nmore\n" == (openkoi.folder / "scripts/check.sh").read_text()
    assert not (openkoi.folder / ".git/hooks/pre-commit").exists()


SCRIPTS = "mkdir scripts own; echo true > scripts/check.sh; echo true > own/pre-commit"


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_hooks_whose_folder_the_user_approves_stay_and_new_ones_do_not(openkoi: Shell, sandbox: str) -> None:
    sh(openkoi.folder, f"git init -q; {SCRIPTS}")
    configure(openkoi, sandbox, guard="ask")
    line = "git config core.hooksPath own; python3 -c \"open('own/pre-' + 'push', 'w').write('x')\""
    with server(command(line)) as models:
        there = openkoi.with_environment(**models)
        stopped = there("Use our hooks", "-m", "openai/gpt-fake", "-i", "0")
        there("approve")
        resumed = there("resume", "-m", "openai/gpt-fake")

    assert (8, 0) == (stopped.returncode, resumed.returncode), resumed.stderr
    assert ["pre-commit"] == names_in(openkoi.folder / "own"), results(records(openkoi))
    assert "hooksPath = own" in (openkoi.folder / ".git/config").read_text()


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_hooks_that_the_user_s_own_settings_name_stay_as_they_are(openkoi: Shell, sandbox: str) -> None:
    """The settings lie in the home folder, outside the workspace; their paths count in every repository."""
    sh(openkoi.folder, f"git init -q; {SCRIPTS}; git config diff.x.textconv own/view.sh")
    (openkoi.home.parent / ".gitconfig").write_text("[core]\n\thooksPath = own\n")
    configure(openkoi, sandbox)
    line = "echo more >> own/pre-commit; echo x > own/pre-push; echo x > own/view.sh; echo x >> scripts/check.sh"
    status, screen, _ = run(openkoi, command(line))

    assert (0, ["pre-commit", "view.sh"]) == (status, names_in(openkoi.folder / "own")), screen
    assert "true\n" == (openkoi.folder / "own/pre-commit").read_text()
    assert "  ! own/view.sh is new: diff.x.textconv in .git/config refers to it" in screen
