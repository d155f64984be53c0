"""Programs on the public contract alone that have the user answer, and that resume and fork runs of other processes."""

import json
import os
import signal
import time
from pathlib import Path
from subprocess import Popen

import pytest
from cli_process import Shell, shell, write_script

if os.name != "posix":
    pytest.skip("processes as POSIX has them", allow_module_level=True)

DAEMON = '''
import asyncio
import json
import click
from openkoi_hookspecs import Effect, Koi, Learning, Question, Result, Run, Task, Tool, ToolResult, events, hookimpl


@hookimpl
def before_learn(result: Result) -> list[Learning]:
    return [Learning(result.run, "fact", f"learned from {result.text}")]


class Tools:
    """Two tools; ``greeting`` is a setting of theirs."""

    def __init__(self, *, greeting: str = "hello") -> None:
        self.greeting = greeting

    async def tools(self, run: Run) -> list[Tool]:
        async def greet(arguments) -> ToolResult:
            return ToolResult(f"They say {self.greeting}.")

        async def send(arguments) -> ToolResult:
            return ToolResult("sent")

        async def hurry(arguments) -> ToolResult:
            """Ask twice: for as long as this tool wants to wait, and for as long as the frontend does."""
            try:
                await asyncio.wait_for(run.ask(Question("Quick?")), 0.2)
            except TimeoutError:
                pass
            cut_off = [one.question.text for one in await run.koi.pending_questions()]
            answer = await run.ask(Question("Sure?"))
            left = [one.question.text for one in await run.koi.pending_questions()]
            states = [one.state for one in run.koi.runs(run.koi.session) if one.id == run.id]
            return ToolResult(json.dumps([cut_off, answer, left, states]))

        nothing = {"type": "object", "properties": {}}
        return [
            Tool("greet", "Say hello.", nothing, greet, effect=Effect.READS),
            Tool("send", "Send it.", nothing, send, effect=Effect.IRREVERSIBLE),
            Tool("hurry", "Ask in a hurry.", nothing, hurry, effect=Effect.READS),
        ]


def calls_a_command(event) -> bool:
    return isinstance(event, events.ToolCallStarted) and event.call.tool == "run_command"


def report(**facts: object) -> None:
    click.echo(json.dumps(facts))


@click.group()
def acme() -> None:
    """Programs that live long."""


@acme.command()
@click.pass_obj
async def serve(koi: Koi) -> None:
    """Do three tasks at once: a frontend answers one, another process one, and one waits in vain."""
    heard = []
    koi.listen(lambda record: heard.append(record.event))

    async def user(question):
        if "colour" in question.text:
            return "blue"
        await asyncio.sleep(60)

    koi.attend(user)
    colour, plain = koi.begin(Task("Colour it")), koi.begin(Task("Plain"))
    send = koi.begin(Task("Send it"))
    report(begun=send.id)
    texts = [(await one.result()).text for one in (colour, plain, send)]
    await koi.drain()
    answers = [event.answer for event in heard if isinstance(event, events.QuestionAnswered)]
    learned = [event.learning.text for event in heard if isinstance(event, events.LearningSaved)]
    left = [one.id for one in await koi.pending_questions()]
    report(texts=texts, answers=answers, learned=sorted(learned), left=left)


@acme.command()
@click.option("--timeout", default=0.3)
@click.pass_obj
async def impatient(koi: Koi, timeout: float) -> None:
    """Do a task whose question nobody answers in time, and resume it once it is answered."""
    async def user(question):
        await asyncio.sleep(60)

    end = koi.attend(user, timeout=timeout)
    waiting = await koi.begin(Task("Send it")).result()
    [question] = await koi.pending_questions()
    end()
    report(action=waiting.decision.action, run=question.outermost, alive=question.alive, session=question.session)
    await koi.answer_question(question.id, "yes")
    report(text=(await koi.resume(question.outermost).result()).text, left=len(await koi.pending_questions()))


@acme.command()
@click.pass_obj
async def hurried(koi: Koi) -> None:
    """Do a task whose tool asks a user that needs too long."""
    seen = []
    koi.listen(lambda record: seen.append(record.event))

    async def user(question):
        await asyncio.sleep(60)

    koi.attend(user, timeout=0.5)
    await koi.solve(Task("Hurry"))
    [result] = [event.result.text for event in seen if isinstance(event, events.ToolCallFinished)]
    answers = [event.answer for event in seen if isinstance(event, events.QuestionAnswered)]
    report(result=json.loads(result), answers=answers)


@acme.command()
@click.argument("text")
@click.pass_obj
async def begin(koi: Koi, text: str) -> None:
    """Begin a task and wait."""
    commands = []
    koi.listen(lambda record: commands.append(record) if calls_a_command(record.event) else None)
    handle = koi.begin(Task(text))
    while not commands:
        await asyncio.sleep(0.01)
    report(begun=handle.id, session=koi.session)
    await handle.result()


@acme.command()
@click.argument("runs", nargs=-1)
@click.pass_obj
async def resume(koi: Koi, runs: tuple[str, ...]) -> None:
    """Resume runs of other processes at once."""
    handles = [koi.resume(run) for run in runs]
    results = [await one.result() for one in handles]
    await koi.drain()
    own = [record for record in koi.records(koi.session) if record.run]
    sessions = [one.task.session for one in results]
    report(texts=[one.text for one in results], ids=[one.id for one in handles], sessions=sessions, own=len(own))


@acme.command()
@click.argument("run")
@click.option("--greeting", default="")
@click.pass_obj
async def fork(koi: Koi, run: str, greeting: str) -> None:
    """Fork a run, with another setting of a plugin."""
    settings = {"tools.acme.greeting": greeting} if greeting else {}
    result = await koi.fork(run, at=0, settings=settings).result()
    report(text=result.text, forked=result.run != run, session=result.task.session == koi.session)


@acme.command()
@click.pass_obj
async def ask(koi: Koi) -> None:
    """Ask outside tasks."""
    report(answer=await koi.ask(Question("May the daemon begin?", choices=("yes", "no"))))
'''
CALL = "    calls: [{tool: %s, arguments: {%s}}]\n"
TURNS = (
    "  - when: {contains: Plain}\n    says: Plain.\n    repeat: true\n"
    "  - when: {contains: Colour, after: 0}\n" + CALL % ("ask_user", "question: 'Which colour?'") + "    repeat: true\n"
    "  - when: {contains: [Colour, blue]}\n    says: Blue.\n    repeat: true\n"
    "  - when: {contains: Send, after: 0}\n" + CALL % ("send", "") + "    repeat: true\n"
    "  - when: {contains: [Send, sent]}\n    says: Sent.\n    repeat: true\n"
    "  - when: {contains: Hurry, after: 0}\n" + CALL % ("hurry", "") + "  - when: {contains: Hurry}\n    says: Done.\n"
    "  - when: {contains: Linger, after: 0}\n" + CALL % ("greet", "") + "    repeat: true\n"
    "  - when: {contains: Linger, after: 1}\n"
    + CALL
    % ("run_command", "command: 'test -e ../go || sleep 60'")
    + "    repeat: true\n"
    "  - when: {contains: [Linger, They say moin]}\n    says: Moin.\n    repeat: true\n"
    "  - when: {contains: Linger}\n    says: Hello.\n    repeat: true\n"
)
SETTINGS = """
[evaluators.judge]
enabled = false
[hooks.guard]
enabled = false
[use]
sandbox = "plain"
[iteration]
max_iterations = 0
[approvals]
wait_seconds = {wait}
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A daemon is installed, and no judge is."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    configure(openkoi, wait=0)
    model = write_script(tmp_path, TURNS)
    plugin = openkoi.with_plugin(DAEMON, commands="acme:acme", hooks="acme", tools="acme:Tools")
    return plugin.with_environment(OPENKOI_MODEL=f"scripted/{tmp_path / Path(model).name}")


def configure(openkoi: Shell, *, wait: float) -> None:
    (openkoi.home / "config.toml").write_text(SETTINGS.format(wait=wait))


def line_of(child: "Popen[str]") -> dict[str, object]:
    """Return the next line that a daemon prints."""
    assert child.stdout is not None
    return dict(json.loads(child.stdout.readline()))


def question_id(openkoi: Shell, words: str) -> dict[str, object]:
    """Return the question about this, as soon as it waits."""
    until = time.monotonic() + 60
    while True:
        result = openkoi("approvals", "--format", "json")
        if found := [one for one in json.loads(result.stdout)["approvals"] if words in one["question"]]:
            return dict(found[0])
        assert time.monotonic() < until, result.stderr
        time.sleep(0.1)


def test_a_frontend_answers_one_task_and_another_process_a_second_one(openkoi: Shell) -> None:
    child = openkoi.started("acme", "serve")
    begun = line_of(child)["begun"]
    question = question_id(openkoi, "send")
    approved = openkoi("approve", str(question["id"])[:6])
    out, err = child.communicate(timeout=60)
    reply = json.loads(out)

    assert (begun, True, "") == (question["run"], question["alive"], question["resume"])
    assert (0, True) == (approved.returncode, "Approved" in approved.stdout), approved.stderr
    assert ["Blue.", "Plain.", "Sent."] == reply["texts"], err
    assert {"blue", "yes"} == set(reply["answers"])
    assert {f"learned from {text}" for text in ("Blue.", "Plain.", "Sent.")} == set(reply["learned"])
    assert [] == reply["left"]


def test_a_frontend_that_is_too_slow_leaves_the_question_and_the_run_is_resumed(openkoi: Shell) -> None:
    result = openkoi("acme", "impatient")
    waiting, resumed = map(json.loads, result.stdout.splitlines())

    assert ("escalate", False) == (waiting["action"], waiting["alive"]), result.stderr
    assert {"text": "Sent.", "left": 0} == resumed
    assert waiting["session"]


def test_a_question_is_withdrawn_when_nothing_waits_for_its_answer_and_its_run_goes_on(openkoi: Shell) -> None:
    result = openkoi("acme", "hurried")

    assert {"result": [[], None, [], ["running"]], "answers": [None, None]} == json.loads(result.stdout), result.stderr


def test_runs_that_were_killed_are_resumed_by_another_daemon_each_in_its_session(openkoi: Shell) -> None:
    begun = []
    for _ in range(2):
        child = openkoi.started("acme", "begin", "Linger")
        begun.append(line_of(child))
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=20)
    (openkoi.folder.parent / "go").touch()
    result = openkoi("acme", "resume", *(str(one["begun"])[:8] for one in begun))
    resumed = json.loads(result.stdout)

    assert ["Hello.", "Hello."] == resumed["texts"], result.stderr
    assert [one["begun"] for one in begun] == resumed["ids"]
    assert [one["session"] for one in begun] == resumed["sessions"]
    assert 0 == resumed["own"]


def test_a_run_of_another_process_is_forked_with_a_setting_of_a_plugin(openkoi: Shell) -> None:
    (openkoi.folder.parent / "go").touch()
    first = json.loads(openkoi("--format", "json", "Linger over it").stdout)
    plain, other = (
        json.loads(openkoi("acme", "fork", first["task_id"][:8], *more).stdout) for more in ((), ("--greeting", "moin"))
    )

    assert "Hello." == first["output"]
    assert {"text": "Hello.", "forked": True, "session": True} == plain
    assert {"text": "Moin.", "forked": True, "session": True} == other


def test_what_a_program_asks_outside_tasks_waits_as_configured(openkoi: Shell) -> None:
    alone = openkoi("acme", "ask")
    configure(openkoi, wait=60)
    child = openkoi.started("acme", "ask")
    question = question_id(openkoi, "May the daemon begin?")
    output = openkoi("approvals").stdout
    openkoi("approve")
    out, err = child.communicate(timeout=60)

    assert {"answer": None} == json.loads(alone.stdout)
    assert ("", True) == (question["run"], question["alive"])
    assert "asked by OpenKoi, outside any task" in output
    assert {"answer": "yes"} == json.loads(out), err
    assert "No question is waiting for an answer.\n" == openkoi("approvals").stdout


def test_the_question_of_a_program_that_was_killed_outside_tasks_is_gone(openkoi: Shell) -> None:
    configure(openkoi, wait=60)
    child = openkoi.started("acme", "ask")
    question_id(openkoi, "May the daemon begin?")
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=20)

    assert "No question is waiting for an answer.\n" == openkoi("approvals").stdout
