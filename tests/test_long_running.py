"""A program on the public contract alone that has many tasks under way: it begins, hears, speaks to and stops them."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

DAEMON = '''
import asyncio
import json
import click
from openkoi_hookspecs import Koi, KoiError, Learning, RunStoppedError, Task, events, hookimpl


@hookimpl
async def before_learn(result):
    await asyncio.sleep(0.2)
    return [Learning(result.run, "fact", f"learned from {result.text}")]


def heard(records, kind, run):
    return [one.event for one in records if one.run == run and isinstance(one.event, kind)]


@click.command()
@click.argument("folders", nargs=-1)
@click.pass_obj
async def daemon(koi: Koi, folders) -> None:
    """Do three tasks at once; with folders, tell the limits that bind a task there."""
    records = []
    stop_listening = koi.listen(records.append)
    if folders:
        found = [await koi.solve(Task("Plain", workspace=folder)) for folder in folders]
        click.echo(json.dumps([one.task.limits.iterations for one in found]))
        return
    koi.listen(lambda record: 1 / 0)
    plain, steered, stopped = (koi.begin(Task(text)) for text in ("Plain", "Steer", "Linger"))
    while not all(heard(records, events.ToolCallStarted, one.id) for one in (steered, stopped)):
        await asyncio.sleep(0.01)
    steered.say("Mention the carp")
    stopped.stop()
    try:
        ended = (await stopped.result()).text
    except RunStoppedError as error:
        ended = str(error)
    texts = [(await one.result()).text for one in (plain, steered)]
    try:
        plain.say("Too late")
    except KoiError as error:
        late = str(error)
    await koi.drain()
    stop_listening()
    told = len(records)
    again = await koi.begin(Task("Plain")).result()
    said = [one for one in heard(records, events.MessageAdded, steered.id) if one.from_user]
    click.echo(json.dumps({
        "texts": texts,
        "ended": ended,
        "late": late,
        "unheard": told == len(records),
        "ids": [(await plain.result()).run == plain.id, again.run != plain.id],
        "said": [event.message.parts[-1].text for event in said],
        "failed": [event.reason for event in heard(records, events.RunFailed, stopped.id)],
        "warned": [one.event.text for one in records if isinstance(one.event, events.WarningIssued)],
        "learned": sorted(one.event.learning.text for one in records if isinstance(one.event, events.LearningSaved)),
    }))
    koi.begin(Task("Linger"))
'''
SLOW = "    calls: [{tool: run_command, arguments: {command: sleep %s}}]\n    repeat: true\n"
TURNS = (
    "  - when: {contains: Plain}\n    says: Plain.\n    repeat: true\n"
    "  - when: {contains: Steer, after: 0}\n" + SLOW % 1 + "  - when: {contains: [Steer, Mention the carp]}\n"
    "    says: Carp.\n    repeat: true\n"
    "  - when: {contains: Steer}\n    says: Nothing was said.\n    repeat: true\n"
    "  - when: {contains: Linger}\n" + SLOW % 60
)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A daemon is installed, and no judge is."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(
        '[evaluators.judge]\nenabled = false\n[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n'
        "[iteration]\nmax_iterations = 2\n"
    )
    model = write_script(openkoi.folder, TURNS)
    return openkoi.with_plugin(DAEMON, commands="acme:daemon", hooks="acme").with_environment(OPENKOI_MODEL=model)


def test_a_daemon_does_three_tasks_speaks_to_one_and_stops_one(openkoi: Shell) -> None:
    result = openkoi("acme")
    reply = json.loads(result.stdout)

    assert ["Plain.", "Carp."] == reply["texts"], result.stderr
    assert ["Mention the carp"] == reply["said"]
    assert "was stopped. To resume it, run `openkoi resume" in reply["ended"]
    assert ["interrupted"] == reply["failed"]
    assert "has ended, so no message can be added" in reply["late"]
    assert {"learned from Carp.", "learned from Plain."} == set(reply["learned"])
    assert ([True, True], True) == (reply["ids"], reply["unheard"])
    assert 1 == sum("failed: ZeroDivisionError" in text for text in reply["warned"])
    assert "never retrieved" not in result.stderr
    assert "Traceback" not in result.stderr


def test_a_task_without_limits_is_bound_by_those_of_its_folder(openkoi: Shell, tmp_path: Path) -> None:
    (tmp_path / "tight" / ".openkoi").mkdir(parents=True)
    (tmp_path / "tight" / ".openkoi" / "config.toml").write_text("[iteration]\nmax_iterations = 1\n")
    result = openkoi("acme", str(openkoi.folder), str(tmp_path / "tight"))

    assert [2, 1] == json.loads(result.stdout), result.stderr


SHOWING = """
import json

