"""Run a synthetic task with a scripted model, and report what each implementation of a hook did."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from time import time
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

from ..setting_names import HOOK_DEADLINE
from .call_hooks import call_again
from .ignored_hooks import find_ignored_hooks
from .synthetic_home import MODEL, TASK, make_home, make_workspace, use_home
from .table import describe_answer, format_activity

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import HookActivity, OpenedKoi, Record

    from ..invocation import Invocation

OF_PLUGIN = "Plugin "  # how the text of a PluginError begins
OF_CLASH = " provide hooks "  # two plugins of one name, of which one is not used
FLAGS = {"model": MODEL, "iterate": 1}
PROGRESS = "progress"  # lists which plugin's code runs
Answers = dict[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class HookReport:
    """The lines of a table, and what is wrong."""

    lines: Sequence[str]
    issues: Sequence[str]


def make_report(invocation: "Invocation", folder: "Path", without: Sequence[str]) -> HookReport:
    """Run the synthetic task in a folder, without some plugins (``hooks.NAME``), and return what happened."""
    from pathlib import Path

    from openkoi_base.side_effects.options import DEADLINE, watch_every_call

    home, workspace = make_home(folder, invocation.paths), make_workspace(folder, Path.cwd())
    invocation.config = ""
    settings = {"providers.scripted.folder": str(home), **{f"{name}.enabled": False for name in without}}
    with use_home(home), watch_every_call(folder / PROGRESS) as watch:
        koi = invocation.open(FLAGS, workspace=workspace, settings=settings)
        deadlines = [str(one.value) for one in koi.settings() if one.key == HOOK_DEADLINE]
        watch.note(DEADLINE, *deadlines)
        began = time()
        activity, answers, issues = asyncio.run(run_synthetic_task(koi, workspace))
    seconds = read_seconds(folder / PROGRESS)
    lines = format_activity([replace(one, seconds=seconds[one.plugin, one.hook]) for one in activity], answers, began)
    issues = [koi.redact(issue.replace(str(workspace), str(Path.cwd()))) for issue in issues]
    return HookReport(koi.redact("\n".join(lines)).split("\n"), issues)


def read_seconds(progress: "Path") -> dict[tuple[str, str], float]:
    """Return how long each implementation took, without the time that observing it takes."""
    from openkoi_base.side_effects.options import TOOK

    seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
    for line in progress.read_text(encoding="utf-8").splitlines():
        event, *words = line.split("\t")
        if event == TOOK:
            _, plugin, hook, took = words
            seconds[plugin, hook] += float(took)
    return seconds


async def run_synthetic_task(koi: "OpenedKoi", folder: "Path") -> "tuple[list[HookActivity], Answers, list[str]]":
    """Run the task with the scripted model; call hooks again; return what each implementation did."""
    from openkoi_hookspecs import Task

    records: list[Record] = []
    koi.listen(records.append)
    koi.attend(decline)
    async with koi:
        task = Task(TASK, workspace=str(folder))
        result = await koi.solve(task)
        await koi.drain()
        answers = await call_again(koi, task, result)
        activity = sorted(koi.hook_activity(), key=lambda one: (one.plugin, one.last))
        ignored = await find_ignored_hooks(koi)
    warnings = [*koi.warnings(), *logged_warnings(records)]
    failures = [text for text in warnings if text.startswith(OF_PLUGIN) or OF_CLASH in text]
    issues = [*failures, *ignored, *explain_uncalled(activity)]
    return activity, answers | logged_answers(records), [*dict.fromkeys(issues)]


async def decline(question: object) -> None:
    """Leave every question unanswered: a check does not ask the user."""


def logged_answers(records: "list[Record]") -> Answers:
    """Return each implementation's last result, from the run's log."""
    from openkoi_hookspecs.events import HookReturned

    returned = [one.event for one in records if isinstance(one.event, HookReturned)]
    return {(one.hook, one.plugin): describe_answer(one.answer) for one in returned}


def logged_warnings(records: "list[Record]") -> list[str]:
    from openkoi_hookspecs.events import WarningIssued

    return [one.event.text for one in records if isinstance(one.event, WarningIssued)]


def explain_uncalled(activity: "list[HookActivity]") -> list[str]:
    return [f"{one.plugin} implements {one.hook}, which was never called." for one in activity if not one.calls]
