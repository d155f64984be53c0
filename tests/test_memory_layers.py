"""The five layers of memory over two tasks: where each lives, how long, and that each answers.

Working memory is what a request tells the model, task memory the run's iterations, long-term memory the index and the
tables, episodic memory the run log and the pieces of it that are found, skill memory SKILL.md and how skills did.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest
from memory_tables import query_tables

from openkoi_duckdb import DuckDB
from openkoi_hookspecs import (
    Evaluation,
    ExecutionResult,
    Finding,
    Hit,
    Iteration,
    Query,
    Record,
    Run,
    Score,
    Severity,
    Task,
    Text,
    ToolResult,
)
from openkoi_hookspecs.events import TaskStarted
from openkoi_scripted import Scripted
from openkoi_skills import Skills
from openkoi_testing import Scenario

pytestmark = pytest.mark.row("MEM-05")
SKILL = "---\nname: deploy-pond\ndescription: Deploys the pond\n---\nOpen the sluice before noon.\n"
ASKED = "Use the deploy-pond skill on the northern sluice"
DRAFT = "The northern sluice stands open, and a carp has been sent to look after it."
MENDED = "The northern sluice is open, the carp looks after it, and the gate is locked again."
FINDING = Finding("The gate was left unlocked", Severity.BLOCKER, where="gate.txt:1", fix="Lock the gate")


@dataclass
class Judge:
    """Finds something in the first iteration, and nothing after; notes what the run knew of itself by then."""

    judges: ClassVar[bool] = True

    saw: list[Sequence[Iteration]] = field(default_factory=list)

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Look at the words alone."""
        self.saw.append(tuple(run.iterations))
        found = () if work.text == MENDED else (FINDING,)
        return Evaluation(scores=(Score("care", 0.3 if found else 0.95),), findings=found)


@dataclass
class Pond:
    """A home with a skill, and what two tasks left in it and in the requests."""

    folder: Path
    judge: Judge = field(default_factory=Judge)
    first: Scripted = field(default_factory=lambda: Scripted([DRAFT, "yes", MENDED]))
    second: Scripted = field(default_factory=lambda: Scripted([MENDED]))
    records: Sequence[Record] = ()

    @property
    def data(self) -> Path:
        return self.folder / "home" / "data"

    @property
    def memory(self) -> DuckDB:
        """Long-term memory, as a new process has it."""
        return DuckDB(path=self.data / "openkoi.db")

    async def solve(self, text: str, model: Scripted) -> Sequence[Record]:
        """Do a task like a separate process, then close."""
        stage = Scenario(
            model=model,
            memory=self.memory,
            evaluators={"judge": self.judge},
            plugins={"skills": Skills(data=self.data)},
        )
        async with stage.build_app(self.folder / "work", self.folder / "home") as koi:
            await koi.solve(Task(text))
            await koi.drain()
            await koi.services.memory.update()
            return tuple(koi.records(koi.session))

    def found(self, text: str, kind: str) -> Sequence[Hit]:
        """Return the answers of long-term memory."""
        return asyncio.run(self.memory.search(Query(text, kinds=(kind,), scope="all")))

    def rows(self, statement: str) -> Sequence[tuple[object, ...]]:
        """Return the content of the tables."""
        return query_tables(self.data, statement)


@pytest.fixture(scope="module")
def pond(tmp_path_factory: pytest.TempPathFactory) -> Pond:
    """A home after two tasks."""
    pond = Pond(tmp_path_factory.mktemp("pond"))
    (pond.folder / "work").mkdir()
    skill = pond.data / "skills" / "user" / "deploy-pond" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)
    pond.records = asyncio.run(pond.solve(ASKED, pond.first))
    asyncio.run(pond.solve("Mend the northern sluice", pond.second))
    return pond


def request_text(model: Scripted, call: int) -> str:
    """Return the whole text of a request."""
    request = model.asked[call]
    reply = [part.text for message in request.messages for part in message.parts if isinstance(part, Text | ToolResult)]
    return "\n".join([*request.system, *reply])


def test_working_memory_lives_in_the_request_and_carries_what_was_found_into_the_next_turn(pond: Pond) -> None:
    assert FINDING.title not in request_text(pond.first, 0)
    assert FINDING.title in request_text(pond.first, 2)


def test_task_memory_lives_in_the_run_for_one_task_and_is_flushed_when_it_ends(pond: Pond) -> None:
    before, after, of_another_task = pond.judge.saw

    assert () == before == of_another_task
    assert [0.3] == [one.evaluation.score for one in after if one.evaluation]
    assert [(2, 0.95)] == pond.rows(f"SELECT iterations, final_score FROM tasks WHERE description = '{ASKED}'")


def test_long_term_memory_lives_in_the_file_and_is_told_to_the_next_task(pond: Pond) -> None:
    (hit, *_) = pond.found("northern sluice skill", "task")

    assert (pond.data / "openkoi.db.index").is_dir()
    assert ASKED in hit.item.text
    assert ASKED in request_text(pond.second, 0)


def test_episodic_memory_lives_in_the_log_and_is_found_in_pieces(pond: Pond) -> None:
    sessions = [path.name for path in (pond.data / "sessions").glob("*.jsonl")]

    assert 2 == len(sessions)
    assert {record.segment for record in pond.records} <= set(sessions)
    assert ASKED in {record.event.task.text for record in pond.records if isinstance(record.event, TaskStarted)}
    assert DRAFT in {hit.item.text for hit in pond.found("a carp was sent", "transcript")}


def test_skill_memory_lives_in_its_file_and_in_how_it_did(pond: Pond) -> None:
    assert "Open the sluice before noon." in request_text(pond.first, 0)
    assert "Open the sluice before noon." in request_text(pond.second, 0)
    assert [("deploy-pond", 0.95, 2)] == pond.rows(
        "SELECT skill_name, avg_score, sample_count FROM skill_effectiveness"
    )
