"""Create a copy of a task's files as they were before it began."""

from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.files.diffs import split_by_file
from openkoi_base.files.reverse_patch import reverse_patch
from openkoi_hookspecs import KoiError

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi

CANNOT = "{file} cannot be restored to its state before the task, so the task cannot be replayed."


async def reverse_changes(copy: Path, workspace: Path, checkpoint: str, koi: "OpenedKoi") -> None:
    """Undo the changes since a checkpoint in a copy of a workspace; do nothing for a task without one."""
    from ..task_changes import load_checkpoints

    if not checkpoint:
        return
    diff = await (await load_checkpoints(koi)).diff(workspace, checkpoint)
    for name, part in split_by_file(diff).items():
        restore_file(copy / name, part)


def restore_file(file: Path, part: str) -> None:
    """Undo the changes to one file in a part of a diff; raise KoiError if the diff is not sufficient."""
    head = part.partition("\n@@")[0]
    if "\nnew file mode" in head:
        file.unlink(missing_ok=True)
        return
    try:
        now = "" if "\ndeleted file mode" in head else file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        raise KoiError(CANNOT.format(file=file.name)) from None
    before = reverse_patch(part, now)
    if before is None:
        raise KoiError(CANNOT.format(file=file.name))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(before.encode())
