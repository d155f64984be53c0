"""Test third-party daemons on the contract alone: an error in one run, listener or frontend stays there."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, shell, write_script

if os.name != "posix":
    pytest.skip("processes as POSIX has them", allow_module_level=True)

DAEMON = """
import asyncio
import json
import time
from collections import Counter

import click
from openkoi_hookspecs import (
    Effect, Event, File, Image, Koi, KoiError, Message, Question, Role, Run, RunStoppedError, Task, Text, Tool,
    ToolResult, events,
)

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c626460f8cf500f0003060018b5685b"
)
NOTHING = {"type": "object", "properties": {}}


class Tools:
    async def tools(self, run: Run) -> list[Tool]:
        async def doze(arguments) -> ToolResult:
            await asyncio.sleep(4)
            return ToolResult("It has slept.")

        async def trust(arguments) -> ToolResult:
            question = Question("Trust it?", choices=("yes", "no"), keep=True, digest="one")
            first = await run.ask(question)
            for consent in run.koi.consents():
                run.koi.revoke_consent(consent.id)
            return ToolResult(json.dumps([first, run.koi.consent("one"), await run.ask(question)]))

        return [
            Tool("doze", "Sleep.", NOTHING, doze, effect=Effect.READS),
            Tool("trust", "Trust.", NOTHING, trust, effect=Effect.READS),
        ]


def report(**facts: object) -> None:
    click.echo(json.dumps(facts))


async def stopped(handle) -> bool:
    handle.stop()
    try:
        await handle.result()
    except RunStoppedError:
        return True
    return False


async def called(koi: Koi, task: Task):
    call = asyncio.Event()
    leave = koi.listen(lambda record: call.set() if isinstance(record.event, events.ToolCallStarted) else None)
    handle = koi.begin(task)
    await call.wait()
    leave()
    return handle


@click.group()
def acme() -> None:
    "What goes wrong."


@acme.command()
@click.argument("count", type=int)
@click.pass_obj
async def many(koi: Koi, count: int) -> None:
    begun = set()
    koi.listen(lambda record: begun.add(record.run) if isinstance(record.event, events.TaskStarted) else None)
    handles = [koi.begin(Task("Zdoze" if n % 4 == 0 else "Zplain")) for n in range(count)]
    while len(begun) < count:
        await asyncio.sleep(0.05)
    for handle in handles[::4]:
        handle.stop()
    results = await asyncio.gather(*(one.result() for one in handles), return_exceptions=True)
    await koi.drain()
    kinds, states = Counter(type(one).__name__ for one in results), Counter(one.state for one in koi.runs(koi.session))
    report(kinds=kinds, states=states)


@acme.command()
@click.pass_obj
async def listeners(koi: Koi) -> None:
    seen, calls = [], []

    def fails(record) -> None:
        calls.append(record)
        raise ValueError("no")

    def dozes(record) -> None:
        if isinstance(record.event, events.RunCompleted):
            time.sleep(2.1)

    def leaves(record) -> None:
        leave()

    stop = koi.listen(fails)
    koi.listen(dozes)
    leave = koi.listen(leaves)
    koi.listen(seen.append)
    await koi.solve(Task("Zplain"))
    stop()
    stop()
    leave()
    before = len(calls)
    await koi.solve(Task("Zplain"))
    warned = [one.event.text for one in seen if isinstance(one.event, events.WarningIssued)]
    ended = sum(isinstance(one.event, events.RunCompleted) for one in seen)
    report(warned=warned, ended=ended, unheard=before == len(calls), again=before > 1)


@acme.command()
@click.pass_obj
async def parts(koi: Koi) -> None:
    history = (Message.user("Call me Ann", Image(PIXEL, "image/png")), Message(Role.ASSISTANT, (Text("Hello."),)))
    files = (File(b"abc", "text/plain", "a.txt"), Image(PIXEL, "image/png"))
    handle = await called(koi, Task("Zalbum", history=history, parts=files))
    await stopped(handle)
    result = await koi.resume(handle.id).result()
    report(text=result.text, history=len(result.task.history), data=[part.data == PIXEL for part in result.task.parts])


@acme.command()
@click.pass_obj
async def revoked(koi: Koi) -> None:
    answers = iter(("yes", "no"))
    koi.attend(lambda question: next(answers))
    seen = []
    koi.listen(seen.append)
    await koi.solve(Task("Ztrust"))
    results = [one.event.result.text for one in seen if isinstance(one.event, events.ToolCallFinished)]
    report(results=json.loads(results[0]), kept=[one.answer for one in koi.consents()])


