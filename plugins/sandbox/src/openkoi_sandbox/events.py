"""Define the events that this plugin writes to the log."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import field

from openkoi_hookspecs.events import Event
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_LISTED_FILES = 30
EVALUATION = "evaluation"
"""The actions, besides tool calls, whose file changes are the run's own."""
MAX_TOOL_FILES = 6
ALL_LISTED = "To list all, run `openkoi export --output FOLDER`."


@dataclass(frozen=True, slots=True)
class Protected(Event):
    """Report that a command changed a file that another program runs: it was ``restored``, or moved away, to ``kept``.

    ``reason`` says who runs it. ``trouble`` is why neither could be done: the change is still there.
    """

    name = "sandbox.protected"

    path: str
    reason: str
    kept: str = ""
    restored: bool = False
    trouble: str = ""

    @property
    def line(self) -> str:
        """Describe what was done."""
        return f"  ! {self.path} {self.outcome}: {self.reason}"

    @property
    def outcome(self) -> str:
        """Describe what happened to the file."""
        if self.trouble:
            return f"was changed by a command and could not be restored ({self.trouble})"
        if self.restored:
            return "was changed by a command and has been restored"
        return f"was created by a command and has been moved to {self.kept}"


@dataclass(frozen=True, slots=True)
class Unsealed(Event):
    """Report that the sandbox cannot make single files read-only.

    Changes are undone when a command ends, not refused.
    """

    name = "sandbox.unsealed"

    sandbox: str

    @property
    def line(self) -> str:
        """Describe what is weaker, and what to do."""
        remedy = " To prevent changes, install bubblewrap." if sys.platform.startswith("linux") else ""
        return (
            f"  ! The sandbox {self.sandbox} cannot make files such as .git/config and .envrc read-only. It restores "
            f"them when a command ends.{remedy}"
        )


@dataclass(frozen=True, slots=True)
class AutorunFiles(Event):
    """List the files that a run created or changed and that other programs run.

    By path, whether each is new, and what runs it: ``files`` are run at once by the next step of git, a shell, an
    editor, an agent or CI, the most dangerous first; those ``by_tools`` when a tool is run.
    """

    name = "sandbox.autorun"

    files: Mapping[str, str]
    by_tools: Mapping[str, str] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """List the first on a line each, the others on one line; count those beyond the maximum."""
        reasons = [f"  ! {path} is {reason}" for path, reason in list(self.files.items())[:MAX_LISTED_FILES]]
        more = len(self.files) - MAX_LISTED_FILES
        reasons += [f"  ! and {more} more that other programs run automatically. {ALL_LISTED}"] if more > 0 else []
        return "\n".join([*reasons, *self.tools_line()])

    def tools_line(self) -> Iterator[str]:
        """Yield the line about files that run only when their tool is run."""
        if self.by_tools:
            reasons = [f"{path} ({reason})" for path, reason in list(self.by_tools.items())[:MAX_TOOL_FILES]]
            more = len(self.by_tools) - MAX_TOOL_FILES
            rest = f" and {more} more. {ALL_LISTED}" if more > 0 else ""
            yield f"  Used by tools when you run them: {', '.join(reasons)}{rest}"
