"""Build the tables of an export from records."""

from collections.abc import Iterable, Iterator

from openkoi_hookspecs import Record, events
from openkoi_runlog import FindingView, IterationView, RunView
from openkoi_runlog.report.charges import LogCharges

from .rows import CostRow, ExportTables, FindingRow, IterationRow, LearningRow, TaskRow


def build_tables(records: Iterable[Record]) -> ExportTables:
    """Build the tables from records in the order of the log."""
    views: dict[str, RunView] = {}
    learned: dict[str, LearningRow] = {}
    charges_of_log = LogCharges()
    for record in records:
        charges_of_log.add_record(record)
        if isinstance(record.event, events.TaskStarted):
            views.setdefault(record.run, RunView())
        if isinstance(record.event, events.LearningSaved):
            keep_latest(learned, make_learning_row(record, record.event))
        if view := views.get(record.run):
            view.take(record)
    return ExportTables(
        tasks=[make_task_row(view) for view in views.values()],
        iterations=[make_iteration_row(view.run, one) for view in views.values() for one in view.ended_iterations],
        findings=[make_finding_row(view.run, one) for view in views.values() for one in view.findings],
        learnings=list(learned.values()),
        costs=list(make_cost_rows(charges_of_log)),
    )


def make_task_row(view: RunView) -> TaskRow:
    """Return a task's row."""
    task = view.task
    return TaskRow(
        id=view.run,
        parent=task.parent,
        session=task.session,
        project=task.project,
        category=task.category,
        channel=task.channel,
        model=view.started.model if view.started else "",
        text=task.text,
        started=view.at,
        ended=view.ended_at,
        decision=view.decision,
        reason=view.reason,
        score=view.final_score,
        iterations=view.completed.iterations if view.completed else len(view.ended_iterations),
        tokens=view.cost.tokens,
        usd=view.cost.usd,
    )


def keep_latest(learned: dict[str, LearningRow], row: LearningRow) -> None:
    """Keep a learning's last saved version."""
    before = learned.get(row.id)
    if before is None or before.saved <= row.saved:
        learned[row.id] = row


def make_learning_row(record: Record, event: events.LearningSaved) -> LearningRow:
    """Return a learning's row."""
    one = event.learning
    return LearningRow(
        id=one.id,
        kind=one.kind,
        text=one.text,
        keys=one.keys,
        scope=one.scope,
        origin=one.origin,
        standing=str(one.status),
        shown=one.shown,
        helpful=one.helpful,
        harmful=one.harmful,
        confidence=one.confidence,
        last_used=one.last_used,
        expires_at=one.expires_at,
        quoted=one.untrusted,
        superseded_by=one.superseded_by,
        evidence=one.evidence,
        task=record.run,
        saved=record.at,
    )


def make_iteration_row(run: str, one: IterationView) -> IterationRow:
    """Return an iteration's row."""
    return IterationRow(
        task=run,
        iteration=one.number,
        score=one.score,
        decision=str(one.decision.action) if one.decision else "",
        reason=one.decision.reason if one.decision else "",
        evaluation=str(one.mode),
        tokens=one.cost.tokens,
        usd=one.cost.usd,
        seconds=one.cost.seconds,
        ended=one.at,
    )


def make_finding_row(run: str, one: FindingView) -> FindingRow:
    """Return a finding's row."""
    finding = one.finding
    return FindingRow(
        task=run,
        iteration=one.found,
        severity=str(finding.severity),
        rule=finding.rule,
        title=finding.title,
        location=finding.where,
        detail=finding.detail,
        fix=finding.fix,
        resolved_in=one.resolved,
    )


def make_cost_rows(charges_of_log: LogCharges) -> Iterator[CostRow]:
    """Yield a row for each paid call; records that a fork copied are not charged again."""
    for task, ledger in charges_of_log.by_task.items():
        for charge in ledger.charges:
            usage = charge.cost.usage
            yield CostRow(
                task=task,
                at=charge.at,
                model=charge.model,
                phase=str(charge.phase),
                input=usage.input,
                output=usage.output,
                cache_read=usage.cache_read,
                cache_write=usage.cache_write,
                usd=charge.cost.usd,
            )
