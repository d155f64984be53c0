"""Build the tools for each run from their settings, such as the timeout of commands (``command_seconds``).

Each run records what it was shown; all runs share the locks of files.
"""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import ConfigError, DataDir, Run, Tool

from .apply_patch import apply_patch
from .ask_user import ask_user
from .edit_file import edit_file
from .list_files import list_files
from .read_file import read_file
from .read_tracker import ReadTracker
from .run_command import run_command
from .search import search
from .tool_context import FileLocks, ToolContext, ToolSettings
from .write_file import write_file

SKIPPED_NAMES = (
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
MAX_REMEMBERED_RUNS = 256
TOOLS = (read_file, list_files, search, edit_file, write_file, run_command, ask_user, apply_patch)


class WorkspaceTools:
    """Read, list, search, edit, write, patch and run inside the workspace of a run; and ask the user."""

    def __init__(
        self,
        *,
        max_result_kb: int = 24,
        max_file_mb: int = 128,
        command_seconds: int = 120,
        max_command_seconds: int = 600,
        search_seconds: float = 20.0,
        skip: tuple[str, ...] = SKIPPED_NAMES,
        outputs: Annotated[Path | None, DataDir("outputs")] = None,
    ) -> None:
        if not 2 <= max_result_kb <= 60:
            raise ConfigError(f"[tools.workspace] max_result_kb is {max_result_kb}; it must be from 2 to 60.")
        if min(max_file_mb, command_seconds, max_command_seconds, search_seconds) <= 0:
            raise ConfigError("[tools.workspace] max_file_mb and all settings in seconds must be above zero.")
        self._settings = ToolSettings(
            result_bytes=max_result_kb * 1024,
            file_bytes=max_file_mb * 1024**2,
            command_seconds=command_seconds,
            max_command_seconds=max(command_seconds, max_command_seconds),
            search_seconds=search_seconds,
            skip=frozenset(skip),
            outputs=outputs,
        )
        self._locks = FileLocks()
        self._seen: OrderedDict[str, ReadTracker] = OrderedDict()

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tools, with this run's record of what it was shown."""
        context = ToolContext(run, self._settings, self._tracker_of(run), self._locks)
        return tuple(make(context) for make in TOOLS)

    def _tracker_of(self, run: Run) -> ReadTracker:
        """Return what a run was shown. The oldest are forgotten; tools that are still in use keep their own."""
        seen = self._seen.pop(run.id, None) or self._replay_tracker(run)
        self._seen[run.id] = seen
        while len(self._seen) > MAX_REMEMBERED_RUNS:
            self._seen.popitem(last=False)
        return seen

    def _replay_tracker(self, run: Run) -> ReadTracker:
        """Return what a run was shown before it was interrupted; empty if it had called no model."""
        if not run.cost.calls:
            return ReadTracker()
        from .long_outputs import outputs_of_history
        from .read_replay import calls_with_results, replay_reads

        calls = list(calls_with_results(run.koi.records(run.task.session), run.id))
        seen = replay_reads(calls, run.workspace)
        seen.outputs.update(outputs_of_history(calls, self._settings.outputs))
        return seen
