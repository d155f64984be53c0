"""Read from the log what a run had read and was shown, to determine the origin of its words."""

from dataclasses import field
from pathlib import Path

from openkoi_hookspecs import Learning, Recall, Record, ToolCall, ToolResult, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_prompt import MEMORY_SOURCE

from .approved_files import ListConsents, drop_approved
from .log_view import LearningLogView
from .provenance import SourcesRead, is_own_output

SOURCE_EVENTS = (
    events.TaskStarted,
    events.RecallFinished,
    events.PlanReady,
    events.EvaluationFinished,
    events.ToolCallStarted,
    events.ToolCallFinished,
)


@dataclass(slots=True)
class SourceReader:
    """Collects what a run had read. Lines of files that the user approved are the user's, and not a source."""

    log_view: LearningLogView
    list_consents: ListConsents
    workspace: Path = Path()
    calls: dict[str, ToolCall] = field(default_factory=dict)
    own: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    recalled: list[str] = field(default_factory=list)
    evaluated: list[int] = field(default_factory=list)

    def read(self, run: str, session: str, *, follow_up: bool = False) -> SourcesRead:
        """Return what a run of a session had read; of a follow-up, also what the earlier runs had read."""
        earlier = SourceReader(self.log_view, self.list_consents).read("", session).foreign if follow_up else ()
        for record in self.log_view.records_of(SOURCE_EVENTS, run, session):
            self.apply(record)
        own, foreign, recalled = (tuple(some) for some in (self.own, self.foreign, self.recalled))
        return SourcesRead(own, foreign, recalled, earlier, evaluated=tuple(self.evaluated))

    def apply(self, record: Record) -> None:
        """Apply one record."""
        match record.event:
            case events.TaskStarted(task=task, workspace=folder):
                self.workspace = Path(folder or task.workspace)
                self.own.append(task.context)
            case events.RecallFinished(recall=recall):
                self.apply_recall(recall)
            case events.PlanReady(plan=plan):
                given = (one for one in plan.sections if one.source != MEMORY_SOURCE)
                self.own += [one.text for one in given if one.untrusted]
            case events.EvaluationFinished(evaluation=evaluation):
                self.own.append(evaluation.log)
                self.evaluated.append(len(self.own))
            case events.ToolCallStarted(call=call):
                self.calls[call.id] = call
            case events.ToolCallFinished(result=result) if result.text.strip():
                self.apply_result(self.calls.get(result.call, ToolCall("", "", {})), result)

    def apply_recall(self, recall: Recall) -> None:
        """Apply what memory found."""
        memos = [hit.item for hit in recall.hits]
        learned = [memo for memo in memos if isinstance(memo, Learning)]
        self.recalled += [memo.text for memo in learned]
        self.foreign += [memo.text for memo in learned if self.log_view.was_read(memo)]
        self.own += [memo.text for memo in memos if not isinstance(memo, Learning)]

    def apply_result(self, call: ToolCall, result: ToolResult) -> None:
        """Apply the result of a call."""
        if is_own_output(call.tool, str(dict(call.arguments))):
            self.own.append(drop_approved(call, result.text, self.workspace, self.list_consents))
        else:
            self.foreign.append(result.text)
