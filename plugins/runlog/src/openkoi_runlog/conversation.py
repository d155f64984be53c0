"""Build the messages that a session's next task starts with, from the session's past.

Each task becomes one exchange: the request with a summary of the work, and the answer. Results of tools are not
repeated: files may have changed since, and they would be paid for again with each request. The exchanges of earlier
tasks are in the last task's own history, so only the last task is read, whatever the length of the session. What the
user rewound is left out.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from pathlib import Path

from openkoi_hookspecs import Content, File, Image, Message, NextAction, Part, Record, Role, RunState, Text, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from .last_task import find_end, read_last_task
from .run_view import VIEW_EVENTS, RunView
from .run_views import build_view, executor_roles

EVENTS = (*VIEW_EVENTS, events.MessageAdded, events.ToolCallStarted)
STREAM_EVENTS = (events.ModelRequest, events.ModelDelta, events.ModelResponse)
# About 10,000 tokens, a twentieth of a task's default token limit: each request of a task sends its history again.
MAX_CHARACTERS = 40_000
MAX_TEXT_CHARACTERS = 8_000
MAX_STEPS = 12
MAX_MEDIA_BYTES = 10_000_000  # half of what a task may have, so that the next one can add as much
ENDINGS: Mapping[str, str] = {
    RunState.INTERRUPTED: "The user interrupted it.",
    RunState.FAILED: "It failed.",
    NextAction.ESCALATE: "It stopped because it needed the user's approval.",
}
UNDONE = "The user undid these changes."


@dataclass(frozen=True, slots=True)
class Conversation:
    """The state of a session before its next task. ``last`` is the run of its last task; empty if it has none.

    ``models`` are those that the last task's command line named, by setting.
    """

    session: str
    last: str = ""
    workspace: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    history: tuple[Message, ...] = ()


def read_conversation(folder: Path, session: str) -> Conversation:
    """Read the conversation of a session so far."""
    last, rewound = find_end(folder, session)
    if rewound:
        first = rewound[-1].event
        run, history = last.run if last else "", limit_history(first.task.history)
        return Conversation(session, run, first.workspace, first.models, history)
    records = list(last.read(EVENTS, run=last.run)) if last else []
    view = build_view(records)
    if view.started is None:
        return Conversation(session)
    streamed = "" if view.completed else read_unfinished_answer(folder, session, view)
    history = limit_history([*view.task.history, *build_exchange(view, records, streamed)])
    return Conversation(session, view.run, view.workspace, view.started.models, history)


def read_unfinished_answer(folder: Path, session: str, view: RunView) -> str:
    """Return the part of the answer that had streamed when the last task of a session was interrupted."""
    streamed, lease, roles = "", "", executor_roles(view)
    for record in read_last_task(folder, session, STREAM_EVENTS):
        match record.event:
            case events.ModelDelta(text=text):
                streamed += text
            case events.ModelRequest() as sent if sent.role in roles and sent.lease != lease:
                streamed, lease = "", sent.lease
            case events.ModelResponse(role=role) if role in roles:
                streamed = ""
    return streamed.strip()


def build_exchange(view: RunView, records: Sequence[Record], streamed: str) -> list[Message]:
    """Return a task's request and its answer; of an incomplete answer, the part that had streamed."""
    own = [record.event for record in records if record.run == view.run]
    messages = [one.message for one in own if isinstance(one, events.MessageAdded) and one.from_user]
    asked: list[Part] = [
        Text(describe_request(view)),
        *view.task.parts,
        *(part for one in messages for part in one.parts),
    ]
    steps = [one.progress_text for one in own if isinstance(one, events.ToolCallStarted) and not one.by_plugin]
    if work := describe_work(view, steps):
        asked.append(Text(f"\n\n[{work}]"))
    whole = view.best.work.text if view.best and view.best.work else last_words(own, executor_roles(view))
    answer = "\n\n".join(filter(None, (whole.strip(), streamed))) if streamed else whole
    return [Message.user(*asked), *([Message(Role.ASSISTANT, (Text(shorten(answer)),))] if answer.strip() else [])]


def describe_request(view: RunView) -> str:
    """Return the request, with its piped input as data."""
    text, given = shorten(view.task.text), view.task.context
    if not given:
        return text
    mark = f"input-{sha256(given.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"{text}\n\n<{mark}>\n{shorten(given)}\n</{mark}>"


def describe_work(view: RunView, steps: Sequence[str]) -> str:
    """Summarise what was done for a request and how it ended; empty if it was only answered."""
    done = list(dict.fromkeys(filter(None, steps)))
    more = f"; and {len(done) - MAX_STEPS} more steps" if len(done) > MAX_STEPS else ""
    sentences = (
        f"Work done: {'; '.join(done[:MAX_STEPS])}{more}." if done else "",
        f"Changed files: {', '.join(sorted(view.files))}." if view.files else "",
        ENDINGS.get(view.decision, "") if view.decision else ENDINGS[RunState.INTERRUPTED],
        UNDONE if view.undone else "",
    )
    return " ".join(filter(None, sentences))


def last_words(happened: Iterable[object], roles: Collection[str]) -> str:
    """Return the last text of the executor's model, for a task that did not end."""
    texts = [one.response.text for one in happened if isinstance(one, events.ModelResponse) and one.role in roles]
    return next((text for text in reversed(texts) if text.strip()), "")


def shorten(text: str) -> str:
    """Return the start and the end of a long text."""
    left, half = len(text) - MAX_TEXT_CHARACTERS, MAX_TEXT_CHARACTERS // 2
    return text if left <= 0 else f"{text[:half]}\n[{left} characters omitted]\n{text[-half:]}"


def limit_history(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the newest exchanges, without images and files beyond the limit.

    Half of the limit is kept, so that the start of the history, which providers cache, rarely changes.
    """
    kept = list(messages)
    if count_characters(kept) > MAX_CHARACTERS:
        while len(kept) > 2 and count_characters(kept) > MAX_CHARACTERS // 2:
            del kept[0]
        while kept[0].role is not Role.USER:
            del kept[0]
    return limit_media(kept)


def count_characters(messages: Iterable[Message]) -> int:
    return sum(len(part.text) for message in messages for part in message.parts if isinstance(part, Text))


def limit_media(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Replace the oldest images and files with a note, if they exceed the limit."""
    room, newest_first = MAX_MEDIA_BYTES, list[Message]()
    for message in reversed(messages):
        parts = list[Part]()
        for part in reversed(message.parts):
            room -= part.size if isinstance(part, (Image, File)) else 0
            parts.insert(0, part if room >= 0 or not isinstance(part, (Image, File)) else omit(part))
        newest_first.append(replace(message, parts=tuple(parts)))
    return tuple(reversed(newest_first))


def omit(part: Image | File) -> Content:
    """Return the note that replaces an image or a file."""
    return Text(f"[{part.name if isinstance(part, File) else 'An image'} is no longer part of this conversation.]")
