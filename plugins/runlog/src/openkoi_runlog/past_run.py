"""A past run, as the log describes it: its start, its folder, and its models."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from openkoi_hookspecs import Event, KoiError, Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_settings import keys

from .past_tasks import PastTask, find_task, read_task_records

E = TypeVar("E", bound=Event)
MODELS = {key.name for key in (keys.DEFAULT_MODEL, *keys.MODEL_OF.values())}
HAS_ENDED = (
    "Task {id} has ended ({how}), so it cannot be resumed. To view it, run `openkoi replay {id}`; to re-run it "
    "from one of its iterations, run `openkoi fork {id}`."
)
DRY_RUN_PREFIX = "openkoi-dry-run-"


def missing_folder_error(id: str, folder: Path) -> KoiError:
    """Return the error for a task whose folder no longer exists, as after every dry run."""
    if folder.parent.name.startswith(DRY_RUN_PREFIX):
        return KoiError(f"Task {id[:8]} was a dry run: its copy of the folder was deleted. Run the task again.")
    return KoiError(f"Task {id[:8]} ran in {folder}, which no longer exists. Restore that folder, and try again.")


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run with the ``records`` of its whole session."""

    id: str
    model: str
    records: Sequence[Record]

    def events_of(self, kind: type[E]) -> Iterator[E]:
        """Yield the run's own events of a kind."""
        return (one.event for one in self.records if one.run == self.id and isinstance(one.event, kind))

    @property
    def start_event(self) -> events.TaskStarted:
        """The event of its start; raises KoiError if the log does not contain it."""
        if started := next(self.events_of(events.TaskStarted), None):
            return started
        raise KoiError(
            f"The start of run {self.id!r} is missing from the log, so it can be neither resumed nor forked."
        )

    def folder(self, default: Path) -> Path:
        """Return the folder that it worked in; raises KoiError if that no longer exists."""
        folder = Path(self.start_event.workspace or default)
        if not folder.is_dir():
            raise missing_folder_error(self.id, folder)
        return folder

    @property
    def models(self) -> Mapping[str, object]:
        """The settings that name the models that it last used."""
        named: Mapping[str, object] = {}
        forked: Mapping[str, object] = {}
        for event in self.events_of(Event):
            match event:
                case events.TaskStarted(models=models):
                    named = {**models, **({keys.EXECUTOR.name: self.model} if self.model else {})}
                case events.RunForked(changed=changed):
                    forked = {key: value for key, value in changed.items() if key in MODELS}
                case events.RunResumed(models=models) if models:
                    named, forked = models, {}
        return replace_models(named, forked)


def replace_models(models: Mapping[str, object], others: Mapping[str, object]) -> dict[str, object]:
    """Return models overridden by other settings; a model for every role replaces all of them."""
    return dict(others) if keys.DEFAULT_MODEL.name in others else {**models, **others}


def find_unfinished(sessions: Path, task_id: str) -> PastTask:
    """Return the task with an id or prefix; raise KoiError if it has nothing left to do."""
    past = find_task(sessions, task_id)
    if not past.resumable:
        raise KoiError(HAS_ENDED.format(id=past.run[:8], how=past.ended))
    return past


def read_past_run(sessions: Path, past: PastTask) -> PastRun:
    """Read what the log contains of a run and its session."""
    return PastRun(past.run, past.model, read_task_records(sessions, past))
