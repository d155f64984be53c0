"""A Python file that is told to run in a process of its own does so, as it was approved, and cannot hold up a run."""

import re
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell
from documented_plugins import events_of
from script_runs import scripts_shell, write_project, write_user

from openkoi_hookspecs import events

PID = """
import os
from openkoi_hookspecs import Section, hookimpl

@hookimpl
def before_plan(task, run):
    run.koi.warn(f"planning {task.text}")
    word = run.koi.setting("hooks.pid.word", str, "unset")
    return [Section("pid", f"{word} {os.getpid()} {os.getppid()} {'ACME_KEY' in os.environ}")]
"""
LATE = """
import os
from openkoi_hookspecs import Section, hookimpl

@hookimpl
def before_plan(task):
    while True:
        pass

@hookimpl
def before_execute(run):
    return [Section("pid", "again")]
"""
REWRITES = """
import os
from openkoi_hookspecs import Section, hookimpl

@hookimpl
def before_plan(task):
    with open(__file__, "r+") as file:
        text = file.read().replace("as " + "approved", "replaced")
        file.seek(0)
        file.write(text)
    os._exit(7)

@hookimpl
def before_execute(run):
    return [Section("pid", "as approved")]
"""
RAISES = """
from openkoi_hookspecs import hookimpl

def check():
    raise RuntimeError("boom")

@hookimpl
def before_plan(task):
    check()
"""


def hosted(folder: Path, name: str = "pid", **settings: Any) -> Shell:
    """Return a command line in which the hooks of a file run in a process of their own."""
    return scripts_shell(folder, hooks={name: {"subprocess": True}, **settings})


def approve(openkoi: Shell, *names: str) -> None:
    approved = openkoi("script", "approve", *(names or ["pid"]), "--yes")

    assert 0 == approved.returncode, approved.stderr


def sections(openkoi: Shell, source: str = "pid") -> list[str]:
    """What a file added to the last plan."""
    return [one.text for one in events_of(openkoi, events.PlanReady)[-1].plan.sections if one.source == source]


def said(openkoi: Shell) -> list[tuple[str, str]]:
    """What the file answered, by hook."""
    answers = [one for one in events_of(openkoi, events.HookReturned) if one.plugin == "pid"]
    return [(one.hook, section["text"]) for one in answers for section in one.answer]


@pytest.mark.row("C63")
@pytest.mark.parametrize("subprocess", [True, False])
def test_a_python_file_runs_where_its_table_says_with_its_settings(tmp_path: Path, subprocess: bool) -> None:
    openkoi = scripts_shell(tmp_path, hooks={"pid": {"subprocess": subprocess, "word": "koi"}})
    openkoi = openkoi.with_environment(ACME_KEY="x")
    write_user(openkoi, {"pid.py": PID, "here.py": PID.replace('"pid"', '"here"')})
    approve(openkoi, "pid", "here")

    result = openkoi("Say hello")

    assert 1 == result.stderr.count("planning Say hello")
    [(word, own, parent, sees_variables)] = [text.split() for text in sections(openkoi)]
    [(_, here, its_parent, _)] = [text.split() for text in sections(openkoi, "here")]
    assert ("koi", str(not subprocess)) == (word, sees_variables)
    assert (subprocess, here if subprocess else its_parent) == (own != here, parent)


@pytest.mark.row("C63")
def test_a_project_s_file_that_changed_is_not_run_without_new_consent(tmp_path: Path) -> None:
    openkoi = hosted(tmp_path)
    folder = write_project(openkoi, {"pid.py": PID})

    unapproved = openkoi("Say hello")
    assert [] == sections(openkoi)
    assert f"Plugin 'pid' is not used: {folder / 'pid.py'} is not approved." in unapproved.stderr
    approve(openkoi)
    openkoi("Say hello")
    (text,) = sections(openkoi)
    assert text.startswith("unset ")
    write_project(openkoi, {"pid.py": PID.replace("unset", "changed")})
    changed = openkoi("Say hello")
    assert [] == sections(openkoi)
    assert "pid.py has changed since you approved it" in changed.stderr


