"""Ask the user what a task may do: the literal command or diff, what it can touch, and how to undo it."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs import Question
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_terminal import show_hidden

from .view import Choice, Dialog, View

if TYPE_CHECKING:
    from .turn import Turn

ALLOW = "Allow "
UNDO = "undo: /undo restores the files; what a command does elsewhere stays done"
UNDO_FILES = "undo: /undo restores every byte"
FILE_TOOLS = frozenset({"write_file", "edit_file", "apply_patch"})
MAX_LINES = 30
SHELL_SIGNS = lazy_pattern(r"[;&|<>`$()\n\\]")


@dataclass(frozen=True, slots=True)
class Scope:
    """What the user allows for the rest of a chat: a tool, the first words of a command or a path, and for what reason.

    A call that is dangerous for another reason is asked about.
    """

    tool: str
    about: str
    reason: str


@dataclass(frozen=True, slots=True)
class Request:
    """A tool call that needs approval, read from its question: the reason, the tool, and its arguments."""

    reason: str
    tool: str
    arguments: dict[str, object]

    @property
    def command(self) -> str:
        """The shell command of the call; empty if it has none."""
        value = self.arguments.get("command", "")
        return value if isinstance(value, str) else ""

    @property
    def prefix(self) -> str:
        """The words that a similar command begins with; empty where the shell would do more than run one command."""
        return "" if SHELL_SIGNS.search(self.command) else " ".join(self.command.split()[:2])

    @property
    def path(self) -> str:
        """The file that the call names; empty if it names none."""
        return next((str(value) for name, value in self.arguments.items() if "path" in name and value), "")

    @property
    def scope(self) -> Scope | None:
        """What a similar call has in common with this one; None for one that is asked about each time."""
        about = self.prefix or self.path
        return Scope(self.tool, about, self.reason.replace(self.command or self.path, "")) if about else None


def read_request(question: Question) -> Request | None:
    """Return the tool call that a question is about; None for another question."""
    reason, _, last = question.text.rpartition("\n")
    tool, _, arguments = last.removeprefix(ALLOW).removesuffix("?").partition(" ")
    if not last.startswith(ALLOW) or not arguments.startswith("{"):
        return None
    try:
        return Request(reason, tool, json.loads(arguments))
    except ValueError:
        return None


class Approvals:
    """Asks for approvals, and remembers which ones the user gave for the rest of this chat."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.allowed: set[Scope] = set()

    async def ask(self, question: Question, turn: "Turn | None") -> str | None:
        """Return the user's answer; one that is allowed for this chat is given without asking, and shown."""
        request = read_request(question)
        if request is None:
            return await self.view.choose(plain_dialog(question))
        if request.scope in self.allowed:
            shown = show_hidden(request.command or request.tool)
            self.view.print(self.view.style.mark(f"  allowed for this chat: {shown}", "dim"))
            return "yes"
        answer = await self.view.choose(Dialog([*describe(request, self.view)], choices_for(request)))
        if answer == "always" and request.scope:
            self.allowed.add(request.scope)
            self.view.print(self.view.style.mark(f"  Allowed until this chat ends: {self.list()[-1]}", "dim"))
            return "yes"
        return answer

    def list(self) -> Sequence[str]:
        """Return what is allowed for this chat."""
        return [f"{one.tool} {show_hidden(one.about)}… (/permissions revoke)" for one in self.allowed]

    def revoke(self) -> Sequence[str]:
        """Forget what is allowed for this chat; return it."""
        forgotten = self.list()
        self.allowed.clear()
        return forgotten


def choices_for(request: Request) -> Sequence[Choice]:
    """Return the numbered answers to a request; the wider one only where its scope is plain."""
    similar = f"commands that start with `{show_hidden(request.prefix)}`"
    wider = similar if request.prefix else f"every {request.tool} of {show_hidden(request.path)}"
    return (
        Choice("y", "Yes, this once", "yes"),
        *([Choice("a", f"Yes, and {wider} until this chat ends", "always")] if request.scope else []),
        Choice("n", "No, and tell it what to do instead", "no", wants_text="What should it do instead?"),
    )


def describe(request: Request, view: View) -> Iterator[str]:
    """Yield what is asked: the reason, the literal call with all that is hidden in it, what it touches, its undo."""
    mark = view.style.mark
    yield mark(show_hidden(request.reason) or f"{request.tool} needs your approval.", "yellow")
    lines = [*literal_call(request)]
    yield from (f"  {mark(line, 'bold')}" for line in lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        yield mark(f"  … {len(lines) - MAX_LINES} more lines", "dim")
    yield mark(f"  touches: {show_hidden(describe_reach(request))}", "dim")
    yield mark(f"  {UNDO_FILES if request.tool in FILE_TOOLS else UNDO}", "dim")


def literal_call(request: Request) -> Iterator[str]:
    """Yield the call as it would be made."""
    if request.command:
        yield from (f"$ {show_hidden(line)}" for line in request.command.split("\n"))
        return
    yield request.tool
    for name, value in request.arguments.items():
        first, *rest = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split("\n")
        yield f"  {name}: {show_hidden(first)}"
        yield from (f"    {show_hidden(line)}" for line in rest)


def describe_reach(request: Request) -> str:
    """Return what a call can change: a file that it names, or what its sandbox lets a command change."""
    if request.path:
        return request.path
    if request.command:
        return "files of this folder, and whatever the command reaches outside it"
    return f"whatever {request.tool} reaches"


def plain_dialog(question: Question) -> Dialog:
    """Return a dialog for a question that is not about a tool call."""
    lines = [show_hidden(line) for line in question.text.split("\n")]
    if not question.choices:
        return Dialog(lines, text_prompt="Your answer")
    return Dialog(lines, [Choice(one[:1].lower(), show_hidden(one), one) for one in question.choices])
