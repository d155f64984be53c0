"""A plugin on the public contract alone gives a task images, files and a history, and calls tools, despite kills."""

import json
import os
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from cli_process import Shell, shell

from openkoi_hookspecs import Blob, Image, Record, ToolResult, events
from openkoi_runlog import list_segments, read_segment

if os.name != "posix":
    pytest.skip("processes as POSIX has them", allow_module_level=True)

PLUGIN = r'''
import json
import os
from pathlib import Path
import click
from openkoi_hookspecs import (
    Effect, ExecutionResult, File, Image, Koi, KoiError, Message, Role, Run, StopReason, Task, Text, Tool, ToolCall,
    ToolResult, events, hookimpl,
)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8) + b"\0\0\3\xe8\0\0\2\xee" + bytes(100)  # 1000 by 750 pixels
PHOTO = Image(PNG, "image/png")
NOTES = File(b"The carp is called Kiku; password = hunter2-hunter2", "text/plain", "notes.txt")
PAPER = File(b"%PDF-1.7 /Type /Page", "application/pdf", "paper.pdf")
HISTORY = (Message.user("I own a pond."), Message(Role.ASSISTANT, (Text("How deep is it?"),)))
NOTHING = {"type": "object", "properties": {}}


class Camera:
    """Tools that show things, send things, and break once."""

    def __init__(self) -> None:
        self.shots = 0

    async def tools(self, run: Run) -> list[Tool]:
        async def shoot(arguments) -> ToolResult:
            self.shots += 1
            return ToolResult("A photo.", parts=(Text("Of the pond:"), Image(PNG + bytes([self.shots]), "image/png")))

        async def send(arguments) -> ToolResult:
            with Path("sent").open("a") as file:
                file.write("x")
            return ToolResult("It was sent.")

        async def die(arguments) -> ToolResult:
            if not Path("died").exists():
                Path("died").touch()
                os._exit(9)
            return ToolResult("It works again.", parts=(Image(PNG + b"another", "image/png"),))

        return [
            Tool("shoot", "Take a photo.", NOTHING, shoot, effect=Effect.READS),
            Tool("send", "Send it.", NOTHING, send, effect=Effect.IRREVERSIBLE),
            Tool("die", "Break.", NOTHING, die, effect=Effect.READS),
            Tool("break", "Break.", NOTHING, die, effect=Effect.WRITES),
        ]


@hookimpl
async def before_execute(plan, run: Run) -> None:
    """Call a tool before the model does: the one that the task names, with a command if it names one."""
    if run.task.text.startswith("Call "):
        tool, _, command = run.task.text.removeprefix("Call ").partition(": ")
        result = await run.call(ToolCall("", tool, {"command": command} if command else {}))
        Path("heard").write_text(result.text)


@hookimpl
async def after_tool(result: ToolResult, call: ToolCall, run: Run) -> None:
    """Call a tool whenever one was called, without end."""
    if run.task.text == "Circle" and not result.failed:
        await run.call(ToolCall("", "shoot", {}))


class Sender:
    """An agent runner that calls one tool."""

    async def run(self, plan, run: Run) -> ExecutionResult:
        result = await run.call(ToolCall("", "send", {}))
        return ExecutionResult(f"The tool said: {result.text}", ended=StopReason.DONE)


def parts_of(name: str) -> tuple:
    """Things to show, by name."""
    known = {"photo": PHOTO, "notes": NOTES, "paper": PAPER, "large": Image(PNG + bytes(5_000_000), "image/png")}
    return tuple(known[one] for one in name.split(",") if one)


@click.command()
@click.argument("text")
@click.option("--history/--no-history")
@click.option("--parts", default="")
@click.option("--agent", default="")
@click.option("--answer", default="")
@click.pass_obj
async def acme(koi: Koi, text: str, history: bool, parts: str, agent: str, answer: str) -> None:
    """Do a task with what goes before it and belongs to it."""
    from openkoi_hookspecs import Agent

    heard = []
    koi.listen(lambda record: heard.append(record.event))

    async def user(question):
        return answer

    if answer:
        koi.attend(user)
    task = Task(
        text,
        history=HISTORY if history else (),
        parts=parts_of(parts),
        agent=Agent(name=agent, worker="acme") if agent else None,
    )
    handle = koi.begin(task)
    click.echo(json.dumps({"id": handle.id}))
    result = await handle.result()
    begun = [event.call.tool for event in heard if isinstance(event, events.ToolCallStarted) and event.by_plugin]
    ended = [event.result.text for event in heard if isinstance(event, events.ToolCallFinished) and event.by_plugin]
    warned = [event.text for event in heard if isinstance(event, events.WarningIssued)]
    listed = len(await koi.pending_questions())
    facts = {"text": result.text, "action": result.decision.action, "warned": warned, "listed": listed}
    click.echo(json.dumps({**facts, "begun": begun, "ended": ended}))
'''
NO_ONE = "says: I was not shown what I should have been.\n    repeat: true\n"
CALL = "    calls: [{tool: %s, arguments: {}}]\n    repeat: true\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """The plugin is installed, and no judge is."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(
        '[evaluators.judge]\nenabled = false\n[use]\nsandbox = "plain"\n[iteration]\nmax_iterations = 1\n'
    )
    points = {"commands": "acme:acme", "hooks": "acme", "tools": "acme:Camera", "workers": "acme:Sender"}
    return openkoi.with_plugin(PLUGIN, **points).with_environment(OPENKOI_MODEL="scripted/script.yaml")


