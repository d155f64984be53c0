"""Keep the log within its limit after a command. Knows the limit; never costs a command its result."""

import asyncio
from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING

import click

from .invocation import Invocation, read_setting

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Koi

MEGABYTE = 1_000_000
ARCHIVED = "The log is larger than memory.max_storage_mb allows: {count} of its oldest files were archived."
NOT_KEPT = "The log was not kept within its limit: {}"


def limit_of(koi: "Koi") -> int:
    """Return how many bytes the log may have; 0 is no limit."""
    from openkoi_settings import keys

    most = read_setting(koi, keys.MAX_STORAGE_MB)
    return round(most * MEGABYTE) if isfinite(most) else 0


def keep_in_store(invocation: Invocation) -> None:
    """Put away the oldest sessions when the log has grown over its limit; memory is told of them first."""
    koi = invocation.koi
    if koi is None or not invocation.paths.sessions.is_dir():
        return
    try:
        archived(invocation, limit_of(koi))
    except Exception as error:  # memory is a plugin, and the command's result is out already
        click.echo(invocation.redact(f"  ! {NOT_KEPT.format(error)}"), err=True)


def size_of(folder: "Path") -> int:
    """Bytes in a folder, without importing what could tell more."""
    size = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process has just put it elsewhere
            size += path.stat().st_size
    return size


def archived(invocation: Invocation, limit: int) -> None:
    """Archive what is over the limit."""
    data = invocation.paths.data
    if not limit or size_of(data / "sessions") + size_of(data / "archive") <= limit:
        return
    from openkoi_cli.archive import Log, keep_within

    log = Log(data)
    asyncio.run(remembered(invocation))
    if names := keep_within(log, limit):
        click.echo(f"  {ARCHIVED.format(count=len(names))}", err=True)


async def remembered(invocation: Invocation) -> None:
    """Let memory read what it has not read yet."""
    from .memory_in_use import update_memory

    async with invocation.open() as koi:
        await update_memory(koi, invocation.paths.sessions)
