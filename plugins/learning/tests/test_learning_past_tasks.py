"""Test that recalled past tasks are held out and withdrawn like entries, by the results with and without them."""

import asyncio
from pathlib import Path
from typing import cast

from learning_builders import COMMAS, green, lesson, red, turn

from openkoi_hookspecs import Cost, Hit, Passage, Recall, Run, Task, events
from openkoi_learning import LearningHook
from openkoi_testing.gym.hook_learner import LoggedRun, SessionLog

FOUND = Recall((Hit(Passage("p1", "Export the invoices in one file", kind="run"), 1.0),))
RUNS, MAX_SHOWN = 60, 40


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
