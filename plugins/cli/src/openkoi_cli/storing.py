"""Keep the log within its limit after a command. Knows the limit; never costs a command its result."""

import asyncio
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import ConfigError

from .invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi.app import App

KEY, MOST = "memory.max_storage_mb", 500.0
MEGABYTE = 1_000_000


def limit_of(koi: "App") -> int:
    """How many bytes the log may have; 0 is no limit. Raises ConfigError for less than that."""
    most = koi.services.config.get(KEY, float, MOST)
    if not 0 <= most < inf:
        origin = koi.services.config.settings[KEY].origin
        raise ConfigError(f"{KEY} in {origin} is {most:g}; it should be a size in megabytes, or 0 for no limit.")
    return round(most * MEGABYTE)


def keep_in_store(invocation: Invocation) -> None:
    """Put away the oldest sessions when the log has grown over its limit; memory is told of them first."""
    koi = invocation.koi
    if koi is None or not koi.services.config.paths.sessions.is_dir():
        return
    try:
        archived(koi, invocation, limit_of(koi))
    except Exception as error:  # memory is a plugin, and the command's result is out already
        click.echo(invocation.redact(f"  ! The log was not kept within its limit: {error}"), err=True)


def size_of(folder: "Path") -> int:
    """Bytes in a folder, without importing what could tell more."""
    size = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process has just put it elsewhere
            size += path.stat().st_size
    return size


def archived(koi: "App", invocation: Invocation, limit: int) -> None:
    """Archive what is over the limit."""
    data = koi.services.config.paths.data
    if not limit or size_of(data / "sessions") + size_of(data / "archive") <= limit:
        return
    from openkoi_archive import Log, keep_within

    log = Log(data)
    asyncio.run(remembered(invocation))
    if names := keep_within(log, limit):
        said = f"The log is larger than memory.max_storage_mb allows: {len(names)} of its oldest files were archived."
        click.echo(f"  {said}", err=True)


async def remembered(invocation: Invocation) -> None:
    """Let memory read what it has not read yet."""
    async with invocation.open() as koi:
        await koi.services.update_memory()
