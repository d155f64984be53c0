"""Test the content of each table after a run."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Cost, Evaluation, EvaluationMode, Finding, Record, Task
from openkoi_hookspecs.events import (
    ConversationRewound,
    EvaluationFinished,
    IterationFinished,
    RunFailed,
    RunResumed,
    TaskStarted,
    UsageRecorded,
)
from openkoi_testing.contracts.memory_log import build_learning, records_of, run_records, saving_record

RUN = run_records("r1", "Mend the parser", session="s1")
COLUMNS = {
    "sessions": "id channel model_provider model_id created_at updated_at total_tokens total_cost_usd transcript_path",
    "tasks": "id description category session_id final_score iterations decision total_tokens total_cost_usd "
    "created_at completed_at",
    "iteration_cycles": "id task_id iteration score decision input_tokens output_tokens duration_ms created_at",
    "findings": "id cycle_id severity dimension title description location fix resolved_in",
    "learnings": "id type content category confidence source_task reinforced created_at last_used expires_at",
    "skill_effectiveness": "skill_name task_category avg_score sample_count last_used",
    "memory_chunks": "id source text created_at",
    "memory_vec": "id embedding",
    "memory_fts": "scope term doc tf dl",
    "usage_events": "id event_type channel description category skills_used score timestamp day hour day_of_week",
    "usage_patterns": "id pattern_type description frequency trigger_json confidence sample_count first_seen last_seen "
    "proposed_skill status",
    "_migrations": "version name applied_at",
}


def rows(folder: Path, statement: str, *batches: list[Record]) -> list[tuple[Any, ...]]:
    """Ingest records, then query the file."""
    memory = TableMemory(path=folder / "openkoi.db")
    for batch in batches:
        asyncio.run(memory.ingest(batch))
    return memory.file.read(lambda connection: connection.execute(statement).fetchall()) or []


@pytest.fixture(scope="module")
def of_a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose file contains one run and is not written to."""
    folder = tmp_path_factory.mktemp("run")
    rows(folder, "FROM tasks", RUN)
    return folder


@pytest.mark.row("MEM-03")
def test_tables_have_the_documented_columns(of_a_run: Path) -> None:
    statement = """SELECT table_name, string_agg(column_name, ' ' ORDER BY column_index) FROM duckdb_columns()
        WHERE database_name = 'koi' GROUP BY ALL"""

    assert COLUMNS.items() <= dict(rows(of_a_run, statement)).items()


@pytest.mark.row("MEM-03")
def test_three_indexes_stand_on_their_columns_and_there_are_no_foreign_keys(of_a_run: Path) -> None:
    statement = """SELECT index_name, table_name, regexp_replace(expressions, '[^a-z]', '', 'g'), is_unique
        FROM duckdb_indexes() ORDER BY 1"""

    found = rows(of_a_run, statement)

    assert [
        ("idx_events_day", "usage_events", "day", False),
        ("idx_learnings_type", "learnings", "type", False),
        ("idx_tasks_category", "tasks", "category", False),
    ] == found
    assert [] == rows(of_a_run, "FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'")


@pytest.mark.row("MEM-03")
def test_an_iteration_of_a_task_and_a_skill_in_a_category_stand_once(of_a_run: Path) -> None:
    statement = """SELECT table_name, constraint_type, constraint_column_names FROM duckdb_constraints()
        WHERE database_name = 'koi' AND constraint_type IN ('PRIMARY KEY', 'UNIQUE')"""

    found = {(table, kind, *columns) for table, kind, columns in rows(of_a_run, statement)}

    assert {("iteration_cycles", "UNIQUE", "task_id", "iteration")} == {one for one in found if one[1] == "UNIQUE"}
    assert ("skill_effectiveness", "PRIMARY KEY", "skill_name", "task_category") in found
    with_id = {table for table, columns in COLUMNS.items() if columns.split()[0] == "id"}
    assert {(table, "PRIMARY KEY", "id") for table in with_id} <= found


@pytest.mark.row("MEM-03")
@pytest.mark.parametrize(
    "twice",
    [
        "INSERT INTO iteration_cycles VALUES ('other', 'r1', 0, 0.1, 'accept', 1, 1, 1, 'now')",
        "INSERT INTO skill_effectiveness VALUES ('python', 'code', 0.1, 1, 'now')",
    ],
)
def test_a_second_row_for_the_same_is_refused(of_a_run: Path, twice: str) -> None:
    import duckdb

    with duckdb.connect(of_a_run / "openkoi.db") as client, pytest.raises(duckdb.ConstraintException):
        client.execute(twice)


