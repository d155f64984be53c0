"""Write a session as Markdown."""

from collections.abc import Collection, Iterator
from pathlib import Path

from openkoi_hookspecs import Koi, Text, events


def write_transcript(koi: Koi, session: str, runs: Collection[str], folder: Path, name: str) -> Path:
    """Write the messages of some tasks of a session to a new file; return it."""
    path = folder / (name or f"openkoi-{session[:15]}.md")
    with path.open("x", encoding="utf-8", errors="replace") as file:
        file.writelines(koi.redact(piece) for piece in read_messages(koi, session, runs))
    return path


def read_messages(koi: Koi, session: str, runs: Collection[str]) -> Iterator[str]:
    """Yield the messages of the user and the model, in Markdown."""
    for record in koi.records(session):
        match record.event:
            case _ if record.run not in runs:
                continue
            case events.TaskStarted(task=task):
                yield f"## {task.text}\n\n"
            case events.MessageAdded(from_user=True, message=message):
                yield from (f"> {part.text}\n\n" for part in message.parts if isinstance(part, Text))
            case events.ExecutionFinished(work=work):
                yield f"{work.text.strip()}\n\n"
