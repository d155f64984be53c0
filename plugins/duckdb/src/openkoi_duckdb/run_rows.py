"""Build the rows and the memory of one run, independent of the order of its records."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Record
from openkoi_runlog import FindingView, IterationView, RunView, build_view, sort_records
from openkoi_search.documents import is_hidden, text_of_task

from .codec import to_json
from .rows import ChunkRow, CycleRow, FindingRow, OutcomeRow, RunRow, TableRow, TaskRow


def build_run_view(records: Sequence[Record]) -> RunView | None:
    """Read a run's records; return nothing until its first record is known."""
    view = build_view(sort_records(records))
    return view if view.started else None


def make_rows(view: RunView) -> Iterator[TableRow]:
    """Return a run's rows in all tables."""
    yield make_run_row(view)
    yield make_task_row(view)
    for one in view.iterations:
        yield make_cycle_row(view.run, one)
        yield make_outcome_row(view.run, one)
    for found in view.findings:
        yield make_finding_row(view.run, found)
    if view.completed and not is_hidden(view):
        yield ChunkRow(view.run, "task", text_of_task(view), view.completed_at)


def make_run_row(view: RunView) -> RunRow:
    """Return the row that links a run to its session and project."""
    task = view.task
    return RunRow(
        id=view.run,
        session=task.session,
        project=task.project,
        category=task.category,
        parent=task.parent,
        channel=task.channel,
        model=view.started.model if view.started else "",
        created_at=view.at,
        updated_at=view.updated,
        tokens=view.used.tokens,
        usd=view.used.usd,
    )


def make_task_row(view: RunView) -> TaskRow:
    """Return the row of a task and its outcome."""
    task, completed = view.task, view.completed
    return TaskRow(
        id=view.run,
        description=task.text,
        category=task.category,
        session_id=task.session or None,
        final_score=view.final_score,
        iterations=completed.iterations if completed else len(view.ended_iterations),
        decision=view.decision or None,
        total_tokens=view.used.tokens,
        total_cost_usd=view.used.usd,
        created_at=view.at,
        completed_at=view.completed_at or None,
    )


def make_cycle_row(run: str, one: IterationView) -> CycleRow:
    """Return the row of an iteration."""
    usage = one.usage
    return CycleRow(
        id=f"{run}:{one.number}",
        task_id=run,
        iteration=one.number,
        score=one.score,
        decision=str(one.decision.action) if one.decision else "",
        input_tokens=usage.prompt,
        output_tokens=usage.output,
        duration_ms=round(one.cost.seconds * 1000) if one.ended else None,
        created_at=one.at,
    )


def make_outcome_row(run: str, one: IterationView) -> OutcomeRow:
    """Return the results of an iteration, for which ``iteration_cycles`` has no documented columns."""
    return OutcomeRow(
        id=f"{run}:{one.number}",
        phase=one.phase,
        output=one.work.text if one.work else "",
        evaluation=to_json(one.evaluation) if one.evaluation else None,
    )


def make_finding_row(run: str, one: FindingView) -> FindingRow:
    """Return the row of a finding, with the cycle that resolved it."""
    finding, cycle = one.finding, f"{run}:{one.found}"
    return FindingRow(
        id=f"{cycle}:F{one.number}",
        cycle_id=cycle,
        severity=finding.severity,
        dimension=finding.rule,
        title=finding.title,
        description=finding.detail,
        location=finding.where,
        fix=finding.fix,
        resolved_in=None if one.resolved is None else f"{run}:{one.resolved}",
    )
