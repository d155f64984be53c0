"""Check whether this machine has what a skill needs: system, programs, variables."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import field
from shutil import which

from openkoi_hookspecs.lazy_dataclass import dataclass

from .front_matter import to_mapping, to_words

METADATA_BLOCKS = ("openkoi", "openclaw", "clawdbot", "clawdis", "moltbot")
KEYS = frozenset({"os", "requires", *METADATA_BLOCKS})
SYSTEMS = {"macos": "darwin", "mac": "darwin", "osx": "darwin", "windows": "win32", "win": "win32"}


@dataclass(frozen=True, slots=True)
class Requirements:
    """The required systems, programs and variables; one of ``any_program`` suffices. Empty means none."""

    systems: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    any_program: tuple[str, ...] = ()


NOTHING = Requirements()


@dataclass(frozen=True, slots=True)
class MachineFeatures:
    """The system, programs and variables of this machine."""

    system: str = sys.platform
    program: Callable[[str], str | None] = which
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)


def parse_requirements(metadata: Mapping[str, object]) -> Requirements:
    """Parse the requirements in the metadata, or in its blocks for OpenKoi and OpenClaw (and its former names)."""
    if KEYS.isdisjoint(metadata):
        return NOTHING
    blocks = [metadata, *(to_mapping(metadata.get(name)) for name in METADATA_BLOCKS)]
    needs = [to_mapping(block.get("requires")) for block in blocks]
    return Requirements(
        systems=tuple(name for block in blocks for name in to_words(block.get("os"))),
        programs=tuple(name for need in needs for name in to_words(need.get("bins"))),
        variables=tuple(name for need in needs for name in to_words(need.get("env"))),
        any_program=tuple(name for need in needs for name in to_words(need.get("anyBins"))),
    )


def describe_missing(needs: Requirements, machine: MachineFeatures) -> str:
    """Return the first missing requirement; empty if all are met."""
    if needs is NOTHING:
        return ""
    if needs.systems and machine.system not in {SYSTEMS.get(s.casefold(), s.casefold()) for s in needs.systems}:
        return f"it requires {', '.join(needs.systems)}, but this is {machine.system}"
    programs = [name for name in needs.programs if not machine.program(name)]
    if programs:
        return f"it requires the program {programs[0]}, which is not installed"
    if needs.any_program and not any(map(machine.program, needs.any_program)):
        return f"it requires one of the programs {', '.join(needs.any_program)}, but none is installed"
    variables = [name for name in needs.variables if not machine.variables.get(name)]
    return f"it requires the environment variable {variables[0]}, which is not set" if variables else ""
