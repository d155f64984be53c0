"""Run the check of ``openkoi doctor --hooks``, and print what each implementation did."""

import asyncio
from tempfile import TemporaryDirectory
from time import time
from typing import TYPE_CHECKING

import click

from .call_hooks import call_uncalled
from .ignored_hooks import find_ignored_hooks
from .synthetic_home import MODEL, TASK, make_home, make_workspace, use_home
from .table import describe_answer, format_activity

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import HookActivity, OpenedKoi, Record

    from ..invocation import Invocation

OF_PLUGIN = "Plugin "  # how the text of a PluginError begins
FLAGS = {"model": MODEL, "iterate": 1}
Answers = dict[tuple[str, str], str]


def check_hooks(invocation: "Invocation") -> int:
    """Call every hook in a synthetic task; print what happened. Return 1 if an implementation is broken or ignored."""
    from pathlib import Path

    with TemporaryDirectory(prefix="openkoi-hooks-") as name:
        home, folder = make_home(Path(name), invocation.paths), make_workspace(Path(name), Path.cwd())
        invocation.config = ""
        with use_home(home):
            koi = invocation.open(FLAGS, workspace=folder, settings={"providers.scripted.folder": str(home)})
            began = time()
            activity, answers, issues = asyncio.run(run_synthetic_task(koi, folder))
        lines = format_activity(activity, answers, began)
        click.echo(koi.redact("\n".join(lines)))
        for issue in issues:
            click.echo(koi.redact(f"! {issue}"))
    return 1 if issues else 0


async def run_synthetic_task(koi: "OpenedKoi", folder: "Path") -> "tuple[list[HookActivity], Answers, list[str]]":
    """Run the task with the scripted model; call what it did not call; return what each implementation did."""
    from openkoi_hookspecs import Task

    records: list[Record] = []
    koi.listen(records.append)
    koi.attend(decline)
    async with koi:
        task = Task(TASK, workspace=str(folder))
        result = await koi.solve(task)
        await koi.drain()
        answers = await call_uncalled(koi, task, result)
        activity = sorted(koi.hook_activity(), key=lambda one: (one.plugin, one.last))
        ignored = await find_ignored_hooks(koi)
    failures = [text for text in (*koi.warnings(), *logged_warnings(records)) if text.startswith(OF_PLUGIN)]
    issues = [*failures, *ignored, *explain_uncalled(activity)]
    return activity, logged_answers(records) | answers, [*dict.fromkeys(issues)]


async def decline(question: object) -> None:
    """Answer no question: a check asks no user."""


def logged_answers(records: "list[Record]") -> Answers:
    """Return what the run's log says that each implementation returned last."""
    from openkoi_hookspecs.events import HookReturned

    returned = [one.event for one in records if isinstance(one.event, HookReturned)]
    return {(one.hook, one.plugin): describe_answer(one.answer) for one in returned}


def logged_warnings(records: "list[Record]") -> list[str]:
    from openkoi_hookspecs.events import WarningIssued

    return [one.event.text for one in records if isinstance(one.event, WarningIssued)]


def explain_uncalled(activity: "list[HookActivity]") -> list[str]:
    return [f"{one.plugin} implements {one.hook}, which was never called." for one in activity if not one.calls]
