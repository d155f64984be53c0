"""Test two OpenKoi processes in one folder: each undoes planted files of both, and lists only its own."""

import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from cli_process import Shell, shell
from planting_attacks import make_victim, planted
from planting_runs import CI, SANDBOXES, call, command, configure, server

from openkoi_hookspecs import ToolCall

if not sys.platform.startswith("linux"):
    pytest.skip("programs and sandboxes as Linux has them", allow_module_level=True)

PLANT = "echo x > .envrc; echo '{}' > .vscode/settings.json; rm -f kept/.envrc; mkdir -p p/.idea; echo x > p/.idea/a"
HELD = "test -f .envrc || test ! -f kept/.envrc"


def until(condition: str) -> str:
    """Wait in a shell for a condition, for so long that a busy machine gets there."""
    return f"for i in $(seq 300); do if {condition}; then break; fi; sleep 0.1; done"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def at_once(openkoi: Shell, *tasks: Sequence[ToolCall]) -> list[CompletedProcess[str]]:
    """Run tasks at the same time, each by a process of its own."""
    with ThreadPoolExecutor() as pool:
        results = [*pool.map(lambda calls: run_alone(openkoi, calls), tasks)]
    assert [0] * len(tasks) == [one.returncode for one in results], [one.stderr for one in results]
    return results


def run_alone(openkoi: Shell, calls: Sequence[ToolCall]) -> CompletedProcess[str]:
    with server(*calls) as models:
        return openkoi.with_environment(**models)("Tidy up", "-m", "openai/gpt-fake", "-i", "0")


def listed_files(result: CompletedProcess[str]) -> set[str]:
    """Return the files that a run lists at its end."""
    found = re.findall(r"^  ! (\S+) is (?:new|changed): |[ (](\S+) \((?:new|changed): ", result.stderr, re.MULTILINE)
    return {at_once or by_tools for at_once, by_tools in found}


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_what_a_command_plants_while_another_process_runs_one_does_not_stay(openkoi: Shell, sandbox: str) -> None:
    """The second process looks at the folder when the first one's command has planted, and again when it ended."""
    victim = make_victim(openkoi.folder)
    configure(openkoi, sandbox)
    before = victim.files()
    first = command(f"{PLANT}; touch a.begun; {until('test -f b.begun')}")
    second = [command(until("test -f a.begun")), command(f"touch b.begun; {until(f'! ({HELD})')}; sleep 1")]
    at_once(openkoi, [first], second)

    assert [] == planted(victim, before)
    assert before == victim.files()


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_what_the_second_process_plants_after_the_first_s_command_ended_does_not_stay_either(
    openkoi: Shell, sandbox: str
) -> None:
    victim = make_victim(openkoi.folder)
    configure(openkoi, sandbox)
    before = victim.files()
    first = command(f"{PLANT}; touch a.begun; {until('test -f b.begun')}")
    second = [
        command(until("test -f a.begun")),
        command(f"touch b.begun; {until(f'! ({HELD})')}; sleep 1; echo '[1]' > .vscode/settings.json; {PLANT}"),
    ]
    at_once(openkoi, [first], second)

    assert [] == planted(victim, before)
    assert before == victim.files()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("way", ["a file tool", "a command"])
def test_what_the_user_allowed_one_process_stays_though_the_other_runs_a_command(
    openkoi: Shell, sandbox: str, way: str
) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, sandbox, 'approvals = "never"\n', guard="ask")
    tool = call("write_file", path=CI, content="on: mine\n", overwrite=True)
    writes = tool if way == "a file tool" else command(f"echo 'on: mine' > {CI}")
    first = [command(until("test -f b.begun")), writes, command("touch a.ended")]
    second = command(f"touch b.begun; {until('test -f a.ended')}")
    at_once(openkoi, first, [second])

    assert "on: mine\n" == (openkoi.folder / CI).read_text()


def test_each_run_lists_only_its_own_files(openkoi: Shell) -> None:
    """What changes while calls of both are under way is that of the one whose call ends first: here none does."""
    make_victim(openkoi.folder)
    configure(openkoi, guard="ask")
    first = [
        command(f"touch a.begun; {until('test -f b.ended')}; sleep 2; echo 'x = 1' > conftest.py"),
        call("write_file", path="setup.py", content="x = 1\n"),
    ]
    second = [
        command(until("test -f a.begun")),
        command("echo 'a:' > Makefile; mkdir -p .venv/lib/site-packages; echo x > .venv/lib/site-packages/a.pth"),
        call("write_file", path="b.ended", content="the last call\n"),
    ]
    one, other = at_once(openkoi, first, second)

    assert {"conftest.py", "setup.py"} == listed_files(one), one.stderr
    assert {"Makefile", ".venv/lib/site-packages/a.pth"} == listed_files(other), other.stderr


USER = """
from openkoi_hookspecs import hookimpl

@hookimpl
def before_tool(call, run):
    if "second" in str(call.arguments):
        (run.workspace / "Makefile").write_text("mine:")
"""


def test_what_the_user_makes_between_two_calls_is_not_listed_as_the_run_s(openkoi: Shell) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, guard="ask")
    result = run_alone(
        openkoi.with_plugin(USER, hooks="acme"),
        [command("echo first > conftest.py"), command("echo second > package.json")],
    )

    assert {"conftest.py", "package.json"} == listed_files(result), result.stderr
