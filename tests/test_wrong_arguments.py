"""Values of the wrong type, as plugins pass them by mistake, are refused with a sentence that says what is expected."""

import json
from inspect import isfunction, signature
from typing import Any

import pytest
from cli_process import shell, write_script

from openkoi_hookspecs import Koi, Run
from openkoi_hookspecs.run import Handle

PLUGIN = """
import asyncio
import json
from pathlib import Path

import click

from openkoi_hookspecs import (
    Command, Effect, Koi, KoiError, Message, Query, Question, Request, Role, Run, Task, Tool, ToolCall, ToolResult,
)
from openkoi_hookspecs import events


async def refusals(calls) -> dict[str, str]:
    return {name: await refusal(call) for name, call in calls.items()}


async def refusal(call) -> str:
    try:
        value = call()
        if asyncio.iscoroutine(value):
            value = await value
        return f"returned {value!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@click.command()
@click.pass_obj
async def acme(koi: Koi) -> None:
    seen = []
    koi.listen(lambda record: seen.append(record.event))
    handle = koi.begin(Task("Misuse it"))
    koi_calls = KOI_CALLS
    handle_calls = HANDLE_CALLS
    said = {**await refusals(koi_calls), **await refusals(handle_calls)}
    await handle.result()
    results = [event.result.text for event in seen if isinstance(event, events.ToolCallFinished)]
    click.echo(json.dumps({**said, **json.loads(results[0])}))


class Tools:
    async def tools(self, run: Run) -> list[Tool]:
        async def misuse(arguments) -> ToolResult:
            return ToolResult(json.dumps(await refusals(RUN_CALLS)))

        return [Tool("misuse", "Misuse it.", {"type": "object", "properties": {}}, misuse, effect=Effect.READS)]
"""
# What is written, and what the error says.
KOI_CALLS = {
    'koi.begin("Fix it")': 'needs a Task as task, not a str. Write Task("...").',
    "koi.begin(Question('Fix it'))": "needs a Task as task, not a Question.",
    "koi.begin(Task)": "needs a Task as task, not the class Task.",
    "koi.begin(koi.solve)": "needs a Task as task, not a method.",
    "koi.begin(asyncio.sleep(0))": "needs a Task as task, not a coroutine: is an `await` missing?",
    "koi.begin(task='Fix it')": 'needs a Task as task, not a str. Write Task("...").',
    "koi.begin(Task('Fix it', workspace=Path('.')))": "task.workspace is not valid: PosixPath is not str.",
    "koi.begin(Task('Fix it', limits={'usd': 1}))": "task.limits is not valid: dict is not Limits or None.",
    "koi.begin(Task('Fix it', agent='tester'))": "task.agent is not valid: str is not Agent or None.",
    "koi.begin(Task('Fix it', parts=('a.png',)))": "task.parts is not valid: str is not Image or File.",
    "koi.begin(Task('Fix it', history=({'role': 'user'},)))": "task.history is not valid: dict is not Message.",
    "koi.begin(Task('Fix it', history=(Message(Role.USER, 'Hi'),)))": "task.history.parts is not valid",
    'koi.solve("Fix it")': 'needs a Task as task, not a str. Write Task("...").',
    'koi.plan("Fix it")': 'needs a Task as task, not a str. Write Task("...").',
    'koi.dry_run("Fix it")': 'needs a Task as task, not a str. Write Task("...").',
    'koi.search("ponds")': 'needs a Query as query, not a str. Write Query("...").',
    'koi.search(Query("ponds", kinds="fact"))': "query.kinds is not valid: str is not a sequence.",
    'koi.ask("May I?")': 'needs a Question as question, not a str. Write Question("...").',
    'koi.ask(Question("May I?", choices="yes"))': "question.choices is not valid: str is not a sequence.",
    "koi.attend(None)": "needs a function as user, not None.",
    "koi.attend(click.echo, timeout='5')": "needs a float or None as timeout, not a str.",
    "koi.listen(None)": "needs a function as callback, not None.",
    "koi.listen(refusals)": "needs a function that does not wait: `def`, not `async def`.",
    "koi.resume(handle)": "needs a str as run, not a RunHandle.",
    "koi.resume('3f2a', settings=['a=1'])": "needs a mapping as settings, not a list.",
    "koi.fork(handle, at=0)": "needs a str as run, not a RunHandle.",
    "koi.fork('3f2a', at='0')": "needs an int as at, not a str.",
    "koi.emit({'name': 'acme.event'})": "needs an Event as event, not a dict.",
    "koi.emit(events.WarningIssued)": "needs an Event as event, not the class WarningIssued.",
    "koi.emit(events.WarningIssued('Hot'), run=handle)": "needs a str as run, not a RunHandle.",
    "koi.plugins(Tool)": "needs a str as kind, not the class Tool.",
    "koi.load(Tool, 'dice')": "needs a str as kind, not the class Tool.",
    "koi.load('tools', Tools)": "needs a str as name, not the class Tools.",
    "koi.chosen_name(Tool)": "needs a str as kind, not the class Tool.",
    "koi.chosen_name('ponds')": "[use] cannot select plugins of the kind 'ponds'. It selects: ",
    "koi.load_chosen(Tool)": "needs a str as kind, not the class Tool.",
    "koi.load_chosen('ponds')": "[use] cannot select plugins of the kind 'ponds'. It selects: ",
    "koi.runs(handle)": "needs a str as session, not a RunHandle.",
    "koi.records(Path('a.jsonl'))": "needs a str as session, not a PosixPath.",
    "koi.resolve_model(None)": "needs a str as name, not None.",
    "koi.price(None)": "needs a str as name, not None.",
    "koi.describe_model(None)": "needs a str as name, not None.",
    "koi.save_key('openai', None)": "needs a str as key, not None.",
    "koi.use_key('openai', b'key')": "needs a str as key, not a bytes.",
    "koi.set_setting('a.b', Path('c'))": "PosixPath",
    "koi.settings(bundles='no')": "needs a bool as bundles, not a str.",
    "koi.unknown_settings(None)": "needs a str as table, not None.",
    "koi.setting('a.b', 'str', '')": "needs a class as kind, not a str.",
    "koi.conceal(None)": "needs a str as secret, not None.",
    "koi.redact(None)": "needs a str as text, not None.",
    "koi.folder(Path('acme'))": "needs a str as name, not a PosixPath.",
    "koi.folder('../acme')": "is not a valid folder name in",
    "koi.folder('/tmp')": "is not a valid folder name in",
    "koi.folder('')": "is not a valid folder name in",
    "koi.warn(ValueError('hot'))": "needs a str as text, not a ValueError.",
    "koi.consent(Question('May I?'))": "needs a str as digest, not a Question.",
    "koi.keep_consent('May I?', 'yes')": 'needs a Question as question, not a str. Write Question("...").',
    "koi.keep_consent(Question('May I?'), True)": "needs a str as answer, not a bool.",
    "koi.revoke_consent(5)": "needs a str as id, not an int.",
    "koi.answer_question('4f2a', True)": "needs a str as answer, not a bool.",
    "koi.receive('Hello')": 'needs a Post as post, not a str. Write Post("...").',
    "koi.send('Hello')": 'needs a Post as post, not a str. Write Post("...").',
    "koi.propose('Each day')": "needs a Pattern as pattern, not a str.",
    "koi.collect('before_plan')": "needs a function as hook, not a str.",
    "koi.collect(print)": "Expected a hook, a function of openkoi_hookspecs.hooks, not <built-in function print>.",
    "koi.fold('after_plan', None)": "needs a function as hook, not a str.",
}
HANDLE_CALLS = {
    "handle.say(Message.user('Stop'))": "needs a str as text, not a Message.",
    "handle.say(b'Stop')": "needs a str as text, not a bytes.",
}
RUN_CALLS = {
    'run.chat("Hello")': "needs a Request as request, not a str.",
    'run.chat(Request("Hello"))': "request.messages is not valid: str is not a sequence.",
    'run.chat(Request([{"role": "user", "content": "Hello"}]))': "request.messages is not valid: dict is not Message.",
    'run.chat(Request([Message(Role.USER, "Hello")]))': "request.messages.parts is not valid: str is not a sequence.",
    'run.execute("ls -l")': "needs a Command as command, not a str.",
    'run.execute(Command("ls -l"))': "command.argv is not valid: str is not a sequence.",
    'run.call("read_file")': "needs a ToolCall as call, not a str.",
    'run.call(ToolCall("", "read_file", "a.txt"))': "call.arguments is not valid: str is not a mapping.",
    'run.solve("Fix it")': 'needs a Task as task, not a str. Write Task("...").',
    'run.ask("May I?")': 'needs a Question as question, not a str. Write Question("...").',
    'run.search("ponds")': 'needs a Query as query, not a str. Write Query("...").',
    'run.emit({"name": "acme.event"})': "Only an Event can be logged, not {'name': 'acme.event'}.",
    "run.emit(events.WarningIssued)": "Only an Event can be logged, not <class ",
    "run.collect('before_plan')": "Expected a hook, a function of openkoi_hookspecs.hooks, not 'before_plan'.",
    "run.fold('after_plan', None)": "Expected a hook, a function of openkoi_hookspecs.hooks, not 'after_plan'.",
}
TABLE = {call: reply for calls in (KOI_CALLS, HANDLE_CALLS, RUN_CALLS) for call, reply in calls.items() if reply}


