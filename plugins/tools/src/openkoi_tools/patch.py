"""Read a patch of either format. Pure."""

from openkoi_hookspecs import ToolError

from .envelope import files_of, is_envelope
from .hunks import FilePatch
from .unified import Unified

NO_FILE = (
    "The patch names no file. Write a unified diff (--- a/path, +++ b/path, @@, and lines that begin with a space, - "
    "or +), or *** Begin Patch, *** Update File: path, @@, such lines, and *** End Patch."
)


def parsed(patch: str) -> list[FilePatch]:
    """What a patch does to which files; raises ToolError for one that cannot be read."""
    lines = patch.removesuffix("\n").split("\n")
    if all(line.endswith("\r") for line in lines):
        lines = [line.removesuffix("\r") for line in lines]
    files = files_of(lines) if is_envelope(lines) else Unified(lines).files()
    if not files or not all(file.before or file.after for file in files):
        raise ToolError(NO_FILE)
    return files
