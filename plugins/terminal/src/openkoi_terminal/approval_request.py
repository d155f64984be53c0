"""Show the exact tool call that needs approval, including anything hidden in it."""

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from openkoi_hookspecs import Question
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .safe_text import show_hidden
from .style import Style

ALLOW = "Allow "
UNDO = "undo: `openkoi undo` restores the files, but cannot revert what a command does elsewhere"
UNDO_FILES = "undo: `openkoi undo` restores every byte"
FILE_TOOLS = frozenset({"write_file", "edit_file", "apply_patch"})
MAX_LINES = 30  # of a call; the choices stay on a screen of 40 rows
MAX_COMPARED = 200_000  # bytes of a file that a call replaces; a longer one is shown as it would be written (estimate)
SHELL_SIGNS = lazy_pattern(r"[;&|<>`$()\n\\]")
CHANGES = {"search": ("-", "red"), "replace": ("+", "green"), "content": ("+", "green")}


@dataclass(frozen=True, slots=True)
class ApprovalScope:
    """What one approval allows: a tool, the first words of a command or a path, and the reason.

    A call that is dangerous for another reason needs approval again.
    """

    tool: str
    about: str
    reason: str


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A tool call that needs approval: the reason, the tool, and its arguments."""

    reason: str
    tool: str
    arguments: Mapping[str, object]

    @property
    def command(self) -> str:
        """The shell command of the call; empty if it has none."""
        value = self.arguments.get("command", "")
        return value if isinstance(value, str) else ""

    @property
    def prefix(self) -> str:
        """The words with which a similar command starts; empty if the shell would do more than run one command."""
        return "" if SHELL_SIGNS.search(self.command) else " ".join(self.command.split()[:2])

    @property
    def path(self) -> str:
        """The file that the call names; empty if it names none."""
        return next((str(value) for name, value in self.arguments.items() if "path" in name and value), "")

    @property
    def scope(self) -> ApprovalScope | None:
        """What a similar call has in common with this one; None if each call needs approval."""
        about = self.prefix or self.path
        reason = self.reason.replace(self.command or self.path, "")
        return ApprovalScope(self.tool, about, reason) if about else None

    @property
    def scope_text(self) -> str:
        """What the scope contains, for the user."""
        if self.prefix:
            return f"commands that start with `{show_hidden(self.prefix)}`"
        return f"every {self.tool} call for {show_hidden(self.path)}"


def read_approval_request(question: Question) -> ApprovalRequest | None:
    """Return the tool call that a question is about; None for any other question."""
    reason, _, last = question.text.rpartition("\n")
    tool, _, arguments = last.removeprefix(ALLOW).removesuffix("?").partition(" ")
    if not last.startswith(ALLOW) or not arguments.startswith("{"):
        return None
    try:
        return ApprovalRequest(reason, tool, json.loads(arguments))
    except ValueError:
        return None


def describe_request(
    request: ApprovalRequest, style: Style, *, most: int = MAX_LINES, folder: Path | None = None
) -> Iterator[str]:
    """Yield the request: the reason, the literal call, what it can change, and how to undo it.

    Of the call at most so many lines are shown, unless it is 0. A file of ``folder`` that is there is compared.
    """
    yield style.mark(show_hidden(request.reason) or f"{request.tool} needs your approval.", "yellow")
    lines = [*show_call(request, style, read_present(request, folder))]
    yield from (f"  {line}" for line in lines[: most or len(lines)])
    if most and len(lines) > most:
        yield style.mark(f"  … {len(lines) - most} more lines: Ctrl-A shows all", "yellow")
    yield style.mark(f"  touches: {show_hidden(describe_reach(request))}", "dim")
    yield style.mark(f"  {UNDO_FILES if request.tool in FILE_TOOLS else UNDO}", "dim")


def read_present(request: ApprovalRequest, folder: Path | None) -> str:
    """Return the whole text that a call would replace; empty if there is none, or it cannot be compared."""
    if folder is None or request.tool != "write_file":
        return ""
    try:
        path = folder / request.path
        return path.read_text(encoding="utf-8") if path.is_file() and path.stat().st_size <= MAX_COMPARED else ""
    except (OSError, ValueError):
        return ""


def compare_text(before: str, after: str, style: Style) -> Iterator[str]:
    """Yield the changes of a text as a diff; nothing if only the end of its last line changes."""
    from difflib import unified_diff

    from .diffs import render_hunk

    old, new = (text.removesuffix("\n").split("\n") for text in (before, after))
    changes = [*unified_diff(old, new, lineterm="")][2:]
    starts = [place for place, line in enumerate(changes) if line.startswith("@@ ")]
    for start, end in pairwise([*starts, len(changes)]):
        yield from render_hunk(changes[start:end], style)


def show_call(request: ApprovalRequest, style: Style, present: str = "") -> Iterator[str]:
    """Yield the exact call: the command, or the change to a file compared with its current text."""
    if request.command:
        yield from (style.mark(f"$ {show_hidden(line)}", "bold") for line in request.command.split("\n"))
        return
    yield style.mark(request.tool, "bold")
    for name, value in sorted(request.arguments.items(), key=lambda one: place_of(one[0])):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines = text.split("\n")
        sign, colour = CHANGES.get(name, ("", "")) if request.tool in FILE_TOOLS else ("", "")
        if sign and present and (compared := [*compare_text(present, text, style)]):
            yield from compared
        elif sign:
            changed = text.removesuffix("\n").split("\n") if text else ()
            yield from (style.mark(f"  {sign} {show_hidden(line)}", colour) for line in changed)
        else:
            yield f"  {show_hidden(name)}: {show_hidden(lines[0])}"
            yield from (f"    {show_hidden(line)}" for line in lines[1:])


def place_of(argument: str) -> int:
    """Return an argument's position: removed text before added text, and other arguments first."""
    return [*CHANGES].index(argument) if argument in CHANGES else -1


def describe_reach(request: ApprovalRequest) -> str:
    """Return what a call can change: the file that it names, or what a command reaches."""
    if request.path:
        return request.path
    if request.command:
        return "files of this folder, and whatever the command reaches outside it"
    return f"whatever {request.tool} reaches"
