"""Test that recalled past tasks are held out and withdrawn like entries, by the results with and without them."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import click
import pytest
from click.testing import CliRunner
from learning_builders import COMMAS, green, lesson, red, turn

from openkoi_base.files.project import project_id
from openkoi_hookspecs import Cost, Hit, LearningStatus, Limits, Passage, Recall, Run, Task, events
from openkoi_learning import LearningHook
from openkoi_learning.command import learn
from openkoi_learning.events import EntryUpdated
from openkoi_learning.recalled_tasks import past_tasks_id, past_tasks_of
from openkoi_learning.selection import TaskQuery
from openkoi_learning.state import LearningState
from openkoi_testing import GivenPlugins
from openkoi_testing.gym.hook_learner import LoggedRun, SessionLog

FOUND = Recall((Hit(Passage("p1", "Export the invoices in one file", kind="run"), 1.0),))
RUNS, MAX_SHOWN = 80, 60


async def shows_past(hook: LearningHook, log: SessionLog, number: int, *, harm: bool) -> bool:
    """Do a task that fails at first if harmful past tasks are shown; return whether they were shown."""
    task = Task("Export the invoices", project="pond", session="one")
    run = LoggedRun(f"r{number:04}", task, log)
    await run.emit(events.TaskStarted(task, model="m"))
    recall = await hook.after_recall(FOUND, task, cast(Run, run))  # all of a run that it needs
    shown = any(isinstance(hit.item, Passage) for hit in recall.hits)
    await run.emit(events.RecallFinished(recall))
    bad = [turn(red(COMMAS))] if shown and harm else []
    result = lesson(*bad, turn(green()), task=task).result
    await run.emit(events.RunCompleted(result.decision, Cost()))
    await hook.before_learn(result, cast(Run, run))  # as above
    return shown


def test_past_tasks_that_do_harm_are_withdrawn_and_others_are_not(tmp_path: Path) -> None:
    courses = []
    for name, harm in (("bad", True), ("good", False)):
        (tmp_path / name).mkdir()
        hook, log = LearningHook(sessions=tmp_path / name), SessionLog(tmp_path / name)
        courses.append([asyncio.run(shows_past(hook, log, number, harm=harm)) for number in range(RUNS)])

    bad, good = courses
    assert 0 < sum(bad) <= MAX_SHOWN
    assert not any(bad[MAX_SHOWN:])
    assert any(good[MAX_SHOWN:])
    assert not all(good)


@dataclass(frozen=True)
class Desk(GivenPlugins):
    """The plugins of a workspace, in which ``openkoi learn`` is called."""

    workspace: Path = Path()


APPROVE_OTHERS = click.Command("approve", params=[click.Argument(["name"])])  # what a plugin proposed
OTHERS = SimpleNamespace(actions=click.Group(commands=[APPROVE_OTHERS]))


def learn_command(folder: Path, *words: str) -> str:
    """Run ``openkoi learn`` and so on; return what it prints, or the error."""
    hooks = {"learning": LearningHook(sessions=folder)}
    desk = Desk({"hooks": hooks, "learn": {"others": OTHERS}}, workspace=folder)
    result = CliRunner().invoke(learn, list(words), obj=desk)
    return str(result.exception) if result.exception else result.output


def test_past_tasks_are_an_entry_that_the_user_reviews_archives_restores_and_pins(tmp_path: Path) -> None:
    hook, log = LearningHook(sessions=tmp_path), SessionLog(tmp_path)
    numbers = iter(range(1_000))

    def count_shown(runs: int, *, harm: bool = False) -> int:
        return sum(asyncio.run(shows_past(hook, log, next(numbers), harm=harm)) for _ in range(runs))

    count_shown(RUNS, harm=True)
    id = past_tasks_id("pond")
    assert [LearningStatus.ARCHIVED] == [one.status for _, one in log.learned.values() if one.id == id]
    assert id not in learn_command(tmp_path, "list")
    assert f"{id}  fact: Past tasks of this project" in learn_command(tmp_path, "list", "--all")
    assert "status:    archived, quarantined: it does more harm than good" in learn_command(tmp_path, "why", id)
    assert 0 == count_shown(5)

    assert "Restored" in learn_command(tmp_path, "restore", id)
    assert id in learn_command(tmp_path, "list")
    assert 0 < count_shown(20) <= 20
    assert "nothing to approve" in learn_command(tmp_path, "approve", id)

    assert "Archived" in learn_command(tmp_path, "forget", id)
    assert 0 == count_shown(5)
    assert "Pinned" in learn_command(tmp_path, "pin", id)
    assert RUNS == count_shown(RUNS, harm=True)


def log_past_tasks(folder: Path, project: str) -> None:
    """Log the entry that stands for the past tasks of a project."""
    log, entry = SessionLog(folder), past_tasks_of(LearningState(), TaskQuery(run="", text="", project=project))
    log.write(LoggedRun(project, Task("", session=project[-5:]), log), [EntryUpdated(entry)])


def test_past_tasks_alone_means_those_of_this_project(tmp_path: Path) -> None:
    log_past_tasks(tmp_path, "other")
    assert "No entry named 'past-tasks'" in learn_command(tmp_path, "forget", "past-tasks")

    log_past_tasks(tmp_path, project_id(tmp_path))
    assert f"applies:   project {project_id(tmp_path)}\n" in learn_command(tmp_path, "why", "past-tasks")
    assert "needed:" not in learn_command(tmp_path, "why", "past-tasks")
    assert "Several entries start with 'past-'" in learn_command(tmp_path, "why", "past-")


def test_the_page_of_past_tasks_has_only_facts_that_apply_to_them(tmp_path: Path) -> None:
    log_past_tasks(tmp_path, project_id(tmp_path))

    labels = [line.split()[0] for line in learn_command(tmp_path, "why", "past-tasks").splitlines()[1:]]

    assert ["applies:", "from:", "uplift:", "refuted:"] == labels


@pytest.mark.parametrize("task", [Task("Export", limits=Limits(iterations=0)), Task("Export", parent="r")])
def test_nothing_is_held_out_of_a_run_that_is_not_evaluated(task: Task, tmp_path: Path) -> None:
    hook, log = LearningHook(sessions=tmp_path, withheld=1.0), SessionLog(tmp_path)
    task = replace(task, project="pond", session="one")

    recall = asyncio.run(hook.after_recall(FOUND, task, cast(Run, LoggedRun("r1", task, log))))

    assert ["p1"] == [hit.item.id for hit in recall.hits]


def test_a_run_names_what_it_is_not_shown_to_measure_whether_it_helps(tmp_path: Path) -> None:
    hook, log = LearningHook(sessions=tmp_path, withheld=1.0), SessionLog(tmp_path)
    task = Task("Export the invoices", project="pond", session="one")

    found = replace(FOUND, held_out=["a page"])  # by a hook that was called before
    recall = asyncio.run(hook.after_recall(found, task, cast(Run, LoggedRun("r1", task, log))))

    assert ([], ["a page", "1 similar past task"]) == ([*recall.hits], [*recall.held_out])
