"""Test runs that call MCP servers, by the command line: what servers receive, and what happens if they misbehave."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from documented_plugins import DONE, calling, turn
from mcp_runs import Pond, is_running, pond, pond_table, write_project_file
from test_mcp_consent import write_start

from openkoi_mcp.results import MAX_TEXT

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
posix = pytest.mark.skipif(os.name != "posix", reason="processes are stopped as POSIX stops them")


@pytest.mark.row("C8", "SEC-01", "SEC-07")
def test_a_model_calls_a_tool_of_an_approved_server_that_has_no_other_variables(tmp_path: Path) -> None:
    calls = calling("pond__count_fish", pond="carp"), calling("pond__environment")
    openkoi = pond(tmp_path, *calls, server={"env": {"POND": "${HOME}/pond"}}).approved()
    text = openkoi("Do it")

    assert "42 fish in carp" in openkoi.results, text
    (listed,) = [json.loads(one) for one in openkoi.results if one.startswith("[")]
    allowed = {"PATH", "HOME", "LANG", "TMPDIR", "POND"}
    assert {"PATH", "HOME", "POND"} <= {*listed} <= allowed | {"LC_CTYPE"}  # which Python sets for itself


@pytest.mark.row("C8")
def test_a_server_gets_more_variables_only_by_name_or_all_if_the_user_says_so(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("pond__environment"), server={"env_names": ["MCP_SECRET"]})
    asked_for_one = openkoi("mcp", "approve", "pond", "--yes")
    openkoi("Do it")
    asked_for_all = openkoi.started_with(inherit_env=True)("mcp", "approve", "pond", "--yes")
    openkoi("Do it")

    one, all_of_them = (json.loads(one) for one in openkoi.results)
    assert "MCP_SECRET" in one
    assert "OPENKOI_HOME" not in one
    assert {"MCP_SECRET", "OPENKOI_HOME"} <= {*all_of_them}
    assert "It gets your variable MCP_SECRET." in asked_for_one
    assert "It gets all your environment variables, including your API keys." in asked_for_all


def test_without_approval_no_tool_is_offered_and_the_run_says_so(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("pond__count_fish"))
    text = openkoi("Do it")

    assert [] == openkoi.noted
    assert "The MCP server pond is not approved, so it is not started." in text
    assert [] == openkoi.pids
    assert "openkoi mcp approve pond" in text


def test_a_server_of_a_project_is_not_even_started_without_approval(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("theirs__count_fish"), server={"enabled": False})
    theirs = tmp_path / "theirs"
    write_project_file(openkoi.openkoi, theirs=pond_table(theirs))
    text = openkoi("Do it")
    started = theirs.exists()
    tested = openkoi.openkoi("mcp", "test", "theirs")
    started = started or theirs.exists()
    before = listed(openkoi)
    openkoi("mcp", "approve", "theirs", "--yes")
    after = listed(openkoi)
    openkoi("Do it")

    assert not started
    assert "The MCP server theirs is not approved, so it is not started." in text
    assert (1, True) == (tested.returncode, "theirs: not approved, so it was not started." in tested.stdout)
    assert (False, [], True, 9) == (before["approved"], before["tools"], after["approved"], len(after["tools"]))
    assert "count_fish koi" in theirs.read_text().splitlines()


def listed(openkoi: Pond) -> dict[str, Any]:
    """Return the listing of the project's server."""
    found = json.loads(openkoi("mcp", "list", "--format", "json"))["servers"]
    (theirs,) = [dict(one) for one in found if one["name"] == "theirs"]
    return theirs


def test_a_server_that_ends_in_a_call_costs_one_result_and_is_started_again(tmp_path: Path) -> None:
    first = turn(calling("pond__crash"), when="contains: Do it, after: 0")
    second = turn(calling("pond__count_fish"), when="contains: ended during the call, after: 1")
    openkoi = pond(tmp_path).approved()
    (tmp_path / "script.yaml").write_text(f"turns:\n{first}{second}{DONE}")
    openkoi("Do it")

    assert "ended during the call, so what the call did is unknown" in openkoi.results[0]
    assert ["crash", "count_fish koi"] == openkoi.noted
    assert "42 fish in koi" == openkoi.results[1]


@posix
def test_killing_a_server_in_a_call_costs_the_calls_under_way_and_nothing_else(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("pond__wait", seconds=60), calling("read_file", path="a.txt")).approved()
    (openkoi.openkoi.folder / "a.txt").write_text("still here")
    before = len(openkoi.pids)
    running = openkoi.openkoi.started("Do it")
    wait_until(lambda: "wait" in openkoi.noted)
    os.kill(openkoi.pids[before], signal.SIGKILL)
    out, err = running.communicate(timeout=60)

    assert 0 == running.returncode, out + err
    assert ["still here" in one for one in sorted(openkoi.results, reverse=True)].count(True) == 1
    assert any("ended during the call" in one for one in openkoi.results)


def test_a_call_that_takes_too_long_is_cancelled_and_the_server_hears_of_it(tmp_path: Path) -> None:
    calls = calling("pond__wait", seconds=50), calling("pond__count_fish")
    openkoi = pond(tmp_path, *calls, server={"timeout": 2.0}).approved()
    text = openkoi("Do it")

    assert "The MCP server pond did not answer within 2 s; the call was cancelled." in "\n".join(openkoi.results)
    assert "42 fish in koi" in openkoi.results
    assert "wait was cancelled" in openkoi.noted
    assert "[pond] waiting (0 of 10)" in text


