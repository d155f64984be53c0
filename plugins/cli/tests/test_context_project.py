"""A task that is about to be run belongs where a run in this folder would put it, also before the first one."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from openkoi_cli.context.command import context
from openkoi_cli.context.from_log import Sessions
from openkoi_hookspecs import Hit, Learning, Query, Recall, Record, Run, Section, Task, hookimpl
from openkoi_testing import Scenario


class Shopkeeper:
    """A memory that knows something of one project alone."""

    async def ingest(self, records: Sequence[Record]) -> None:
        """Take nothing in."""

    async def search(self, query: Query) -> Sequence[Hit]:
        return [Hit(Learning("L1", "heuristic", "The till sticks."), 1.0)] if query.project == "shop" else []


class Kind:
    """A hook that tells what kind of task it was given."""

    @hookimpl
    def before_plan(self, task: Task, recall: Recall, run: Run) -> Sequence[Section]:
        return [Section(f"kind {task.category}", "It is.")]


def named(folder: Path, text: str = "shop\n") -> Path:
    (folder / ".openkoi").mkdir(parents=True)
    (folder / ".openkoi" / "project").write_text(text)
    return folder


def test_what_is_known_of_a_project_is_shown_before_the_first_task_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(named(tmp_path / "fresh"))
    stage = Scenario(
        memory=Shopkeeper(), plugins={"kind": Kind()}, others={"contexts": {"log": Sessions(tmp_path / "sessions")}}
    )
    koi = stage.build_app(tmp_path / "fresh", tmp_path / "home")

    report = CliRunner().invoke(context, ["fix", "the", "bug"], obj=koi, catch_exceptions=False).output

    assert "learned" in report
    assert "kind bugfix" in report
