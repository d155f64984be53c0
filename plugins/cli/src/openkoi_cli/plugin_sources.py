"""List the plugins that plugin sources find, in a child process."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from openkoi_hookspecs.lazy_dataclass import dataclass

from .invocation import Invocation
from .streams import reserve_stdout
from .without_hooks import without_hooks

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi, PluginEntry, PluginSource

ANSWER_TIMEOUT_SECONDS = 20.0  # as for imports, see plugins.py
SOURCES_COMMAND = ("plugins", "--sources")


@dataclass(frozen=True, slots=True)
class SourcedPlugin:
    """A plugin that a source lists, and where the source found it."""

    source: str
    kind: str
    name: str
    origin: str
    enabled: bool = True
    subprocess: bool = False

    @property
    def place(self) -> str:
        """Where the source found it, and whether it is disabled or runs in a separate process."""
        if not self.enabled:
            return f"{self.origin}, disabled by {self.kind}.{self.name}.enabled"
        if not self.subprocess:
            return self.origin
        from .own_processes import OWN_PROCESS

        return f"{self.origin}, {OWN_PROCESS}"


def ask_sources(invocation: Invocation) -> tuple[list[SourcedPlugin], list[str]]:
    """Return what sources list for this folder, and warnings about them."""
    if not invocation.launcher.plugins("sources"):
        return [], []
    config = ["--config", invocation.config] if invocation.config else []
    child = [sys.executable, "-P", "-m", "openkoi", *config, *SOURCES_COMMAND]
    try:
        done = subprocess.run(
            child, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ANSWER_TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return [], [f"Plugin sources did not answer within {ANSWER_TIMEOUT_SECONDS:g} s."]
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        return [], [f"Plugin sources failed: {reason}"]
    listed, warnings = json.loads(done.stdout)
    return [SourcedPlugin(source, *entry) for source, entries in listed.items() for entry in entries], warnings


def format_sourced(listed: list[SourcedPlugin]) -> Iterator[str]:
    """Yield a line for each source, and one for each plugin that it lists."""
    for source in dict.fromkeys(one.source for one in listed):
        yield f"listed by {source}"
        yield from (f"  {one.kind:<12} {one.name:<16} {one.place}" for one in listed if one.source == source)


def print_sourced(invocation: Invocation) -> None:
    """Print what the sources list as JSON."""
    with reserve_stdout() as out:
        koi = invocation.open()
        listed = asyncio.run(list_sourced(koi))
        found = {name: [as_listed(one, koi) for one in entries] for name, entries in listed.items()}
        print(json.dumps([found, koi.warnings()]), file=out)


def as_listed(one: "PluginEntry", koi: "OpenedKoi") -> tuple[str, str, str, bool, bool]:
    """Return the fields of a sourced plugin after its source."""
    table = f"{one.kind}.{one.name}"
    hosted = one.load_in_subprocess is not None and koi.setting(f"{table}.subprocess", bool, False)
    return one.kind, one.name, one.origin, koi.setting(f"{table}.enabled", bool, True), hosted


async def list_sourced(koi: "OpenedKoi") -> "Mapping[str, Sequence[PluginEntry]]":
    """Return what each source lists."""
    async with without_hooks(koi):
        sources = koi.plugins("sources")
        listed = await asyncio.gather(*(list_entries(source, koi) for source in sources))
    return {source.name: entries for source, entries in zip(sources, listed, strict=True)}


async def list_entries(entry: "PluginEntry", koi: "OpenedKoi") -> "Sequence[PluginEntry]":
    """Return what a source lists; warn if it fails."""
    from openkoi_base.isolation import ask_source
    from openkoi_hookspecs import KoiError

    try:
        source = cast("PluginSource", await entry.load())
        return await ask_source(entry.name, source, koi, koi.workspace)
    except KoiError as error:
        koi.warn(str(error))
        return ()
