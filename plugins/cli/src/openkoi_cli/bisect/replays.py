"""Replay a recorded task with some of its plugins, in a copy of its files and with a separate home folder."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError, Task
from openkoi_hookspecs.lazy_dataclass import dataclass

from ..hook_check.synthetic_home import make_home, use_home
from ..setting_names import USE_CHECKPOINTS, USE_MEMORY
from .judge import ReplayResult
from .recorded_model import Recording

if TYPE_CHECKING:
    from openkoi_hookspecs import PluginEntry

    from ..invocation import Invocation

KINDS = ("hooks", "tools", "evaluators", "compactors")
# what a replay does without: what memory held then is not known, and nothing is to be learned from a replay
OFF: Mapping[str, object] = {USE_MEMORY: "none", USE_CHECKPOINTS: "none", "hooks.learning.enabled": False}


@dataclass(frozen=True, slots=True)
class Replays:
    """The shared setup of a task's replays. ``start`` has the files before the task; each replay gets a copy."""

    invocation: "Invocation"
    task: Task
    recording: Recording
    plugins: "Sequence[PluginEntry]"
    start: Path
    folder: Path
    home: Path

    async def run(self, enabled: frozenset[int], usd: float) -> ReplayResult:
        """Run the task with these plugins; ``usd`` is what it may cost beyond the recorded calls."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.start, self.folder, symlinks=True)
        limits = self.task.limits and replace(self.task.limits, usd=self.task.limits.usd + usd)
        with use_home(self.home):
            koi = self.invocation.launcher.open(self.folder, settings=self.settings(enabled))
            async with koi:
                result = await koi.solve(replace(self.task, workspace=str(self.folder), session="", limits=limits))
        work = result.best.work
        return ReplayResult(result.text, result.decision.action, work.diff, self.folder)

    def settings(self, enabled: frozenset[int]) -> Mapping[str, object]:
        """Return the settings of a replay."""
        off = [one for place, one in enumerate(self.plugins) if place not in enabled]
        models = {f"models.{role}": f"recorded/{role}/{model}" for role, model in self.recording.models.items()}
        return {
            **OFF,
            **models,
            "providers.recorded.recording": self.recording,
            **{f"{one.kind}.{one.name}.enabled": False for one in off},
        }


@contextmanager
def temporary_folders(invocation: "Invocation", workspace: Path) -> Iterator[tuple[Path, Path, Path]]:
    """Yield a copy of a workspace, the path of each replay's copy, and a home folder without memory."""
    with TemporaryDirectory(prefix="openkoi-bisect-", ignore_cleanup_errors=True) as name:
        root = Path(name).resolve()
        start, folder = root / "start", root / (workspace.name or "workspace")
        try:
            shutil.copytree(workspace, start, symlinks=True)
        except (OSError, shutil.Error) as error:
            raise KoiError(f"{workspace} cannot be copied: {error}") from None
        yield start, folder, make_home(root / "home", invocation.paths)