@pytest.mark.parametrize("options", [(), ("--stubborn",), ("--parent",), pytest.param(("--daemon",), marks=linux)])
@posix
def test_no_server_nor_what_it_started_outlives_a_run(tmp_path: Path, options: tuple[str, ...]) -> None:
    openkoi = pond(tmp_path, calling("pond__count_fish"), options=options).approved()
    openkoi("Do it")

    assert [] == [pid for pid in openkoi.pids if is_running(pid)]


def test_a_run_that_ends_before_its_server_has_started_says_nothing_of_it(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("pond__unknown"))
    script = openkoi.calls.with_name("start.sh")
    write_start(script, openkoi.calls)
    openkoi.started_with(command=str(script), args=[]).approved()
    write_start(script, openkoi.calls, "--slow-start", "60")
    text = openkoi("Do it")

    assert "Unknown tool 'pond__unknown'" in text
    assert "Traceback" not in text
    assert "CancelledError" not in text


@linux
@pytest.mark.parametrize("option", ["--parent", "--daemon"])
def test_a_server_that_ignores_everything_ends_with_an_openkoi_that_is_killed(tmp_path: Path, option: str) -> None:
    openkoi = pond(tmp_path, calling("pond__wait", seconds=60), options=("--stubborn", option)).approved()
    running = openkoi.openkoi.started("Do it")
    wait_until(lambda: "wait" in openkoi.noted)
    running.kill()
    running.communicate(timeout=60)

    wait_until(lambda: not any(map(is_running, openkoi.pids)))


def test_a_command_that_is_not_there_is_named_with_the_file_to_correct(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, server={"command": "no-such-server"})
    result = openkoi.openkoi("mcp", "approve", "pond", "--yes")

    assert "The MCP server pond cannot be started: 'no-such-server' was not found." in result.stderr
    assert "config.toml" in result.stderr
    assert (1, True) == (result.returncode, "'no-such-server' was not found" in openkoi("Do it"))


def test_what_a_server_says_before_it_ends_is_shown(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, server={"args": ["-c", "import sys; sys.exit('The pond is empty.')"]})

    assert "It wrote: The pond is empty." in openkoi.openkoi("mcp", "test").stdout


def wait_until(happened: object, seconds: float = 30) -> None:
    assert callable(happened)
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.row("MCP-10", "ERR-02")
def test_doctor_starts_the_servers_and_says_which_does_not_work(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, mcp={"servers": {"bad": {"command": "no-such-server"}}}).approved()
    result = openkoi.openkoi("doctor")

    assert "mcp-pond:" in result.stdout
    assert "ok, 9 tools" in result.stdout
    assert "! The MCP server bad cannot be started: 'no-such-server' was not found." in result.stdout
    assert [] == [pid for pid in openkoi.pids if is_running(pid)]


GARBAGE = """
import subprocess, sys
print("Welcome to the pond!", flush=True)
print('{"jsonrpc": "2.0", "id": 77, "result": {}}', flush=True)
sys.exit(subprocess.call(sys.argv[1:]))
"""
SILENT = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        info = {"name": "silent", "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_a_server_that_prints_other_things_too_is_understood_and_the_terminal_stays_clean(tmp_path: Path) -> None:
    own = pond_table(tmp_path / "calls")
    words = ["-c", GARBAGE, own["command"], *own["args"]]
    openkoi = pond(tmp_path, calling("pond__count_fish"), server={"args": words}).approved()
    text = openkoi("Do it")

    assert ["42 fish in koi"] == openkoi.results
    assert "Traceback" not in text
    assert "JSONRPC" not in text


def test_a_server_that_never_lists_its_tools_costs_its_timeout_and_is_named(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, server={"args": ["-c", SILENT], "timeout": 1.0})

    assert "The MCP server pond cannot list its tools: no answer within 1 s." in openkoi.openkoi("mcp", "test").stdout


def test_the_secrets_that_a_server_is_given_are_masked(tmp_path: Path) -> None:
    secret = "hk29x-77aap-carp"
    openkoi = pond(tmp_path, calling("pond__count_fish", pond=secret), server={"enabled": False})
    table = {**pond_table(openkoi.calls), "env": {"POND_TOKEN": secret}}
    write_project_file(openkoi.openkoi, theirs=table)
    openkoi("mcp", "approve", "theirs", "--yes")
    (tmp_path / "script.yaml").write_text(
        f"turns:\n{turn(calling('theirs__count_fish', pond=secret), when='contains: Do it, after: 0')}{DONE}"
    )
    openkoi("Do it")

    assert [f"count_fish {secret}"] == openkoi.noted
    assert secret not in "\n".join(openkoi.results)


@posix
def test_ctrl_c_in_a_call_ends_the_run_and_the_server(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("pond__wait", seconds=60)).approved()
    running = openkoi.openkoi.started("Do it")
    wait_until(lambda: "wait" in openkoi.noted)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)

    assert 130 == running.returncode, err
    assert "Traceback" not in err
    assert "wait was cancelled" in openkoi.noted
    assert [] == [pid for pid in openkoi.pids if is_running(pid)]


def test_a_result_of_one_endless_word_is_cut_and_the_run_ends(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("pond__flood", characters=2_000_000)).approved()
    openkoi("Do it")

    (kept,) = openkoi.results
    assert MAX_TEXT == kept.count("x")
    assert "[1,900,000 of 2,000,000 characters are omitted; they begin at offset 100000]" in kept
