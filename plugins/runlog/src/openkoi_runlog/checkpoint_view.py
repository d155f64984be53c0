"""The checkpoints of a run, from its records: the current one of its files, and earlier ones.

This is the only place that computes them: undo, redo, fork and resume read them here.
"""

from dataclasses import replace

from openkoi_hookspecs import ExecutionResult, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass

UNDO_EVENTS = (events.RunForked, events.BaselineSaved, events.RunResumed, events.WorkspaceRestored)  # for ``undone``


def checkpoint_of(work: ExecutionResult, origin: str) -> str:
    """Return the checkpoint of the files as this work left them; empty if they were changed and not saved.

    Work that changed nothing left them as they were before the run's first change, which is ``origin``.
    """
    return work.checkpoint or ("" if work.files or work.unseen else origin)


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """The checkpoints of one run's files; each is empty if none was saved.

    ``origin`` is of the files before the first change, ``before`` of what undo restores: of a fork, the files before it
    went back. ``after`` is what redo restores: the files as the run left them, empty if they were not saved. ``last``
    is the last one that was kept, whether or not the run changed files since; ``evaluated`` was kept by the evaluation
    of the last work. ``restored`` is the last undo or redo since the run worked, at ``restored_at`` (ISO 8601).
    """

    origin: str = ""
    before: str = ""
    after: str = ""
    last: str = ""
    evaluated: str = ""
    forked: bool = False
    restored: events.WorkspaceRestored | None = None
    restored_at: str = ""

    @property
    def current(self) -> str:
        """The checkpoint of the files' current state, if it is known."""
        return (self.restored and self.restored.checkpoint) or self.last

    @property
    def undone(self) -> bool:
        """Whether the user's last action was to undo the run; files that others changed may have been left."""
        return self.restored is not None and bool(self.before) and self.restored.checkpoint == self.before

    @property
    def rejected(self) -> bool:
        """Whether the user undid the run because of what it did, rather than to rewind a conversation."""
        return self.undone and not (self.restored and self.restored.rewound)

    def take(self, record: Record) -> "CheckpointView":
        """Return the view after the run's next record."""
        match record.event:
            case events.RunForked(checkpoint=kept):
                return replace(self, before=kept, forked=bool(kept))
            case events.BaselineSaved(checkpoint=kept):
                return self.with_baseline(kept) if kept else self
            case events.ExecutionFinished(work=work):
                return replace(self.as_resumed(), after=work.checkpoint, last=work.checkpoint or self.current)
            case events.EvaluationFinished(checkpoint=kept) if kept:
                return replace(self, evaluated=kept, last=kept)
            case events.RunResumed():
                return self.as_resumed()
            case events.WorkspaceRestored() as restored:
                after = restored.kept or self.after
                last = restored.kept or self.last
                return replace(self, restored=restored, restored_at=record.at, after=after, last=last)
        return self

    def with_baseline(self, checkpoint: str) -> "CheckpointView":
        """Return the view after the files were saved before the first change."""
        before = self.before if self.forked else checkpoint
        return replace(self, origin=checkpoint, before=before, after=checkpoint, last=checkpoint)

    def as_resumed(self) -> "CheckpointView":
        """Return the view after the run was resumed, on the files as undo or redo left them."""
        return replace(self, evaluated="", last=self.current, restored=None, restored_at="")

    def restored_to(self, work: ExecutionResult) -> "CheckpointView":
        """Return the view after the run itself restored the files of an earlier iteration."""
        kept = checkpoint_of(work, self.origin)
        return replace(self, after=kept, last=kept or self.last)

    def ended_with(self, work: ExecutionResult) -> "CheckpointView":
        """Return the view after the run ended with its last iteration."""
        kept = checkpoint_of(work, self.origin)
        return replace(self, after=kept, last=self.evaluated or kept or self.last)