@pytest.mark.row("MEM-03")
def test_full_text_search_leads_from_a_word_to_the_text_of_a_chunk(of_a_run: Path) -> None:
    """``memory_fts`` replaces an FTS5 table over ``memory_chunks``, which DuckDB lacks, and gives the same answers."""
    statement = """SELECT text FROM memory_fts JOIN documents USING (doc) JOIN memory_chunks USING (id)
        WHERE term = 'parser'"""

    ((text,),) = rows(of_a_run, statement)

    assert str(text).startswith("Mend the parser")


@pytest.mark.row("MEM-03")
def test_what_is_not_given_has_the_documented_default(of_a_run: Path) -> None:
    statement = """SELECT table_name || '.' || column_name, column_default FROM duckdb_columns()
        WHERE database_name = 'koi' AND column_default IS NOT NULL"""

    assert {
        "sessions.total_tokens": "0",
        "sessions.total_cost_usd": "0.0",
        "learnings.reinforced": "0",
        "usage_patterns.status": "'detected'",
    } == dict(rows(of_a_run, statement))


@pytest.mark.row("MEM-06")
def test_a_task_ends_with_its_result(tmp_path: Path) -> None:
    expected = ("r1", "Mend the parser", "code", "s1", 0.9, 2, "accept", 330, 0.02, RUN[0].at, RUN[12].at)

    assert [expected] == rows(tmp_path, "FROM tasks", RUN)


def test_a_task_under_way_has_no_end(tmp_path: Path) -> None:
    statement = "SELECT final_score, decision, completed_at, total_tokens, iterations FROM tasks"

    assert [(None, None, None, 150, 1)] == rows(tmp_path, statement, RUN[:7])


@pytest.mark.parametrize(("reason", "reply"), [("no model answered", "failed"), ("interrupted", "interrupted")])
def test_a_task_without_a_result_says_why(tmp_path: Path, reason: str, reply: str) -> None:
    records = records_of("r1", [TaskStarted(Task("Mend")), RunFailed(reason)])

    assert [(reply, None)] == rows(tmp_path, "SELECT decision, completed_at FROM tasks", records)


@pytest.mark.row("MEM-16")
def test_a_session_sums_up_its_runs(tmp_path: Path) -> None:
    late = run_records("r2", "Paint", session="s1", start=600)
    expected = ("s1", "cli", "acme", "large", RUN[0].at, late[13].at, 660, 0.04, "sessions/s1.jsonl")

    assert [expected] == rows(tmp_path, "FROM sessions", late, RUN)


@pytest.mark.row("C65")
def test_iterations_count_from_zero(tmp_path: Path) -> None:
    first = ("r1:0", "r1", 0, 0.4, "continue", 100, 50, 2000, RUN[5].at)
    second = ("r1:1", "r1", 1, 0.9, "accept", 120, 60, 3000, RUN[10].at)

    assert [first, second] == rows(tmp_path, "FROM iteration_cycles ORDER BY iteration", RUN)


@pytest.mark.row("MEM-04", "C53")
def test_findings_are_numbered_through_the_task_and_point_to_the_cycle_that_no_longer_had_them(tmp_path: Path) -> None:
    statement = "SELECT id, cycle_id, severity, dimension, location, resolved_in FROM findings ORDER BY id"

    assert [
        ("r1:0:F1", "r1:0", "blocker", "correctness", "mean.py:4", "r1:1"),
        ("r1:0:F2", "r1:0", "suggestion", "tests", "tests/test_it.py:3", None),
    ] == rows(tmp_path, statement, RUN)


def test_a_finding_that_comes_back_is_a_new_one(tmp_path: Path) -> None:
    records = judged(Evaluation(findings=(Finding("Slow"),)), Evaluation(), Evaluation(findings=(Finding("Slow"),)))

    found = rows(tmp_path, "SELECT id, resolved_in FROM findings ORDER BY id", records)

    assert [("r1:0:F1", "r1:1"), ("r1:2:F2", None)] == found


@pytest.mark.parametrize(
    "silent", [Evaluation(unavailable_reason="the judge did not answer"), Evaluation(mode=EvaluationMode.SKIPPED)]
)
def test_nothing_is_resolved_when_nobody_looked(tmp_path: Path, silent: Evaluation) -> None:
    records = judged(Evaluation(findings=(Finding("Slow"),)), silent)

    assert [("r1:0:F1", None)] == rows(tmp_path, "SELECT id, resolved_in FROM findings", records)


