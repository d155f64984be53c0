"""What can go wrong with checkpoints, each a sentence for a person."""

from pathlib import Path

from openkoi_hookspecs import KoiError


class NoCheckpoint(KoiError):
    """There is no checkpoint of this id for this workspace."""

    def __init__(self, id: str, root: str) -> None:
        super().__init__(f"There is no checkpoint {id!r} of {root}. It was deleted, or taken of another folder.")


class TooMany(KoiError):
    """The workspace holds more than can be kept again and again."""

    def __init__(self, root: Path, most: int) -> None:
        super().__init__(
            f"{root} has more than {most} files, too many to keep a checkpoint of. Work in a smaller folder, "
            "hide some in .gitignore, or raise max_files under [checkpoints.store]."
        )


class StoreFault(KoiError):
    """The store cannot be written, or what was kept cannot be read back as it was written."""
