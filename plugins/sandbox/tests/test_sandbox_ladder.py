"""Which rung is stood on, and what happens when none is strong enough."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from openkoi_hookspecs import Command
from openkoi_sandbox import Ladder, Landlock, Limits
from openkoi_sandbox.bubblewrap import ISOLATED
from openkoi_sandbox.job import Settings
from openkoi_sandbox.landlock import CONFINED
from openkoi_sandbox.launch import Uncaged
from openkoi_sandbox.limited import LIMITED
from openkoi_sandbox.policy import Level, Policy
from openkoi_sandbox.proof import CONFINING, DOORS, ISOLATING, LIMITS, level_of
from openkoi_sandbox.rung import PLAIN, Rung, climb
from openkoi_sandbox.told import described

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's cages")
POLICY = Policy(memory=1_000_000_000, file=1_000_000_000)
BOASTING = Rung("boasting", Level.ISOLATED, lambda _policy: Uncaged(), advice=lambda: "be humble")
ABSENT = Rung("absent", Level.ISOLATED, lambda _policy: Uncaged(), missing=lambda: "it is not installed")


def settings(folder: Path) -> Settings:
    return Settings(folder / "outputs", 1_000_000, 0.3, ())


@pytest.mark.parametrize(
    ("level", "refused", "network"),
    [
        (Level.NONE, frozenset(), True),
        (Level.NONE, CONFINING - {"signals"}, True),
        (Level.LIMITED, LIMITS, True),
        (Level.LIMITED, frozenset({"files"}) | ISOLATING, True),
        (Level.CONFINED, CONFINING, True),
        (Level.NONE, CONFINING, False),
        (Level.CONFINED, CONFINING | DOORS, False),
        (Level.ISOLATED, CONFINING | ISOLATING, True),
        (Level.NONE, CONFINING | ISOLATING | {"tcp", "udp"}, False),
        (Level.ISOLATED, CONFINING | ISOLATING | DOORS, False),
    ],
)
def test_a_level_is_all_of_its_promises(level: Level, refused: frozenset[str], network: bool) -> None:
    assert level is level_of(refused, network=network)


@linux
def test_a_claim_that_is_not_kept_is_found_out(tmp_path: Path) -> None:
    standing = climb([BOASTING], POLICY, settings(tmp_path))

    assert Level.NONE is standing.proof.level
    assert "it left open" in standing.short[0]


@linux
def test_of_what_confines_nothing_nothing_is_said_to_be_refused(tmp_path: Path) -> None:
    assert {"outliving"} >= climb([BOASTING], POLICY, settings(tmp_path)).proof.refused


@linux
def test_what_is_missing_is_passed_over_and_said(tmp_path: Path) -> None:
    standing = climb([ABSENT, LIMITED, PLAIN], POLICY, settings(tmp_path))

    assert ("limits", Level.LIMITED) == (standing.rung.name, standing.proof.level)
    assert ("absent: it is not installed",) == standing.short


@linux
def test_of_a_cage_that_cannot_be_put_up_no_freedom_is_told(tmp_path: Path) -> None:
    told = described(climb([ABSENT], POLICY, settings(tmp_path)), POLICY)

    assert "0 of 3, none (absent): it cannot be put up here, so no command runs" == told["level"]
    assert "absent: it is not installed" == told["not higher because"]
    assert "commands write" not in told


def test_at_the_bottom_commands_run_plainly(tmp_path: Path) -> None:
    assert PLAIN is climb([ABSENT, PLAIN], POLICY, settings(tmp_path)).rung


@linux
def test_the_strongest_that_holds_is_chosen(tmp_path: Path) -> None:
    there = next(rung for rung in (ISOLATED, CONFINED, LIMITED) if not rung.tried(POLICY, settings(tmp_path)).trouble)

    assert there is Ladder(folder=tmp_path / "outputs").standing().rung


@linux
def test_proving_leaves_nothing_behind(tmp_path: Path) -> None:
    asyncio.run(Ladder(folder=tmp_path / "outputs").probe_level())

    assert [] == list((tmp_path / "outputs").iterdir())


def test_it_is_proved_once(tmp_path: Path) -> None:
    ladder = Ladder(folder=tmp_path / "outputs")

    assert ladder.standing() is ladder.standing()


@linux
def test_limits_that_are_switched_off_are_not_claimed(tmp_path: Path) -> None:
    assert 0 == asyncio.run(Limits(folder=tmp_path / "outputs", memory_mb=0, file_mb=0).probe_level())


@linux
def test_what_stays_open_is_told(tmp_path: Path) -> None:
    told = asyncio.run(Limits(folder=tmp_path / "outputs", network=False).health())

    assert "1 of 3, limited (limits): 3 of 15 ways out that were tried are closed" == told["level"]
    assert "writing outside the workspace" in told["left open"]
    assert "on: it cannot be switched off here" == told["network"]


@linux
@pytest.mark.skipif(bool(CONFINED.missing()), reason="no Landlock")
def test_a_file_that_is_too_long_is_cut(tmp_path: Path) -> None:
    landlock, long = Landlock(folder=tmp_path / "outputs", file_mb=1), tmp_path / "long"

    done = asyncio.run(landlock.execute(Command(["sh", "-c", "exec head -c 5000000 /dev/zero > long"]), tmp_path))

    assert 128 + signal.SIGXFSZ == done.exit_code, done
    assert 1_000_000 == long.stat().st_size, done