@acme.command()
@click.pass_obj
async def wrong(koi: Koi) -> None:
    class Nameless(Event):
        pass

    said = []
    handle = await called(koi, Task("Zdoze"))
    for call in (
        lambda: koi.emit(Nameless()),
        lambda: koi.fork(handle.id, at=0).result(),
        lambda: koi.resume(handle.id).result(),
        lambda: koi.solve(Task("Zplain", workspace="/no/such/folder")),
    ):
        try:
            said.append(str(await call()))
        except KoiError as error:
            said.append(str(error))
    report(said=said, stopped=await stopped(handle))
"""
TURNS = (
    "  - {when: {contains: Zplain}, says: Plain., repeat: true}\n"
    "  - {when: {contains: Zdoze, after: 0}, calls: [{tool: doze, arguments: {}}], repeat: true}\n"
    "  - {when: {contains: Zdoze}, says: Awake., repeat: true}\n"
    "  - {when: {contains: Zalbum, after: 1}, calls: [{tool: doze, arguments: {}}]}\n"
    "  - {when: {contains: [Zalbum, Call me Ann, It has slept]}, says: Hello Ann.}\n"
    "  - {when: {contains: Ztrust, after: 0}, calls: [{tool: trust, arguments: {}}]}\n"
    "  - {when: {contains: Ztrust}, says: Trusted.}\n"
)
SETTINGS = """
[evaluators.judge]
enabled = false
[hooks.guard]
enabled = false
[use]
sandbox = "plain"
memory = "none"
[iteration]
max_iterations = 0
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(SETTINGS)
    write_script(tmp_path, TURNS)
    script = tmp_path / "script.yaml"
    script.write_text(f"can: [image]\n{script.read_text()}")
    return openkoi.with_plugin(DAEMON, commands="acme:acme", tools="acme:Tools").with_environment(
        OPENKOI_MODEL=f"scripted/{script}"
    )


def said_by(openkoi: Shell, *command: str) -> dict[str, Any]:
    result = openkoi("acme", *command)
    assert 0 == result.returncode, result.stderr
    assert "Traceback" not in result.stderr
    return dict(json.loads(result.stdout))


def test_of_64_runs_in_one_process_those_that_are_stopped_are_interrupted(openkoi: Shell) -> None:
    reply = said_by(openkoi, "many", "64")

    assert {"RunStoppedError": 16, "Result": 48} == reply["kinds"]
    assert {"interrupted": 16, "finished": 48} == reply["states"]


def test_a_listener_that_fails_dozes_or_leaves_is_reported_and_disturbs_no_other(openkoi: Shell) -> None:
    reply = said_by(openkoi, "listeners")

    assert (2, True, True) == (reply["ended"], reply["unheard"], reply["again"])
    assert [True, True] == [any(words in text for text in reply["warned"]) for words in ("fails failed", "dozes took")]


def test_a_stopped_run_is_resumed_with_its_history_and_its_parts(openkoi: Shell) -> None:
    assert {"text": "Hello Ann.", "history": 2, "data": [False, True]} == said_by(openkoi, "parts")


def test_consent_that_is_revoked_in_a_run_is_asked_for_again_in_it(openkoi: Shell) -> None:
    assert {"results": ["yes", None, "no"], "kept": ["no"]} == said_by(openkoi, "revoked")


def test_what_cannot_be_done_is_said_while_a_run_is_under_way(openkoi: Shell) -> None:
    reply = said_by(openkoi, "wrong")

    nameless, fork, resume, folder = reply["said"]
    assert "Nameless needs a name that starts with its plugin's name." == nameless
    assert [True, True] == ["is already running" in text for text in (fork, resume)]
    assert "/no/such/folder is not a folder, so no task can run in it." == folder
    assert reply["stopped"]


def test_two_daemons_in_one_home_leave_one_log(openkoi: Shell) -> None:
    children = [openkoi.started("acme", "many", "16") for _ in range(2)]
    reply = [json.loads(child.communicate(timeout=90)[0])["states"] for child in children]

    assert [{"interrupted": 4, "finished": 12}] * 2 == reply
    assert "No errors found." in openkoi("memory", "audit").stdout