import click
from openkoi_hookspecs import Koi, Task, events


@click.command()
@click.argument("folder")
@click.pass_obj
async def showing(koi: Koi, folder: str) -> None:
    '''Do a task in another folder and one here, and show what their tools returned.'''
    calls = []
    koi.listen(lambda record: calls.append(record) if isinstance(record.event, events.ToolCallFinished) else None)
    for task in (Task("Look", workspace=folder), Task("Look")):
        await koi.begin(task).result()
    click.echo(json.dumps([record.event.result.text for record in calls]))
"""


def test_a_task_in_another_folder_uses_the_tools_as_they_are_configured_there(tmp_path: Path) -> None:
    openkoi = shell(tmp_path).with_plugin(SHOWING, commands="acme:showing")
    (tmp_path / "other" / ".openkoi").mkdir(parents=True)
    (tmp_path / "other" / ".openkoi" / "config.toml").write_text("[tools.workspace]\nmax_result_kb = 2\n")
    for folder in (openkoi.folder, tmp_path / "other"):
        (folder / "long.txt").write_text("".join(f"line {n} of many in this file\n" for n in range(2_000)))
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text("[iteration]\nmax_iterations = 0\n")
    calls = "  - {when: {after: 0}, calls: [{tool: read_file, arguments: {path: long.txt}}]}\n"
    model = write_script(tmp_path, calls + "  - {says: Seen., repeat: true}\n")
    result = openkoi.with_environment(OPENKOI_MODEL=f"scripted/{tmp_path / Path(model).name}")(
        "acme", str(tmp_path / "other")
    )

    there, here = json.loads(result.stdout)
    assert len(there) < 4_000 < len(here), result.stderr


BUSY = """
import json
from pathlib import Path

import click
from openkoi_hookspecs import Koi, Task, events


@click.command()
@click.pass_obj
async def busy(koi: Koi) -> None:
    '''Do tasks in sessions of their own for a long time.'''
    warned = []
    kind = events.WarningIssued
    koi.listen(lambda record: warned.append(record.event.text) if isinstance(record.event, kind) else None)
    for n in range(8):
        await koi.solve(Task("Plain", session=f"day-{n}"))
        await koi.drain()
    data = koi.folder("sessions").parent
    files = [sorted(path.name for path in (data / name).glob("day-*")) for name in ("sessions", "archive")]
    click.echo(json.dumps([*files, warned, len(koi.runs())]))
"""


def test_the_log_is_kept_within_its_limit_while_a_program_lives(tmp_path: Path) -> None:
    openkoi = shell(tmp_path).with_plugin(BUSY, commands="acme:busy")
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(
        "[evaluators.judge]\nenabled = false\n[iteration]\nmax_iterations = 0\n[use]\nmemory = 'sqlite'\n"
        "[memory]\nmax_storage_mb = 0.02\n[hooks.storage]\nseconds = 0.0\n"
    )
    model = write_script(tmp_path, "  - {says: Plain., repeat: true}\n")
    result = openkoi.with_environment(OPENKOI_MODEL=f"scripted/{tmp_path / Path(model).name}")("acme")
    written, archived, warnings, runs = json.loads(result.stdout)

    assert [True, True] == [len(archived) > 0, len(written) < 8], result.stderr
    assert 8 == runs == len(written) + len(archived)
    assert any("Archived " in text and "of the log, the oldest first" in text for text in warnings)
