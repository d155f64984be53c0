"""Test that SystemExit in a plugin counts as the plugin's error, and the user's Ctrl-C as an interruption."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ENDS = ["KeyboardInterrupt()", "KeyboardInterrupt('acme')", "SystemExit(0)", "SystemExit('acme')", "GeneratorExit()"]
OTHER = "asyncio.CancelledError()"
HEAD = "import asyncio\nfrom openkoi_hookspecs import *\n\n\ndef end():\n    raise {error}\n\n\n"
HOOK = "{kind} {moment}({arguments}):\n    {wait}end()\n\n\n"
MOMENTS = {
    "before_plan": "task, recall, run",
    "after_plan": "plan, task, run",
    "before_execute": "plan, run",
    "after_execute": "work, run",
    "after_tool": "result, call, run",
    "before_evaluate": "work, run",
    "on_event": "event, run",
}
TOOL_PROVIDER = """
class Acme:
    {kind} tools(self, run):
        {wait}{early}
        {kind} call(arguments):
            {wait}end()
        return [Tool("acme", "Do it.", {{"type": "object", "properties": {{}}}}, call)]
"""
EVALUATOR = """
class Acme:
    {kind} evaluate(self, work, run):
        {wait}end()
    {kind} baseline(self, run):
        {wait}end()
"""
MEMORY = """
class Acme:
    {kind} ingest(self, records):
        {wait}end()
    {kind} search(self, query):
        {wait}end()
"""
CHECKPOINTS = """
class Acme:
    {kind} create(self, root, *, run=""):
        {wait}end()
    {kind} restore(self, root, checkpoint, *, since="", run="", force=False):
        {wait}end()
    {kind} diff(self, root, since, until=""):
        {wait}end()
"""
PROVIDER = """
class Acme:
    async def models(self):
        {models}
    async def chat(self, request):
        {wait}end()
        yield Text("")
"""
WORK = """\
  - calls: [{tool: write_file, arguments: {path: a.txt, content: one}}]
  - calls: [{tool: acme, arguments: {}}]
  - says: Done.
    repeat: true