def scripted(openkoi: Shell, *turns: str, head: str = "") -> None:
    """Return the model's answer, or that it did not receive the expected input."""
    text = "".join(f"  - {turn}" for turn in (*turns, NO_ONE))
    (openkoi.folder / "script.yaml").write_text(f"price: {{input: 3.0, output: 15.0}}\n{head}turns:\n{text}")


def last_line(result: CompletedProcess[str]) -> dict[str, object]:
    """The last line of the plugin's command."""
    assert 0 == result.returncode, result.stderr
    line: dict[str, object] = json.loads(result.stdout.splitlines()[-1])
    return line


def records(openkoi: Shell) -> list[Record]:
    return [record for path in list_segments(openkoi.home / "data" / "sessions") for record in read_segment(path)]


def blobs(openkoi: Shell) -> list[Path]:
    return [path for path in (openkoi.home / "data" / "blobs").rglob("*") if path.is_file()]


def test_a_task_is_shown_its_history_its_images_and_its_files(openkoi: Shell) -> None:
    text = "[I own a pond., 'How deep is it?', Name the fish, '[image/png]', Kiku, '[paper.pdf application/pdf]']"
    scripted(openkoi, f"when: {{contains: {text}, images: 1, after: 1}}\n    says: Kiku.\n")
    result = openkoi("acme", "Name the fish", "--history", "--parts", "photo,notes,paper")

    assert "Kiku." == last_line(result)["text"], result.stderr
    log = b"".join(path.read_bytes() for path in list_segments(openkoi.home / "data" / "sessions"))
    assert 3 == len(blobs(openkoi))
    assert b"hunter2-hunter2" not in b"".join([log, *(path.read_bytes() for path in blobs(openkoi))])
    assert max(map(len, log.splitlines())) < 20_000


def test_a_tool_shows_an_image_which_lies_beside_the_log(openkoi: Shell) -> None:
    scripted(
        openkoi,
        "when: {contains: [A photo., Of the pond, '[image/png]'], images: 1, after: 1}\n    says: I see it.\n",
        "when: {contains: Look, images: 0}\n    calls: [{tool: shoot, arguments: {}}]\n",
    )
    assert "I see it." == last_line(openkoi("acme", "Look"))["text"]

    (finished,) = [one.event.result for one in records(openkoi) if isinstance(one.event, events.ToolCallFinished)]
    assert isinstance(finished, ToolResult)
    image = finished.parts[1]
    assert isinstance(image, Image)
    assert isinstance(image.content, Blob)
    assert [image.content.path] == blobs(openkoi)
    assert image.data.startswith(b"\x89PNG")


