"""Read AGENTS.md, a project's instructions for agents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from openkoi_base.skillfile.approvals import Approvals
from openkoi_hookspecs import DataDir, Layer, Run, Section, hookimpl
from openkoi_hookspecs.events import WarningIssued

from .approval import ask_approval
from .supplies import RULE_FILES, find_rules_file, try_digest

CHARACTERS_PER_TOKEN = 4
CUT_NOTE = "[{left:,} more characters are in {file}; read them if they matter for the task]"
TOO_LONG = (
    "{file} is cut off after {room:,} of {length:,} characters. Shorten it, or raise `tokens` in [hooks.project-rules]."
)


class ProjectRules:
    """Shows the nearest AGENTS.md. Settings: ``[hooks.project-rules]``."""

    def __init__(
        self,
        *,
        data: Annotated[Path, DataDir("")],
        files: tuple[str, ...] = RULE_FILES,
        tokens: int = 4_000,
        answer_seconds: float = 25.0,
    ) -> None:
        self.data, self.files = data, files
        self.room = tokens * CHARACTERS_PER_TOKEN
        self.answer_seconds = answer_seconds

    @hookimpl
    async def before_plan(self, run: Run) -> Sequence[Section] | None:
        """Add the project's rules, up to the token limit."""
        file = find_rules_file(run.workspace, self.files)
        if file is None:
            return None
        approved = Approvals(run.koi)
        if approved.answer(file, try_digest(file)) is None:
            await ask_approval(self.data, run, seconds=self.answer_seconds, rules=self.files)
        with file.open("rb") as opened:
            text = opened.read(4 * self.room + 1).decode("utf-8", "replace").strip()
        if len(text) > self.room:
            length = file.stat().st_size
            await run.emit(WarningIssued(TOO_LONG.format(file=file, room=self.room, length=length)))
            text = abridge_rules(text, self.room, length, file)
        trusted = approved(file, try_digest(file))
        head = f"# Rules of this project, from {file.name}\n\n"
        return [Section(file.name, text if not trusted else head + text, layer=Layer.PROJECT, untrusted=not trusted)]


def abridge_rules(text: str, room: int, length: int, file: Path) -> str:
    """Return the start of a text up to the end of a line, and a note about the rest."""
    kept = text[: text.rfind("\n", 0, room) if "\n" in text[:room] else room].rstrip()
    return f"{kept}\n{CUT_NOTE.format(left=max(0, length - len(kept)), file=file)}"