"""


def write_plugin(code: str, error: str, *, waits: bool, **parts: str) -> str:
    kind, wait = ("async def", "await asyncio.sleep(0); ") if waits else ("def", "")
    return HEAD.format(error=error) + code.format(kind=kind, wait=wait, **parts)


def run_beside(openkoi: Shell, *line: str, settings: str = "") -> tuple[int, dict[str, object], str]:
    """Do a task beside such a plugin."""
    openkoi.home.mkdir(exist_ok=True)
    (openkoi.home / "config.toml").write_text(settings)
    model = line or ("-m", write_script(openkoi.folder.parent, WORK).replace("/", f"/{openkoi.folder.parent}/", 1))
    result = openkoi(*model, "--no-judge", "--format", "json", "Write one into a.txt")
    assert "Traceback" not in result.stderr
    return result.returncode, json.loads(result.stdout), result.stderr


def cases(errors: list[str]) -> list[object]:
    """Return each error, from plain functions and from coroutines; a few always, the others in a campaign."""
    every = [(error, waits) for error in errors for waits in (False, True)]
    return [one if "Interrupt()" in one[0] else pytest.param(*one, marks=pytest.mark.campaign) for one in every]


@pytest.mark.parametrize(("error", "waits"), cases([*ENDS, OTHER]))
def test_a_hook_is_named_left_out_and_the_run_goes_on(error: str, waits: bool, tmp_path: Path) -> None:
    hooks = (HOOK.format(kind="@hookimpl\n{kind}", moment=m, arguments=a, wait="{wait}") for m, a in MOMENTS.items())
    plugin = write_plugin("".join(hooks), error, waits=waits)
    status, report, _ = run_beside(shell(tmp_path).with_plugin(plugin, hooks="acme"))

    warnings = [text for text in map(str, report["warnings"]) if "'acme'" in text]  # type: ignore[call-overload]
    named = {moment for moment in MOMENTS if any(f"failed at {moment}" in text for text in warnings)}
    assert 0 == status
    assert set(MOMENTS) - {"before_evaluate"} <= named
    assert all("3 failures disable it" in text for text in warnings)
    assert error.partition("(")[0].rpartition(".")[2] in str(warnings)


@pytest.mark.parametrize(("error", "waits"), cases([*ENDS, OTHER]))
def test_a_tool_s_end_is_a_result_that_failed(error: str, waits: bool, tmp_path: Path) -> None:
    plugin = write_plugin(TOOL_PROVIDER, error, waits=waits, early="").replace("    def tools", "    async def tools")
    status, report, _ = run_beside(shell(tmp_path).with_plugin(plugin, tools="acme:Acme"))

    assert (0, "Done.") == (status, report["output"])


@pytest.mark.parametrize(("error", "waits"), cases([*ENDS, OTHER]))
def test_tools_that_cannot_be_listed_are_missing(error: str, waits: bool, tmp_path: Path) -> None:
    plugin = write_plugin(TOOL_PROVIDER, error, waits=waits, early="end()")
    status, report, _ = run_beside(shell(tmp_path).with_plugin(plugin, tools="acme:Acme"))

    assert (0, "Done.") == (status, report["output"])
    assert "Cannot list the tools of acme" in str(report["warnings"])


@pytest.mark.parametrize(("error", "waits"), cases([*ENDS, OTHER]))
def test_an_evaluator_s_end_is_no_opinion(error: str, waits: bool, tmp_path: Path) -> None:
    plugin = write_plugin(EVALUATOR, error, waits=waits)
    _, report, _ = run_beside(shell(tmp_path).with_plugin(plugin, evaluators="acme:Acme"))

    assert "Done." == report["output"]
    assert "acme could not evaluate" in str(report["warnings"])


@pytest.mark.parametrize(("error", "waits"), cases([*ENDS, OTHER]))
def test_memory_that_ends_is_done_without(error: str, waits: bool, tmp_path: Path) -> None:
    plugin = write_plugin(MEMORY, error, waits=waits)
    status, report, _ = run_beside(
        shell(tmp_path).with_plugin(plugin, memory="acme:Acme"), settings='use.memory = "acme"\n'
    )

    assert (0, "Done.") == (status, report["output"])
    assert "Memory could not be" in str(report["warnings"])


@pytest.mark.parametrize(("error", "waits"), cases([*ENDS, OTHER]))
def test_checkpoints_that_end_are_done_without(error: str, waits: bool, tmp_path: Path) -> None:
    plugin = write_plugin(CHECKPOINTS, error, waits=waits)
    there = shell(tmp_path).with_plugin(plugin, checkpoints="acme:Acme")
    _, report, _ = run_beside(there, settings='use.checkpoints = "acme"\nsafety.require_checkpoint = false\n')

    assert "Done." == report["output"]
    assert "No checkpoint of this folder was saved" in str(report["warnings"])
    said = "it cancelled itself" if "Cancelled" in error else error.partition("(")[0]
    assert said in str(report["warnings"])


@pytest.mark.parametrize(("error", "waits"), cases([*ENDS, OTHER]))
@pytest.mark.parametrize("models", ["return []", "end()"])
def test_a_provider_is_named(error: str, waits: bool, models: str, tmp_path: Path) -> None:
    plugin = write_plugin(PROVIDER, error, waits=waits, models=models)
    openkoi = shell(tmp_path).with_plugin(plugin, providers="acme:Acme")
    result = openkoi("-m", "acme/one", "What is it?")

    assert 1 == result.returncode
    assert "Plugin 'acme/one' failed at chat" in result.stderr
    assert "Traceback" not in result.stderr
    assert "interrupted" not in result.stderr


@pytest.mark.parametrize("error", ENDS)
def test_a_plugin_that_ends_as_it_is_loaded_is_named(error: str, tmp_path: Path) -> None:
    plugin = f"class Acme:\n    def __init__(self):\n        raise {error}\n    async def tools(self, run): return []\n"
    status, report, _ = run_beside(shell(tmp_path).with_plugin(plugin, tools="acme:Acme"))

    assert (0, "Done.") == (status, report["output"])
    assert "Plugin 'acme' failed at loading" in str(report["warnings"])


UNPRINTABLE = """
class Unprintable(Exception):
    def __str__(self):
        raise ValueError("no text")


"""


def test_an_error_that_cannot_be_printed_is_a_fault_like_any_other(tmp_path: Path) -> None:
    parts = (
        HOOK.format(kind="@hookimpl\n{kind}", moment="after_plan", arguments="plan, run", wait="{wait}") + TOOL_PROVIDER
    )
    plugin = UNPRINTABLE + write_plugin(
        parts + EVALUATOR.replace("Acme", "Judge"), "Unprintable()", waits=True, early=""
    )
    plugin = plugin.replace("    def tools", "    async def tools")
    openkoi = shell(tmp_path).with_plugin(plugin, hooks="acme", tools="acme:Acme", evaluators="acme:Judge")
    _, report, _ = run_beside(openkoi)

    assert "Done." == report["output"]
    assert "Plugin 'acme' failed at after_plan: Unprintable" in str(report["warnings"])
    assert "acme could not evaluate" in str(report["warnings"])


ON_ITS_OWN = """
@hookimpl
async def after_plan(plan, task, run):
    async def bad():
        end()
    {start}