def judged(*evaluations: Evaluation) -> list[Record]:
    """Return a run with one iteration per evaluation."""
    pairs = [
        (EvaluationFinished(evaluation), IterationFinished(n, 0.5, Cost())) for n, evaluation in enumerate(evaluations)
    ]
    return records_of("r1", [TaskStarted(Task("Mend")), *(event for pair in pairs for event in pair)])


@pytest.mark.row("C54", "MEM-12", "MEM-13")
def test_a_learning_has_the_figures_that_were_saved_last(tmp_path: Path) -> None:
    fresh = build_learning("L1", confidence=0.6, expires_at="2026-10-13T09:00:20Z")
    helped = {"confidence": 0.75, "last_used": "2026-03-02T09:00:22.000000Z", "expires_at": "2026-12-11T09:00:22Z"}
    saves = [
        saving_record(fresh, "r1", start=20.0),
        saving_record(build_learning("L1", shown=4, helpful=2, **helped), "r1", start=22.0),
    ]
    statement = "SELECT category, confidence, source_task, reinforced, created_at, last_used, expires_at FROM learnings"

    assert [("code", 0.6, "r1", 0, saves[0].at, None, fresh.expires_at)] == rows(
        tmp_path / "a", statement, saves[:1], RUN
    )
    assert [("code", 0.75, "r1", 2, saves[0].at, helped["last_used"], helped["expires_at"])] == rows(
        tmp_path / "b", statement, saves, RUN
    )


def test_what_people_did_is_kept_with_the_day_and_hour(tmp_path: Path) -> None:
    expected = (RUN[13].id, "Task", "cli", "Mend the parser", "code", '["python"]', 0.9, RUN[13].at, "2026-03-02", 9, 1)

    assert [expected] == rows(tmp_path, "FROM usage_events", RUN, RUN)


@pytest.mark.row("MEM-03")
def test_what_was_asked_for_again_on_three_days_is_a_pattern_and_a_burst_is_none(tmp_path: Path) -> None:
    day = 86_400.0
    habit = [
        one for n in range(4) for one in records_of(f"h{n}", [UsageRecorded("Task", "Read the news")], start=n * day)
    ]
    burst = [one for n in range(7) for one in records_of(f"b{n}", [UsageRecorded("Task", "Try again")], start=n)]

    found = rows(tmp_path, "SELECT description, frequency, sample_count, status FROM usage_patterns", habit + burst)

    assert [("Read the news", "4 times on 4 days", 4, "detected")] == found


def test_a_rewound_message_is_not_a_habit_until_it_is_back(tmp_path: Path) -> None:
    asked = UsageRecorded("Task", "Read the news")
    days = [records_of(f"n{day}", [asked], start=day * 86400) for day in (0, 1, 3)]
    ends = [ConversationRewound("n2"), ConversationRewound("n2", undone=True), ConversationRewound("n2"), RunResumed()]
    first, *later = records_of("n2", [asked, *ends], start=2 * 86400)
    habit = [first, *(one for records in days for one in records)]
    statement = "SELECT sample_count FROM usage_patterns"

    assert [[(4,)], [(3,)], [(4,)], [(3,)], [(4,)]] == [
        rows(tmp_path / str(count), statement, habit, later[:count]) for count in range(5)
    ]
    assert [(3,)] == rows(tmp_path / "back", statement, later[:1], habit)


def test_skills_are_averaged_over_what_was_judged(tmp_path: Path) -> None:
    events = [
        UsageRecorded("Task", "x", category="code", skills=("git", "sql"), score=score) for score in (0.5, None, 1.0)
    ]
    records = records_of("r1", list(events))

    found = rows(tmp_path, "FROM skill_effectiveness ORDER BY 1", records[:1], records[1:])

    assert [(skill, "code", 0.75, 2, records[2].at) for skill in ("git", "sql")] == found


@pytest.mark.row("MEM-15")
def test_other_clients_can_read_the_file_and_older_ones_too(tmp_path: Path) -> None:
    import duckdb

    asyncio.run(TableMemory(path=tmp_path / "openkoi.db").ingest(RUN))

    with duckdb.connect(tmp_path / "openkoi.db", read_only=True) as client:
        assert [("Mend the parser",)] == client.execute("SELECT description FROM tasks").fetchall()
        tags = client.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'openkoi'").fetchall()
    assert "v1.2" in str(tags)
