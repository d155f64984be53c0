"""Archive the oldest sessions after a command when the log exceeds its limit."""

from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING

from .invocation import Invocation
from .setting_names import MAX_STORAGE_MB

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Koi, Reader

BYTES_PER_MB = 1_000_000
NOT_REDUCED = "The log could not be reduced to its limit: {}"


def read_limit(koi: "Koi | Reader") -> int:
    """Return the log's limit in bytes; 0 means no limit."""
    most = koi.setting(MAX_STORAGE_MB, float, 0.0)
    return round(most * BYTES_PER_MB) if isfinite(most) else 0


def limit_log(invocation: Invocation) -> None:
    """Archive the oldest sessions if the log exceeds its limit, after memory has read them."""
    koi = invocation.koi or invocation.reader
    if koi is None:
        return
    try:
        if invocation.paths.sessions.is_dir():
            archive_excess(invocation, read_limit(koi))
    except Exception as error:  # memory is a plugin, and the command's result is out already
        import click

        click.echo(invocation.redact(f"  ! {NOT_REDUCED.format(error)}"), err=True)


def folder_size(folder: "Path") -> int:
    """Return the size of a folder's files in bytes, without importing the archive package."""
    size = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process has just archived it
            size += path.stat().st_size
    return size


def archive_excess(invocation: Invocation, limit: int) -> None:
    """Archive sessions until the log is within the limit."""
    data = invocation.paths.data
    if not limit or folder_size(data / "sessions") + folder_size(data / "archive") <= limit:
        return
    import asyncio

    from openkoi_cli.archive.compress_log import archive_oldest
    from openkoi_cli.archive.segments import Log

    log = Log(data)
    asyncio.run(update_memory_first(invocation))
    if names := archive_oldest(log, limit):
        import click

        click.echo(f"  {describe_archived(len(names))}", err=True)


def describe_archived(files: int) -> str:
    """Return a line about how much was archived, and why."""
    from openkoi_base.counts import format_count

    archived = format_count(files, "file")
    return f"Archived {archived} of the log, the oldest first, because it exceeded memory.max_storage_mb."


async def update_memory_first(invocation: Invocation) -> None:
    """Let memory read the records that it has not read yet."""
    from .memory_in_use import update_memory

    async with invocation.open() as koi:
        await update_memory(koi, invocation.paths.sessions)
