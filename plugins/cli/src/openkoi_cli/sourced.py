"""What plugins that find plugins list here. They are asked in a process of its own, like plugins that are tried."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from .invocation import Invocation

PATIENCE = 20.0
QUESTION = """
import asyncio, json, sys
from pathlib import Path
from openkoi.open_app import open_app
from openkoi_cli.streams import kept_stdout

async def ask(config):
    koi = open_app(Path.cwd(), config=config)
    try:
        return await koi.services.workspaces.ask_sources(), koi.services.warnings.texts
    finally:
        await koi.services.close()

with kept_stdout() as out:
    listed, warnings = asyncio.run(ask(sys.argv[1]))
    found = {name: [(one.kind, one.name, one.origin) for one in entries] for name, entries in listed.items()}
    print(json.dumps([found, warnings]), file=out)
"""


@dataclass(frozen=True, slots=True)
class Sourced:
    """A plugin that a source lists, and where the source found it."""

    source: str
    kind: str
    name: str
    origin: str


def ask_sources(invocation: Invocation) -> tuple[list[Sourced], list[str]]:
    """Return what sources list for this folder, and what is wrong with them."""
    if not any(one.kind == "sources" for one in invocation.found.found):
        return [], []
    child = [sys.executable, "-c", QUESTION, invocation.config]
    try:
        done = subprocess.run(child, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return [], [f"The sources of plugins do not answer within {PATIENCE:g} s."]
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        return [], [f"The sources of plugins cannot be asked: {reason}"]
    listed, warnings = json.loads(done.stdout)
    return [Sourced(source, *entry) for source, entries in listed.items() for entry in entries], warnings


def format_sourced(listed: list[Sourced]) -> Iterator[str]:
    """Write a line for each source, and one for each plugin that it lists."""
    for source in dict.fromkeys(one.source for one in listed):
        yield f"listed by {source}"
        yield from (f"  {one.kind:<12} {one.name:<16} {one.origin}" for one in listed if one.source == source)