def test_a_killed_task_goes_on_with_all_that_it_was_shown(openkoi: Shell) -> None:
    scripted(
        openkoi,
        "when: {contains: [I own a pond., Kiku, It works again.], images: 2}\n    says: Done.\n",
        "when: {contains: Go on, images: 1, after: 1}\n    calls: [{tool: die, arguments: {}}]\n",
    )
    assert 9 == openkoi("acme", "Go on", "--history", "--parts", "photo,notes").returncode

    assert "Done.\n" == openkoi("resume").stdout


def test_an_image_that_the_log_has_lost_costs_only_itself(openkoi: Shell) -> None:
    scripted(
        openkoi,
        "when: {contains: [Kiku, it is missing from the run log, It works again.], images: 1}\n    says: Done.\n",
        "when: {contains: Go on, images: 1, after: 1}\n    calls: [{tool: die, arguments: {}}]\n",
    )
    assert 9 == openkoi("acme", "Go on", "--history", "--parts", "photo,notes").returncode
    next(path for path in blobs(openkoi) if path.read_bytes().startswith(b"\x89PNG")).unlink()
    result = openkoi("resume")

    assert "Done.\n" == result.stdout, result.stderr
    assert 1 == result.stderr.count("which the run log refers to, cannot be read")


def test_a_fork_is_shown_what_the_task_was_shown(openkoi: Shell) -> None:
    turn = "when: {contains: [I own a pond., Kiku], images: 1, after: 1}\n    says: Kiku.\n    repeat: true\n"
    scripted(openkoi, turn)
    result = openkoi("acme", "Name the fish", "--history", "--parts", "photo,notes")
    run = json.loads(result.stdout.splitlines()[0])["id"]
    forked = openkoi("fork", run, "--at", "1")

    assert "Kiku.\n" == forked.stdout, forked.stderr


def test_a_model_that_sees_no_images_is_told_so_and_so_is_the_user_once(openkoi: Shell) -> None:
    scripted(
        openkoi,
        "when: {contains: [does not support images, Kiku, A photo.], images: 0, after: 1}\n    says: Blind.\n",
        "when: {contains: Look}\n    calls: [{tool: shoot, arguments: {}}]\n",
        head="can: [tools]\n",
    )
    reply = last_line(openkoi("acme", "Look", "--parts", "photo,notes"))

    assert "Blind." == reply["text"]
    remedy = "so a note was sent instead of the image. To send the image, choose another model with -m."
    warned = reply["warned"]
    assert isinstance(warned, list)
    assert 1 == warned.count(f"scripted/script.yaml does not support images, {remedy}")


def test_images_go_first_when_a_conversation_becomes_too_long(openkoi: Shell) -> None:
    scripted(
        openkoi,
        "when: {contains: was removed to shorten the conversation, images: 1}\n    says: Enough.\n",
        "when: {contains: Look}\n" + CALL % "shoot",
        head="context: 9000\noutput: 500\n",
    )
    result = openkoi("acme", "Look")

    assert "Enough." == last_line(result)["text"], result.stderr
    (compacted,) = [one.event for one in records(openkoi) if isinstance(one.event, events.HistoryCompacted)]
    assert (0, {}) == (compacted.turns, compacted.tools)
    assert compacted.media >= 3
    assert compacted.after < compacted.before / 2


def test_what_cannot_be_sent_is_said_before_anything_begins(openkoi: Shell) -> None:
    scripted(openkoi)
    result = openkoi("acme", "Look", "--parts", "large")

    assert 2 == result.returncode
    assert "The task cannot start: an image (image/png) is 5.0 MB; the limit is 5.0 MB." in result.stderr
    assert [] == blobs(openkoi)


UNANSWERED = "Not run: this needs the user's approval, and no answer was given."