"""
STARTS = {
    "a task": "asyncio.get_running_loop().create_task(bad()); await asyncio.sleep(0.05)",
    "a task group": "async with asyncio.TaskGroup() as group: group.create_task(bad())",
    "a callback": "asyncio.get_running_loop().call_soon(end); await asyncio.sleep(0.05)",
}


@pytest.mark.parametrize("error", ["KeyboardInterrupt()", "SystemExit(3)"])
@pytest.mark.parametrize("start", STARTS)
def test_what_a_plugin_raises_in_a_task_of_its_own_is_named_and_the_run_goes_on(
    start: str, error: str, tmp_path: Path
) -> None:
    plugin = HEAD.format(error=error) + ON_ITS_OWN.format(start=STARTS[start])
    openkoi = shell(tmp_path).with_plugin(plugin, hooks="acme")
    result = openkoi("-m", write_script(openkoi.folder, WORK), "--no-judge", "Write one into a.txt")

    assert (0, "Done.\n") == (result.returncode, result.stdout)
    assert (
        f"{error.partition('(')[0]} was raised by {tmp_path / 'site' / 'acme.py'}:6; the run continues" in result.stderr
    )
    assert "one" == (openkoi.folder / "a.txt").read_text()


WAITING = {
    "a hook": ("@hookimpl\nasync def before_plan(task, recall, run):\n    await asyncio.sleep(20)\n", "hooks", "acme"),
    "a hook that interrupts itself": (
        "import os, signal\n\n\n@hookimpl\nasync def before_plan(task, recall, run):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n    await asyncio.sleep(20)\n",
        "hooks",
        "acme",
    ),
    "a tool": (
        TOOL_PROVIDER.format(kind="async def", wait="await asyncio.sleep(20); ", early="0"),
        "tools",
        "acme:Acme",
    ),
    "a memory": (MEMORY.format(kind="async def", wait="await asyncio.sleep(20); "), "memory", "acme:Acme"),
    "a provider": (
        PROVIDER.format(wait="await asyncio.sleep(20); ", models="return []"),
        "providers",
        "acme:Acme",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize("name", WAITING)
@pytest.mark.parametrize("times", [1, 2])
def test_a_real_interruption_in_a_plugin_is_the_user_s(name: str, times: int, tmp_path: Path) -> None:
    code, kind, target = WAITING[name]
    openkoi = shell(tmp_path).with_plugin(HEAD.format(error="ValueError") + code, **{kind: target})
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('use.memory = "acme"\n' if kind == "memory" else "")
    model = "acme/one" if kind == "providers" else write_script(openkoi.folder, WORK)
    child = openkoi.started("-m", model, "--no-judge", "Write one into a.txt")
    patience = time.monotonic() + 60
    while not [*openkoi.home.rglob("sessions/*.jsonl")] and time.monotonic() < patience:
        time.sleep(0.05)  # until the run has begun
    time.sleep(1.5)
    for _ in range(times):
        child.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _, errors = child.communicate(timeout=30)

    assert 130 == child.returncode
    assert "Traceback" not in errors


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_a_plugin_that_blocks_does_not_delay_the_third_interruption(tmp_path: Path) -> None:
    body = "    print('blocked', flush=True)\n    time.sleep(40)\n"
    code = f"import time\n\n\n@hookimpl\ndef before_plan(task, recall, run):\n{body}"
    openkoi = shell(tmp_path).with_plugin(HEAD.format(error="ValueError") + code, hooks="acme")
    child = openkoi.started("-m", write_script(openkoi.folder, WORK), "--no-judge", "Write one into a.txt")
    assert child.stderr is not None
    while "blocked" not in child.stderr.readline():
        assert child.poll() is None
    began = time.monotonic()
    for _ in range(3):
        child.send_signal(signal.SIGINT)
        time.sleep(0.3)
    _, errors = child.communicate(timeout=60)

    assert 130 == child.returncode
    assert errors.endswith("  ! Still stopping. To quit without cleaning up, press Ctrl-C again.\n")
    assert time.monotonic() - began < 20