def lambdas(calls: dict[str, str]) -> str:
    return "{" + ", ".join(f"{call!r}: lambda: {call}" for call in calls if call in TABLE) + "}"


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what a command and a tool are told when they make these calls."""
    folder = tmp_path_factory.mktemp("misuse")
    code = PLUGIN.replace("KOI_CALLS", lambdas(KOI_CALLS)).replace("HANDLE_CALLS", lambdas(HANDLE_CALLS))
    openkoi = shell(folder).with_plugin(
        code.replace("RUN_CALLS", lambdas(RUN_CALLS)), commands="acme:acme", tools="acme:Tools"
    )
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(
        "[evaluators.judge]\nenabled = false\n[iteration]\nmax_iterations = 0\n[use]\nmemory = 'none'\n"
    )
    turns = "  - {when: {after: 0}, calls: [{tool: misuse, arguments: {}}]}\n  - says: Done.\n"
    write_script(folder, turns)
    result = openkoi.with_environment(OPENKOI_MODEL=f"scripted/{folder / 'script.yaml'}")("acme")
    assert 0 == result.returncode, result.stderr
    reply: dict[str, str] = json.loads(result.stdout)
    return reply


@pytest.mark.parametrize("call", TABLE)
def test_a_value_of_the_wrong_type_is_refused_with_a_sentence(call: str, refused: dict[str, str]) -> None:
    error, _, text = refused[call].partition(": ")

    assert "ArgumentError" == error, refused[call]
    assert TABLE[call] in text


def takes_arguments(method: Any) -> bool:
    return len(signature(method).parameters) > 1


def test_every_method_that_takes_something_is_in_the_table() -> None:
    methods = {
        f"{owner.__name__.lower()}.{name}"
        for owner in (Koi, Run, Handle)
        for kind in owner.__mro__
        for name, method in vars(kind).items()
        if isfunction(method) and not name.startswith("_") and takes_arguments(method)
    }

    assert methods == {call.partition("(")[0] for call in TABLE}
