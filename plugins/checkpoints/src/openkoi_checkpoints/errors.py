"""Define the errors of checkpoints."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openkoi_hookspecs import KoiError


class CheckpointNotFoundError(KoiError):
    """Report that this workspace has no checkpoint of this id."""

    def __init__(self, checkpoint_id: str, root: str) -> None:
        super().__init__(
            f"{root} has no checkpoint {checkpoint_id!r}. The checkpoint was deleted, or belongs to another folder."
        )


class WorkspaceTooLargeError(KoiError):
    """Report that the workspace has more files than a checkpoint may contain."""

    def __init__(self, root: Path, most: int) -> None:
        super().__init__(
            f"{root} has more than {most} files, too many for a checkpoint. Work in a smaller folder, "
            "exclude files with .gitignore, or raise `max_files` under [checkpoints.store]."
        )


class CheckpointStoreError(KoiError):
    """Report that the store cannot be written, or that its content is damaged."""


@contextmanager
def store_errors(folder: Path) -> Iterator[None]:
    """Raise CheckpointStoreError when the store cannot be written."""
    try:
        yield
    except OSError as error:
        from openkoi_base.files import describe_write_error

        raise CheckpointStoreError(f"Cannot write checkpoints in {folder}: {describe_write_error(error)}.") from error
