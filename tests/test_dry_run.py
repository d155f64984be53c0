"""A plugin that knows the contract alone asks others what they would add to a task; nothing happens meanwhile."""

import json
from pathlib import Path

from cli_process import shell

ACME = """
import json
import click
from openkoi_hookspecs import (
    Command, Koi, KoiError, LimitExceededError, Message, Question, Request, Section, Task, events, hookimpl, hooks,
)


@hookimpl
async def before_plan(task, run):
    await run.emit(events.WarningIssued("This is not logged."))
    return [Section("kind", f"{task.category} in {run.workspace.name}")]


async def failure(call) -> str:
    try:
        return str(await call)
    except (KoiError, LimitExceededError) as error:
        return str(error)


@click.command()
@click.argument("words")
@click.pass_obj
async def preview(koi: Koi, words: str) -> None:
    run = await koi.dry_run(Task(words))
    added = await run.collect(hooks.before_plan, task=run.task, recall=None, run=run)
    click.echo(json.dumps({
        "sections": [section.text for plugin, sections in added if plugin == "acme" for section in sections],
        "limits": run.limits.iterations,
        "refused": [
            await failure(run.chat(Request([Message.user("hello")]))),
            await failure(run.execute(Command(("rm", "-r", "x")))),
            await failure(run.solve(Task("more"))),
            await failure(run.ask(Question("May I?"))),
        ],
    }))
"""


def test_hooks_are_asked_about_a_task_that_is_not_done(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text("[iteration]\nmax_iterations = 2\n")

    result = openkoi.with_plugin(ACME, commands="acme:preview", hooks="acme")("acme", "fix the bug")
    output = json.loads(result.stdout)

    assert (["bugfix in folder"], 2) == (output["sections"], output["limits"]), result.stderr
    assert [
        "The task's limit was reached: calls.",
        "Not run: rm -r x. A dry run has no effects.",
        "Not run: a sub-task. A dry run has no effects.",
        "None",
    ] == output["refused"]
    assert [] == [path for path in (openkoi.home / "data" / "sessions").glob("*") if path.stat().st_size]
