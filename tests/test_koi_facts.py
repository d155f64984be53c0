"""Test what programs learn about OpenKoi, and can set, on the public contract alone."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, shell, write_script

FACTS = '''
import asyncio
import json
from dataclasses import dataclass
from typing import Annotated

import click
from openkoi_hookspecs import (
    Ask, ConfigError, Env, Event, Koi, KoiError, Question, RunState, RunStoppedError, Task, events, hookimpl,
)


@dataclass(frozen=True, slots=True)
class Opened(Event):
    name = "acme.opened"
    door: str


class Provider:
    def __init__(self, *, api_key: Annotated[str, Env("ACME_KEY", secret=True)]):
        self.api_key = api_key

    async def models(self):
        return []

    async def chat(self, request):
        yield None


@hookimpl
async def before_execute(run):
    if "Ask" in run.task.text:
        await run.ask(Question("May I?", choices=("yes", "no"), digest=run.id))


@hookimpl
def before_tool(call, tool, run):
    return Ask("This writes a file.") if tool.name == "write_file" else None


@click.group()
def acme():
    """Facts."""


@acme.command()
@click.pass_obj
async def facts(koi: Koi) -> None:
    """Print facts."""
    try:
        wrong = koi.setting("use.sandbox", int, 0)
    except ConfigError as error:
        wrong = str(error)
    keys = []
    for key in ("key-one", "key-two"):
        koi.use_key("acme", key)
        keys.append((await koi.load("providers", "acme")).api_key == key)
    heard = []
    koi.listen(heard.append)
    await koi.emit(Opened("front"))
    koi.conceal("the-word-of-the-day", "password")
    koi.warn("The door is open.")
    koi.warn("The door is open.")
    await koi.solve(Task("Say the-word-of-the-day"))
    [emitted] = [one for one in heard if isinstance(one.event, Opened)]
    print(json.dumps({
        "workspace": str(koi.workspace),
        "session": koi.session in koi.sessions(),
        "setting": [koi.setting("use.sandbox", str, "auto"), koi.setting("use.memory_size", int, 3), wrong],
        "folder": [str(koi.folder("acme")), koi.folder("acme") == koi.folder("acme")],
        "keys": keys,
        "emitted": [emitted.run, emitted.event.door],
        "logged": [one.event.door for one in koi.records(koi.session) if isinstance(one.event, Opened)],
        "warned": [one.event.text for one in heard if isinstance(one.event, events.WarningIssued)],
    }))


@acme.command()
@click.pass_obj
async def runs(koi: Koi) -> None:
    """Print how runs stand."""
    waits = asyncio.Event()

    async def user(question):
        await waits.wait()
        return "yes"

    await koi.solve(Task("Finish"))
    await koi.solve(Task("Finish elsewhere", session="another one"))
    await koi.solve(Task("Write it"))
    for text in ("Fail",):
        try:
            await koi.solve(Task(text))
        except KoiError:
            pass
    stopped = koi.begin(Task("Linger, stopped"))
    under_way = koi.begin(Task("Linger"))
    while not all(one.state is RunState.RUNNING for one in koi.runs()[-2:]) or len(koi.runs()) < 6:
        await asyncio.sleep(0.05)
    stopped.stop()
    try:
        await stopped.result()
    except RunStoppedError:
        pass
    koi.attend(user)
    asking = koi.begin(Task("Ask"))
    while not [one for one in koi.runs() if one.state is RunState.WAITING and one.id == asking.id]:
        await asyncio.sleep(0.05)
    listed = [[one.text, one.state, one.session == koi.session, one.score] for one in koi.runs()]
    waits.set()
    await asking.result()
    print(json.dumps({
        "listed": listed,
        "asked": [one.state for one in koi.runs() if one.id == asking.id],
        "elsewhere": [one.text for one in koi.runs("another one")],
        "sessions": [koi.session, "another one"] == list(koi.sessions()),
        "ids": koi.runs()[-1].id == asking.id,
    }))
    under_way.stop()
'''
TURNS = (
    "  - when: {contains: Linger}\n    calls: [{tool: run_command, arguments: {command: sleep 60}}]\n"
    "  - when: {contains: Write it}\n    calls: [{tool: write_file, arguments: {path: a.txt, content: a}}]\n"
    "    repeat: true\n"
    "  - when: {contains: Fail}\n    fails: {refused: not today}\n    repeat: true\n"
    "  - {says: Done., repeat: true}\n"
)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A program is installed, and no judge is."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[evaluators.judge]\nenabled = false\n[use]\nsandbox = "plain"\n')
    model = write_script(openkoi.folder, TURNS)
    return openkoi.with_plugin(FACTS, commands="acme:acme", hooks="acme", providers="acme:Provider").with_environment(
        OPENKOI_MODEL=model
    )


def run_acme(openkoi: Shell, command: str) -> dict[str, Any]:
    result = openkoi("acme", command)
    assert 0 == result.returncode, result.stderr
    reply = json.loads(result.stdout)
    assert isinstance(reply, dict)
    return reply


def test_a_program_asks_for_facts_and_tells_some(openkoi: Shell) -> None:
    reply = run_acme(openkoi, "facts")

    assert (str(openkoi.folder), True) == (reply["workspace"], reply["session"])
    assert ["plain", 3] == reply["setting"][:2]
    assert f"use.sandbox in {openkoi.home / 'config.toml'} is 'plain'" in reply["setting"][2]
    folder = Path(reply["folder"][0])
    assert (0o700, True) == (stat.S_IMODE(folder.stat().st_mode), reply["folder"][1])
    assert [True, True] == reply["keys"]
    assert (["", "front"], ["front"]) == (reply["emitted"], reply["logged"])
    assert 1 == sum("The door is open." in text for text in reply["warned"])
    log = "".join(file.read_text() for file in (openkoi.home / "data" / "sessions").glob("*.jsonl"))
    assert "Say" in log
    assert "the-word-of-the-day" not in log


def test_runs_are_listed_with_where_they_stand(openkoi: Shell) -> None:
    reply = run_acme(openkoi, "runs")

    assert [
        ["Finish", "finished", True, None],
        ["Finish elsewhere", "finished", False, None],
        ["Write it", "waiting", True, None],
        ["Fail", "failed", True, None],
        ["Linger, stopped", "interrupted", True, None],
        ["Linger", "running", True, None],
        ["Ask", "waiting", True, None],
    ] == reply["listed"]
    assert (["finished"], ["Finish elsewhere"]) == (reply["asked"], reply["elsewhere"])
    assert (True, True) == (reply["sessions"], reply["ids"])
