"""Ask the user what a task may do, and remember what is allowed until the chat ends."""

from collections.abc import Sequence
from pathlib import Path

from openkoi_hookspecs import NO, YES, Question
from openkoi_terminal import show_hidden
from openkoi_terminal.approval_request import (
    MAX_LINES,
    ApprovalRequest,
    ApprovalScope,
    describe_request,
    read_approval_request,
)

from .view import Choice, Dialog, View

ALWAYS = "always"


class Approvals:
    """Asks for approvals, and remembers which ones the user gave for the rest of this chat."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.allowed: set[ApprovalScope] = set()

    async def ask(self, question: Question, folder: Path) -> str | None:
        """Return the user's answer; if the call is allowed for this chat, show that instead of asking."""
        request = read_approval_request(question)
        if request is None:
            return await self.view.choose(plain_dialog(question))
        if request.scope in self.allowed:
            text = show_hidden(request.command or request.tool)
            self.view.note(f"  allowed for this chat: {text}", "dim")
            return YES
        lines, full = [
            [*describe_request(request, self.view.style, most=most, folder=folder)] for most in (MAX_LINES, 0)
        ]
        answer = await self.view.choose(Dialog(lines, choices_for(request), full=full))
        if answer == ALWAYS and request.scope:
            self.allowed.add(request.scope)
            self.view.note(f"  Allowed until this chat ends: {self.list()[-1]}", "dim")
            return YES
        return answer

    def list(self) -> Sequence[str]:
        """Return what is allowed for this chat."""
        return [f"{one.tool} {show_hidden(one.about)}… (/permissions revoke)" for one in self.allowed]

    def revoke(self) -> Sequence[str]:
        """Revoke what is allowed for this chat; return what was revoked."""
        forgotten = self.list()
        self.allowed.clear()
        return forgotten


def choices_for(request: ApprovalRequest) -> Sequence[Choice]:
    """Return the numbered answers to a request; the wider one only if its scope is clear."""
    wider = f"Yes, and {request.scope_text} until this chat ends"
    return (
        Choice("y", "Yes, this once", YES),
        *([Choice("a", wider, ALWAYS)] if request.scope else []),
        Choice("n", "No, and tell OpenKoi what to do instead", NO, wants_text="What should OpenKoi do instead?"),
    )


def plain_dialog(question: Question) -> Dialog:
    """Return a dialog for a question that is not about a tool call."""
    lines = [show_hidden(line) for line in question.text.split("\n")]
    if not question.choices:
        return Dialog(lines, text_prompt="Your answer")
    return Dialog(lines, [Choice(one[:1].lower(), show_hidden(one), one) for one in question.choices])
