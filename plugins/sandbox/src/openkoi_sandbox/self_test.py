"""Test a sandbox by trying to escape from it. What was refused decides its level; what it claims does not."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from openkoi_hookspecs import Command, KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .launch import Confinement
from .run_until_timeout import Job, JobSettings
from .sandbox_policy import SandboxLevel, SandboxPolicy

PROBE = Path(__file__).with_name("self_test_probe.py")
PROBE_TIMEOUT_SECONDS = 20.0
LIMIT_TESTS = frozenset({"files", "memory"})
NETWORK_TESTS = frozenset({"tcp", "udp", "abstract"})
CONFINEMENT_TESTS = frozenset({"writing", "changing", "hidden", "unix", "signals", "secrets"})
ISOLATION_TESTS = frozenset({"seeing", "outliving", "modes", "planting"})
UNTESTABLE = frozenset() if sys.platform.startswith("linux") else frozenset({"abstract", "secrets", "seeing"})
ALL_TESTS = LIMIT_TESTS | NETWORK_TESTS | CONFINEMENT_TESTS | ISOLATION_TESTS
DESCRIPTIONS = {
    "files": "files above the size limit",
    "memory": "more memory than allowed",
    "tcp": "the network (TCP)",
    "udp": "the network (UDP)",
    "abstract": "sockets without a path",
    "writing": "writing outside the workspace",
    "changing": "changing, moving or linking files outside the workspace",
    "modes": "changing modes and times of files outside the workspace",
    "hidden": "reading hidden files",
    "unix": "using other programs' sockets",
    "signals": "sending signals to other processes",
    "secrets": "reading other processes' environment variables",
    "seeing": "seeing other processes",
    "outliving": "leaving processes behind",
    "planting": "changing what git runs",
}


@dataclass(frozen=True, slots=True)
class SelfTestResult:
    """The refused attempts, by name, or why none could be tried."""

    level: SandboxLevel
    refused: frozenset[str] = frozenset()
    trouble: str = ""

    @property
    def open_text(self) -> str:
        """The attempts that were not refused, in words."""
        return describe_tests(ALL_TESTS - self.refused)


def describe_tests(names: Iterable[str]) -> str:
    """Return words for names, in the order they are defined in."""
    among = set(names)
    return ", ".join(words for name, words in DESCRIPTIONS.items() if name in among) or "nothing"


def level_of(refused: frozenset[str], *, network: bool) -> SandboxLevel:
    """Return the strongest level all of whose promises were kept."""
    confining = CONFINEMENT_TESTS if network else CONFINEMENT_TESTS | NETWORK_TESTS
    if refused >= confining | ISOLATION_TESTS:
        return SandboxLevel.ISOLATED
    if refused >= confining:
        return SandboxLevel.CONFINED
    return SandboxLevel.LIMITED if refused & LIMIT_TESTS else SandboxLevel.NONE


def run_self_test(
    make: Callable[[SandboxPolicy], Confinement], policy: SandboxPolicy, settings: JobSettings
) -> SelfTestResult:
    """Set up the sandbox with the policy, and one more hidden folder, and run the probe in it."""
    from .escape_targets import escape_targets

    try:
        with escape_targets(settings.outputs) as outside:
            sizes = [str(policy.file or 1), str((policy.memory or 1) + 1_000_000)]
            probe = [sys.executable, "-I", "-S", str(PROBE), *outside.probe_arguments, *sizes]
            confinement = make(replace(policy, hidden=(*policy.hidden, outside.hidden), readable=()))
            sealed = outside.run_by_git if confinement.makes_read_only else ()
            done = Job(
                Command(probe, seconds=PROBE_TIMEOUT_SECONDS), outside.root, settings, confinement, read_only=sealed
            ).run()
            if "tried" not in done.output.split():
                return SelfTestResult(
                    SandboxLevel.NONE, trouble=" ".join(done.output.split()) or "the self-test did not run"
                )
            refused = frozenset(ALL_TESTS - {*outside.find_reached(), *done.output.split(), *UNTESTABLE})
    except KoiError as error:
        return SelfTestResult(SandboxLevel.NONE, trouble=str(error).rstrip("."))
    except OSError as error:
        return SelfTestResult(SandboxLevel.NONE, trouble=f"the self-test cannot run here ({error.strerror or error})")
    return SelfTestResult(level_of(refused, network=policy.network), refused)
