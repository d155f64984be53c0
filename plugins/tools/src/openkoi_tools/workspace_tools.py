"""The tools, built for each run. What a run was shown is its own; the locks of files are shared by all runs."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import ConfigError, DataDir, Run, Tool

from .apply_patch import apply_patch
from .ask_user import ask_user
from .edit_file import edit_file
from .list_files import list_files
from .outputs import kept_before
from .read_file import read_file
from .recalled import answered, recalled
from .run_command import run_command
from .search import search
from .shown import Seen
from .toolkit import Desk, Locks, Settings
from .write_file import write_file

SKIPPED = (
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
)
RUNS_KEPT = 64
TOOLS = (read_file, list_files, search, edit_file, write_file, run_command, ask_user, apply_patch)


class WorkspaceTools:
    """Read, list, search, edit, write, patch and run, inside the workspace of a run; and ask the person."""

    def __init__(
        self,
        *,
        max_result_kb: int = 24,
        max_file_mb: int = 128,
        command_seconds: int = 120,
        max_command_seconds: int = 600,
        search_seconds: float = 20.0,
        skip: tuple[str, ...] = SKIPPED,
        outputs: Annotated[Path | None, DataDir("outputs")] = None,
    ) -> None:
        if not 2 <= max_result_kb <= 60:
            raise ConfigError(f"[tools.workspace] max_result_kb is {max_result_kb}; it must be from 2 to 60.")
        if min(max_file_mb, command_seconds, max_command_seconds, search_seconds) <= 0:
            raise ConfigError("[tools.workspace] max_file_mb and all seconds must be above zero.")
        self._settings = Settings(
            result_bytes=max_result_kb * 1024,
            file_bytes=max_file_mb * 1024**2,
            command_seconds=command_seconds,
            longest_seconds=max(command_seconds, max_command_seconds),
            search_seconds=search_seconds,
            skip=frozenset(skip),
            outputs=outputs,
        )
        self._locks = Locks()
        self._seen: OrderedDict[str, Seen] = OrderedDict()

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tools, with the memory that belongs to this run."""
        desk = Desk(run, self._settings, self._remembered(run), self._locks)
        return tuple(make(desk) for make in TOOLS)

    def _remembered(self, run: Run) -> Seen:
        """Return what a run was shown. The oldest are forgotten; tools that are still in use keep their own."""
        seen = self._seen.pop(run.id, None) or self._recalled(run)
        self._seen[run.id] = seen
        while len(self._seen) > RUNS_KEPT:
            self._seen.popitem(last=False)
        return seen

    def _recalled(self, run: Run) -> Seen:
        """Return what a run was shown before it was interrupted; of one that begins, and asked no model, nothing."""
        if not run.cost.calls:
            return Seen()
        calls = list(answered(run.koi.records(run.task.session), run.id))
        seen = recalled(calls, run.workspace)
        seen.outputs.update(kept_before(calls, self._settings.outputs))
        return seen
