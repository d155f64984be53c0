"""Change several files, all of them or none: when a write fails, the earlier ones are undone."""

import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .file_access import save_file
from .symlink_safe_paths import WorkspacePath, describe_refusal


@dataclass(frozen=True, slots=True)
class WriteStep:
    """The bytes to write to a path, or None to delete the file; optionally a mode, and whether it is executable."""

    where: WorkspacePath
    data: bytes | None
    mode: int | None = None
    executable: bool | None = None


@dataclass(frozen=True, slots=True)
class PathBackup:
    """The content of a path, with the parent folders that were missing."""

    step: WriteStep
    missing: tuple[Path, ...]


def apply_steps(steps: Sequence[WriteStep]) -> None:
    """Apply all steps; raise ToolError after none was applied, or all were undone."""
    done: list[PathBackup] = []
    try:
        for step in steps:
            done.append(back_up(step.where))
            apply_step(step)
    except OSError as error:
        raise ToolError(
            f"{describe_refusal(step.where.name, error)} {describe_failure(restore_backups(done))}"
        ) from None
    except ToolError as fault:
        raise ToolError(f"{fault} {describe_failure(restore_backups(done))}") from None
    except BaseException:
        restore_backups(done)
        raise


def apply_step(step: WriteStep) -> None:
    """Apply one step."""
    path = step.where.real
    if step.data is None:
        if path.exists():
            path.unlink()
        return
    save_file(path, step.data)
    if step.mode is not None:
        path.chmod(step.mode)
    if step.executable is not None:
        path.chmod(with_executable(stat.S_IMODE(path.stat().st_mode), step.executable))


def with_executable(mode: int, executable: bool) -> int:
    """Return a mode with which everyone who may read the file may run it, or no one."""
    return mode | (mode & 0o444) >> 2 if executable else mode & ~0o111


def back_up(where: WorkspacePath) -> PathBackup:
    """Back up what is at a path."""
    path = where.real
    missing = tuple(folder for folder in path.parents if not folder.exists())
    if not path.exists():
        return PathBackup(WriteStep(where, None), missing)
    return PathBackup(WriteStep(where, path.read_bytes(), stat.S_IMODE(path.stat().st_mode)), missing)


def restore_backups(done: Sequence[PathBackup]) -> list[str]:
    """Restore everything, the last first; return the names of files that could not be restored."""
    lost = []
    for before in reversed(done):
        try:
            apply_step(before.step)
        except (OSError, ToolError):
            lost.append(before.step.where.name)
        for folder in before.missing:
            with suppress(OSError):
                folder.rmdir()
    return lost


def describe_failure(lost: Sequence[str]) -> str:
    """Describe the state after a failure."""
    if lost:
        return f"Not everything could be restored: check {', '.join(lost)}. All other files are unchanged."
    return "All files are unchanged."
