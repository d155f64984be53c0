"""Test which level is chosen, and what happens when none is strong enough."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from openkoi_hookspecs import Command
from openkoi_sandbox import LandlockSandbox, RlimitsSandbox, SandboxLadder
from openkoi_sandbox.bubblewrap import BUBBLEWRAP_LEVEL
from openkoi_sandbox.landlock import LANDLOCK_LEVEL
from openkoi_sandbox.launch import NoConfinement
from openkoi_sandbox.level import NO_LEVEL, LevelDefinition, find_best_level
from openkoi_sandbox.report import describe_sandbox
from openkoi_sandbox.rlimits_sandbox import RLIMITS_LEVEL
from openkoi_sandbox.run_until_timeout import JobSettings
from openkoi_sandbox.sandbox_policy import SandboxLevel, SandboxPolicy
from openkoi_sandbox.self_test import CONFINEMENT_TESTS, ISOLATION_TESTS, LIMIT_TESTS, NETWORK_TESTS, level_of

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's cages")
POLICY = SandboxPolicy(memory=1_000_000_000, file=1_000_000_000)
BOASTING = LevelDefinition(
    "boasting", SandboxLevel.ISOLATED, lambda _policy: NoConfinement(), advice=lambda: "be humble"
)
ABSENT = LevelDefinition(
    "absent", SandboxLevel.ISOLATED, lambda _policy: NoConfinement(), missing=lambda: "it is not installed"
)


def settings(folder: Path) -> JobSettings:
    return JobSettings(folder / "outputs", 1_000_000, 0.3, ())


@pytest.mark.parametrize(
    ("level", "refused", "network"),
    [
        (SandboxLevel.NONE, frozenset(), True),
        (SandboxLevel.NONE, CONFINEMENT_TESTS - {"signals"}, True),
        (SandboxLevel.LIMITED, LIMIT_TESTS, True),
        (SandboxLevel.LIMITED, frozenset({"files"}) | ISOLATION_TESTS, True),
        (SandboxLevel.CONFINED, CONFINEMENT_TESTS, True),
        (SandboxLevel.NONE, CONFINEMENT_TESTS, False),
        (SandboxLevel.CONFINED, CONFINEMENT_TESTS | NETWORK_TESTS, False),
        (SandboxLevel.ISOLATED, CONFINEMENT_TESTS | ISOLATION_TESTS, True),
        (SandboxLevel.NONE, CONFINEMENT_TESTS | ISOLATION_TESTS | {"tcp", "udp"}, False),
        (SandboxLevel.ISOLATED, CONFINEMENT_TESTS | ISOLATION_TESTS | NETWORK_TESTS, False),
    ],
)
def test_a_level_is_all_of_its_promises(level: SandboxLevel, refused: frozenset[str], network: bool) -> None:
    assert level is level_of(refused, network=network)


@linux
def test_a_claim_that_is_not_kept_is_found_out(tmp_path: Path) -> None:
    standing = find_best_level([BOASTING], POLICY, settings(tmp_path))

    assert SandboxLevel.NONE is standing.result.level
    assert "it does not prevent" in standing.short[0]


@linux
def test_of_what_confines_nothing_nothing_is_said_to_be_refused(tmp_path: Path) -> None:
    assert {"outliving"} >= find_best_level([BOASTING], POLICY, settings(tmp_path)).result.refused


@linux
def test_what_is_missing_is_passed_over_and_said(tmp_path: Path) -> None:
    standing = find_best_level([ABSENT, RLIMITS_LEVEL, NO_LEVEL], POLICY, settings(tmp_path))

    assert ("limits", SandboxLevel.LIMITED) == (standing.level.name, standing.result.level)
    assert ("absent: it is not installed",) == standing.short


@linux
def test_of_a_cage_that_cannot_be_put_up_no_freedom_is_told(tmp_path: Path) -> None:
    output = describe_sandbox(find_best_level([ABSENT], POLICY, settings(tmp_path)), POLICY)

    assert "0 of 3, none (absent): it cannot be set up here, so no command runs" == output["level"]
    assert "absent: it is not installed" == output["not higher because"]
    assert "commands write" not in output


def test_at_the_bottom_commands_run_plainly(tmp_path: Path) -> None:
    assert NO_LEVEL is find_best_level([ABSENT, NO_LEVEL], POLICY, settings(tmp_path)).level


@linux
def test_the_strongest_that_holds_is_chosen(tmp_path: Path) -> None:
    there = next(
        level
        for level in (BUBBLEWRAP_LEVEL, LANDLOCK_LEVEL, RLIMITS_LEVEL)
        if not level.run_test(POLICY, settings(tmp_path)).trouble
    )

    assert there is SandboxLadder(folder=tmp_path / "outputs").tested_level().level


@linux
def test_proving_leaves_nothing_behind(tmp_path: Path) -> None:
    asyncio.run(SandboxLadder(folder=tmp_path / "outputs").probe_level())

    assert [] == list((tmp_path / "outputs").iterdir())


def test_it_is_proved_once(tmp_path: Path) -> None:
    ladder = SandboxLadder(folder=tmp_path / "outputs")

    assert ladder.tested_level() is ladder.tested_level()


@linux
def test_limits_that_are_switched_off_are_not_claimed(tmp_path: Path) -> None:
    assert 0 == asyncio.run(RlimitsSandbox(folder=tmp_path / "outputs", memory_mb=0, file_mb=0).probe_level())


@linux
def test_what_stays_open_is_told(tmp_path: Path) -> None:
    output = asyncio.run(RlimitsSandbox(folder=tmp_path / "outputs", network=False).health())

    assert "1 of 3, limited (limits): 3 of 15 escape attempts were refused" == output["level"]
    assert "writing outside the workspace" in output["not prevented"]
    assert "on; it cannot be switched off here" == output["network"]


@linux
@pytest.mark.skipif(bool(LANDLOCK_LEVEL.missing()), reason="no Landlock")
def test_a_file_that_is_too_long_is_cut(tmp_path: Path) -> None:
    landlock, long = LandlockSandbox(folder=tmp_path / "outputs", file_mb=1), tmp_path / "long"

    result = asyncio.run(landlock.execute(Command(["sh", "-c", "exec head -c 5000000 /dev/zero > long"]), tmp_path))

    assert 128 + signal.SIGXFSZ == result.exit_code, result
    assert 1_000_000 == long.stat().st_size, result
