"""Take a checkpoint (snapshot) of the working tree, roll back to it, and diff checkpoints, without git."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from openkoi_hookspecs import DataDir, KoiError, Restoration
from openkoi_hookspecs.lazy_dataclass import dataclass

from .errors import CheckpointStoreError

if TYPE_CHECKING:
    from .other_calls import CallChanges
    from .retention import RetentionPolicy
    from .stored_workspaces import StoredWorkspaces

T = TypeVar("T")
MEGABYTE = 1_000_000
SKIPPED_FOLDERS = (
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
    ".tox",
    ".nox",
)


@dataclass(frozen=True, slots=True)
class StoreLimits:
    """The maximum size of files, checkpoints and the store, and what is kept."""

    file_mb: float
    saved_mb: float
    files: int
    newest: int
    days: float
    total_mb: float


class CheckpointStore:
    """Store manifests over a content store. Configured by ``[checkpoints.store]``."""

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("checkpoints")],
        max_file_mb: float = 5.0,
        max_saved_mb: float = 100.0,
        max_files: int = 100_000,
        skip: tuple[str, ...] = SKIPPED_FOLDERS,
        keep_newest: int = 50,
        keep_days: float = 30.0,
        max_total_mb: float = 2_000.0,
    ) -> None:
        self.folder = folder.expanduser().absolute()
        self.skip = frozenset((*skip, ".git"))
        self.watched = False
        self.limits = StoreLimits(max_file_mb, max_saved_mb, max_files, keep_newest, keep_days, max_total_mb)

    @cached_property
    def workspaces(self) -> "StoredWorkspaces":
        """The checkpoints, created on first use because few runs need them."""
        from .scan import ScanRules
        from .stored_workspaces import StoredWorkspaces

        limits = self.limits
        rules = ScanRules(self.skip, int(limits.file_mb * MEGABYTE), limits.files, str(self.folder.resolve()))
        return StoredWorkspaces(self.folder, rules, most_saved=int(limits.saved_mb * MEGABYTE), watched=self.watched)

    @property
    def policy(self) -> "RetentionPolicy":
        """Which checkpoints are kept."""
        from .retention import RetentionPolicy

        limits = self.limits
        return RetentionPolicy(limits.newest, limits.days, int(limits.total_mb * MEGABYTE))

    async def create(self, root: Path, *, run: str = "") -> str:
        """Store the files as they are; return the new checkpoint's id, or the last one's if nothing has changed."""
        from .gc import prune_daily

        checkpoint_id = await self.run_in_thread(root, lambda stored, root: stored.create(root, run))
        await asyncio.to_thread(prune_daily, self.folder, self.policy)
        return checkpoint_id

    async def restore(self, root: Path, id: str, *, since: str = "", run: str = "", force: bool = False) -> Restoration:
        """Undo what the work changed between two checkpoints, keeping other changes."""
        from .stored_workspaces import RestoreRequest

        wanted = RestoreRequest(id, since, run, force)
        return await self.run_in_thread(root, lambda stored, root: stored.restore(root, wanted))

    async def diff(self, root: Path, since: str, until: str = "") -> str:
        """Return the unified diff of the work from one checkpoint to another, or to now, in git's style."""
        return await self.run_in_thread(root, lambda stored, root: stored.diff(root, since, until))

    async def save(self, root: Path, path: Path) -> None:
        """Save an ignored or large file, which ``create`` would not store, because a tool is about to write it."""
        await self.run_in_thread(root, lambda stored, root: stored.save(root, path))

    async def prune(self) -> str:
        """Delete what no retained checkpoint needs; return a summary."""
        from .gc import prune_store

        return await asyncio.to_thread(prune_store, self.folder, self.policy)

    async def is_writable(self) -> bool:
        """Return whether the store can be written."""
        try:
            await self.health()
        except CheckpointStoreError:
            return False
        return True

    async def health(self) -> Mapping[str, str]:
        """Return where the checkpoints are and how many."""
        from .gc import describe_store

        return await asyncio.to_thread(describe_store, self.folder, self.policy)

    async def start_call(self, root: Path, call: str, writes: Sequence[Path] = ()) -> None:
        """Begin a call that may write: what changes until it ends is the run's; ``writes`` are its paths, if known."""
        await self.run_in_thread(root, lambda stored, root: stored.start_call(root, call, writes))

    async def finish_call(self, root: Path, call: str) -> "CallChanges":
        """End a call; return its changes that are not stored, or that may be another run's."""
        return await self.run_in_thread(root, lambda stored, root: stored.finish_call(root, call))

    def interrupt_call(self, root: Path, call: str) -> None:
        """Record that a call was cut off now; what changes later is not the run's."""
        self.workspaces.interrupt_call(resolve_workspace(root), call, time.time_ns())

    async def run_in_thread(self, root: Path, work: Callable[["StoredWorkspaces", Path], T]) -> T:
        """Do blocking work with the stored checkpoints of a workspace."""
        return await asyncio.to_thread(lambda: work(self.workspaces, resolve_workspace(root)))


def resolve_workspace(root: Path) -> Path:
    """Return the workspace's resolved path; raise if it is not a readable folder."""
    if not (root.is_dir() and os.access(root, os.R_OK | os.X_OK)):
        raise KoiError(f"The workspace {root} is not a readable folder. Choose a readable folder.")
    return root.resolve()
