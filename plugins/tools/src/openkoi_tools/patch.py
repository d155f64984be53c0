"""Parse a patch of either format."""

from openkoi_hookspecs import ToolError

from .apply_patch_format import is_apply_patch_format, parse_files
from .hunks import FilePatch
from .unified_diff import UnifiedDiffParser

NO_FILE = (
    "The patch names no file. Write a unified diff (--- a/path, +++ b/path, @@, and lines that begin with a space, - "
    "or +), or *** Begin Patch, *** Update File: path, @@, the same kinds of lines, and *** End Patch."
)


def parse_patch(patch: str) -> list[FilePatch]:
    """Parse a patch into its changes by file; raise ToolError for one that cannot be parsed."""
    lines = patch.removesuffix("\n").split("\n")
    if all(line.endswith("\r") for line in lines):
        lines = [line.removesuffix("\r") for line in lines]
    files = parse_files(lines) if is_apply_patch_format(lines) else UnifiedDiffParser(lines).parse_files()
    if not files or not all(file.before or file.after for file in files):
        raise ToolError(NO_FILE)
    return files
