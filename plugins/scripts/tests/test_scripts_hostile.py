"""No script harms OpenKoi: it ends within twice its time, takes little memory, and reaches nothing."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hostile_run import Refusing
from hostile_scripts import HOSTILE

from openkoi_scripts.host_functions import NAMES
from openkoi_scripts.process import ScriptError, ScriptProcesses

SECONDS = 1.0
MAX_MEGABYTES = 200
SLOW_MACHINE_SECONDS = 20.0  # a script that is not ended takes 92 s


@pytest.fixture(name="attacks", scope="module")
def run_attacks() -> Mapping[str, Any]:
    """Return what became of all hostile scripts, which one process has run one after another."""
    if sys.platform == "win32":
        pytest.skip("memory as POSIX counts it")
    program = [sys.executable, str(Path(__file__).with_name("hostile_run.py")), str(SECONDS)]
    result = subprocess.run(program, capture_output=True, text=True, check=True)
    found: Mapping[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.row("SEC-05", "C34")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_script_ends_in_time_and_learns_nothing(name: str, attacks: Mapping[str, Any]) -> None:
    result, took = attacks["results"][name]

    assert took <= 2 * SECONDS + SLOW_MACHINE_SECONDS, result
    assert "root:" not in result
    assert "forged" not in result


def test_hostile_scripts_take_little_memory(attacks: Mapping[str, Any]) -> None:
    assert (attacks["host"] + attacks["child"]) / 1024 <= MAX_MEGABYTES


async def inspect_interpreter() -> tuple[bytes, str, str]:
    """Return the variables, the folder and the limits of an interpreter with a script."""
    script = ScriptProcesses("idle.star", "def idle():\n    return 1\n", SECONDS, NAMES)
    await script.describe(load=True)
    process = Path(f"/proc/{script.idle[0].process.pid}")
    seen = (process / "environ").read_bytes(), str((process / "cwd").readlink()), (process / "limits").read_text()
    await script.close()
    return seen


@pytest.mark.row("SEC-05", "C34", "SEC-01", "SEC-07")
@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_an_interpreter_has_no_variables_and_can_write_no_file() -> None:
    environment, folder, limits = asyncio.run(inspect_interpreter())

    assert (b"", "/") == (environment, folder)
    assert ["0", "0", "bytes"] == limits.partition("Max file size")[2].split()[:3]
    assert ["0", "0", "processes"] == limits.partition("Max processes")[2].split()[:3]


async def reuse() -> list[object]:
    """Call a script that is cut off in its first call, and answers its second."""
    text = "def slow():\n    for i in range(1000000000):\n        x = i\ndef quick():\n    return 'quick'\n"
    script = ScriptProcesses("both.star", text, SECONDS, NAMES)
    results: list[object] = []
    for name in ("slow", "quick", "slow", "quick"):
        try:
            results.append(await script.call(name, "{}", Refusing()))
        except ScriptError as error:
            results.append("too long" if "took" in str(error) else str(error))
    await script.close()
    return results


def test_a_late_answer_never_reaches_the_next_call() -> None:
    assert ["too long", "quick", "too long", "quick"] == asyncio.run(reuse())


async def cancel() -> tuple[bool, object]:
    """Cancel a call; return whether its process has ended, and what the next call returns."""
    text = "def slow():\n    for i in range(1000000000):\n        x = i\ndef quick():\n    return 1\n"
    script = ScriptProcesses("both.star", text, 30.0, NAMES)
    await script.describe(load=True)
    pid = script.idle[0].process.pid
    call = asyncio.ensure_future(script.call("slow", "{}", Refusing()))
    await asyncio.sleep(0.2)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    answer = await script.call("quick", "{}", Refusing())
    await script.close()
    return str(pid) in os.listdir("/proc"), answer  # noqa: PTH208  # a Path would block


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_cancelled_call_ends_its_process() -> None:
    assert (False, 1) == asyncio.run(cancel())


def test_calls_at_once_have_interpreters_of_their_own() -> None:
    async def both() -> list[object]:
        script = ScriptProcesses("one.star", "def double(n):\n    return 2 * n\n", 30.0, NAMES)
        answers = await asyncio.gather(*(script.call("double", f'{{"n": {n}}}', Refusing()) for n in range(20)))
        assert len(script.idle) <= 4
        await script.close()
        return answers

    assert [2 * n for n in range(20)] == asyncio.run(both())