@pytest.mark.row("C63")
def test_a_process_that_is_started_again_runs_the_text_that_was_approved(tmp_path: Path) -> None:
    openkoi = hosted(tmp_path)
    folder = write_user(openkoi, {"pid.py": REWRITES})
    approve(openkoi)

    result = openkoi("Say hello")

    assert "Plugin 'pid' failed at before_plan: KoiError: its process ended with status 7" in result.stderr
    assert "replaced" in (folder / "pid.py").read_text()
    assert [("before_execute", "as approved")] == said(openkoi)


@pytest.mark.row("C63")
def test_the_user_is_asked_in_the_run_and_the_process_starts_then(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, hooks={"pid": {"subprocess": True}}, approvals={"wait_seconds": 20})
    openkoi = openkoi.with_environment(ACME_KEY="x")
    write_project(openkoi, {"pid.py": PID})

    running = openkoi.started("Say hello")
    while not openkoi("approve").stdout.startswith("Approved"):
        assert running.poll() is None, running.communicate()
    running.communicate(timeout=30)

    (text,) = sections(openkoi)
    assert "False" == text.split()[-1]  # in OpenKoi's process the variable is seen


@pytest.mark.row("C63")
def test_a_file_that_loops_is_cut_off_and_named_and_the_task_goes_on(tmp_path: Path) -> None:
    openkoi = hosted(tmp_path, deadline_seconds=1)
    write_user(openkoi, {"pid.py": LATE})
    approve(openkoi)

    result = openkoi("Say hello")

    assert 0 == result.returncode, result.stderr
    assert "Plugin 'pid' failed at before_plan: did not answer within 1 s" in result.stderr
    assert [("before_execute", "again")] == said(openkoi)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (RAISES, "Plugin 'pid' failed at before_plan: RuntimeError: {0}:5: boom"),
        ("import os\nos.nothing\n", "Plugin 'pid' failed at loading: {0}:2: AttributeError: module 'os' has no"),
        ("import os\nif os\n", "Plugin 'pid' failed at loading: {0}:2: SyntaxError: expected ':'"),
        ("import os\nos._exit(7)\n", "Plugin 'pid' failed at loading: KoiError: its process ended with status 7"),
    ],
    ids=["call", "import", "syntax", "exit"],
)
def test_an_error_names_the_file_and_the_line(tmp_path: Path, text: str, place: str) -> None:
    openkoi = hosted(tmp_path)
    folder = write_user(openkoi, {"pid.py": text})
    approve(openkoi)

    result = openkoi("Say hello")

    assert 0 == result.returncode
    assert place.format(folder.resolve() / "pid.py") in re.sub(r"\s+", " ", result.stderr)


@pytest.mark.row("C63")
def test_the_check_of_hooks_and_the_list_of_plugins_show_it(tmp_path: Path) -> None:
    openkoi = hosted(tmp_path)
    write_user(openkoi, {"pid.py": PID})
    approve(openkoi)

    checked, listed = openkoi.cold("doctor", "--hooks"), openkoi("plugins")

    assert 0 == checked.returncode, checked.stdout
    assert ["pid", "before_plan"] in [line.split()[:2] for line in checked.stdout.splitlines()]
    assert "plugins/scripts/pid.py" in listed.stdout


def test_what_has_a_sandbox_of_its_own_is_refused_with_the_reason(tmp_path: Path) -> None:
    openkoi = hosted(tmp_path)
    folder = write_user(openkoi, {"pid.star": "def before_plan(task):\n    return ['x']\n"})

    result = openkoi("Say hello")

    assert [] == sections(openkoi)
    assert f"[hooks.pid] subprocess = true is not supported for {folder.resolve() / 'pid.star'}" in result.stderr
    assert "Starlark scripts, WASM modules and MCP servers are already isolated" in result.stderr