@pytest.mark.parametrize(
    ("answer", "heard"), [("yes", "It was sent."), ("no", "Rejected: the user refused"), ("", UNANSWERED)]
)
def test_a_call_by_a_plugin_is_asked_about_like_any_other(openkoi: Shell, answer: str, heard: str) -> None:
    scripted(openkoi, "when: {contains: Call send, after: 0}\n    says: Fine.\n")
    reply = last_line(openkoi("acme", "Call send", "--answer", answer))

    sent = answer == "yes"
    assert ("Fine.", heard) == (reply["text"], (openkoi.folder / "heard").read_text())
    assert sent is (openkoi.folder / "sent").exists()
    assert (["send"] if sent else [], [heard], 0) == (reply["begun"], reply["ended"], reply["listed"])


@pytest.mark.parametrize(
    ("command", "answer", "left"),
    [("rm -rf fish", "yes", False), ("rm -rf fish", "no", True), ("rm -rf ~", "yes", True)],
)
def test_the_guard_judges_a_plugin_as_it_judges_a_model(openkoi: Shell, command: str, answer: str, left: bool) -> None:
    (openkoi.folder / "fish").mkdir()
    (openkoi.folder / "fish" / "kiku.txt").write_text("orange")
    scripted(openkoi, "when: {contains: Call run_command}\n    says: Fine.\n")
    reply = last_line(openkoi("acme", f"Call run_command: {command}", "--answer", answer))

    assert left is (openkoi.folder / "fish").exists()
    assert ([] if left else ["run_command"]) == reply["begun"]
    assert left is str(reply["ended"]).startswith("['Rejected")


def test_a_call_of_no_tool_says_so(openkoi: Shell) -> None:
    scripted(openkoi, "when: {contains: Call sned}\n    says: Fine.\n")
    reply = last_line(openkoi("acme", "Call sned"))

    assert "Unknown tool 'sned'." in str(reply["ended"])
    assert "Did you mean send?" in str(reply["ended"])


def test_calls_that_call_for_ever_end(openkoi: Shell) -> None:
    scripted(
        openkoi,
        "when: {contains: [Circle, A photo.]}\n    says: Fine.\n",
        "when: {contains: Circle}\n    calls: [{tool: shoot, arguments: {}}]\n",
    )
    reply = last_line(openkoi("acme", "Circle"))

    assert "Fine." == reply["text"]
    assert ["shoot"] * 8 == reply["begun"]


def test_what_a_plugin_called_is_not_called_again_after_a_kill(openkoi: Shell) -> None:
    scripted(
        openkoi,
        "when: {contains: It works again.}\n    says: Done.\n",
        "when: {contains: Call send}\n    calls: [{tool: die, arguments: {}}]\n",
    )
    assert 9 == openkoi("acme", "Call send", "--answer", "yes").returncode
    (openkoi.folder / "heard").unlink()

    assert "Done.\n" == openkoi("resume").stdout
    assert ["x", "It was sent."] == [(openkoi.folder / name).read_text() for name in ("sent", "heard")]


def test_a_call_that_was_cut_off_is_not_made_again_if_it_may_have_changed_something(openkoi: Shell) -> None:
    scripted(openkoi, "when: {contains: Call break}\n    says: Done.\n")
    assert 9 == openkoi("acme", "Call break", "--answer", "yes").returncode

    assert "Done.\n" == openkoi("resume").stdout
    assert "OpenKoi was interrupted during this call" in (openkoi.folder / "heard").read_text()


def test_the_work_of_an_agent_runner_waits_for_the_user_and_goes_on(openkoi: Shell) -> None:
    scripted(openkoi)
    waiting = openkoi("acme", "Work", "--agent", "sender")
    assert "escalate" == last_line(waiting)["action"], waiting.stderr
    assert not (openkoi.folder / "sent").exists()

    assert 0 == openkoi("approve").returncode
    result = openkoi("resume")
    assert "The tool said: It was sent.\n" == result.stdout, result.stderr
    assert "x" == (openkoi.folder / "sent").read_text()
