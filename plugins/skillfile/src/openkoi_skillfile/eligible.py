"""Check whether this machine has what a skill needs: system, programs, variables."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from shutil import which

from .front import mapping, words

OURS = ("openkoi", "openclaw", "clawdbot", "clawdis", "moltbot")
SYSTEMS = {"macos": "darwin", "mac": "darwin", "osx": "darwin", "windows": "win32", "win": "win32"}


@dataclass(frozen=True, slots=True)
class Requirements:
    """What has to be there; of ``either``, one. Nothing is asked for where nothing is named."""

    systems: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    either: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MachineFeatures:
    """What this machine has."""

    system: str = sys.platform
    program: Callable[[str], str | None] = which
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)


def requirements(metadata: Mapping[str, object]) -> Requirements:
    """Read them where they may stand: in the metadata itself, or in its block for OpenKoi or OpenClaw,
    by any of the names that the latter has had.
    """
    blocks = [metadata, *(mapping(metadata.get(name)) for name in OURS)]
    needs = [mapping(block.get("requires")) for block in blocks]
    return Requirements(
        systems=tuple(name for block in blocks for name in words(block.get("os"))),
        programs=tuple(name for need in needs for name in words(need.get("bins"))),
        variables=tuple(name for need in needs for name in words(need.get("env"))),
        either=tuple(name for need in needs for name in words(need.get("anyBins"))),
    )


def lacking(needs: Requirements, machine: MachineFeatures) -> str:
    """Say what is missing; empty when nothing is."""
    if needs.systems and machine.system not in {SYSTEMS.get(s.casefold(), s.casefold()) for s in needs.systems}:
        return f"it is for {', '.join(needs.systems)}, and this is {machine.system}"
    programs = [name for name in needs.programs if not machine.program(name)]
    if programs:
        return f"it needs the program {programs[0]}, which is not installed"
    if needs.either and not any(map(machine.program, needs.either)):
        return f"it needs one of the programs {', '.join(needs.either)}, and none is installed"
    variables = [name for name in needs.variables if not machine.variables.get(name)]
    return f"it needs the variable {variables[0]}, which is not set" if variables else ""
