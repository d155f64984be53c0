"""Test the plain sandbox beyond the contract."""

import asyncio
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from openkoi_hookspecs import Command, CommandResult, KoiError
from openkoi_sandbox import UnconfinedSandbox

if sys.platform == "linux":
    import resource
else:
    pytest.skip("looks into /proc", allow_module_level=True)


def shell(line: str, seconds: float = 30.0, **env: str) -> Command:
    return Command(["sh", "-c", line], seconds=seconds, env=env)


def ran(folder: Path, command: Command, **settings: Any) -> CommandResult:
    return asyncio.run(UnconfinedSandbox(folder=folder / "outputs", **settings).execute(command, folder))


def carrying(word: str) -> list[str]:
    """The living processes with this word in their environment or command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes()
            if word.encode() in command + (place / "environ").read_bytes():
                found.append(command.decode())
        except OSError:
            continue
    return found


def test_it_says_that_it_enforces_nothing(tmp_path: Path) -> None:
    plain = UnconfinedSandbox(folder=tmp_path)

    assert 0 == asyncio.run(plain.probe_level())
    assert "nothing is enforced" in asyncio.run(plain.health())["level"]


def test_an_outputs_folder_that_cannot_be_written_is_unwell(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("in the way")

    with pytest.raises(KoiError, match="outputs"):
        asyncio.run(UnconfinedSandbox(folder=tmp_path / "outputs").health())


def test_a_workspace_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(KoiError, match="gone"):
        asyncio.run(UnconfinedSandbox(folder=tmp_path).execute(Command(["true"]), tmp_path / "gone"))


@pytest.mark.parametrize("argv", [[], ["/"], ["true", "a\0b"], ["true", "x" * 3_000_000]])
def test_what_cannot_be_run_is_an_answer(tmp_path: Path, argv: list[str]) -> None:
    result = ran(tmp_path, Command(argv))

    assert result.exit_code in (126, 127)
    assert result.output.endswith(".")


def test_there_is_no_terminal(tmp_path: Path) -> None:
    assert 0 != ran(tmp_path, shell("exec 3</dev/tty")).exit_code


def test_a_stopped_process_is_ended(tmp_path: Path) -> None:
    assert ran(tmp_path, shell("kill -STOP $$", seconds=0.2)).timed_out


def test_job_control_groups_are_ended(tmp_path: Path) -> None:
    code = "import subprocess\nfor _ in range(3): subprocess.Popen(['sleep', '60'], process_group=0)"

    result = ran(
        tmp_path, Command([sys.executable, "-c", code], env={"FISH": "groups-koi", "PYTHONWARNINGS": "ignore"})
    )

    assert CommandResult(0, "") == result
    assert [] == carrying("groups-koi")


def test_one_that_forgets_its_environment_is_found_by_its_session(tmp_path: Path) -> None:
    ran(tmp_path, shell("env -i sleep 61.25 & echo done"))

    assert [] == carrying("61.25")


def test_a_tree_that_keeps_forking_is_ended(tmp_path: Path) -> None:
    grow = "f() { sleep 0.01; f & f2=$!; sleep 60; }; trap '' TERM; f & f & wait"

    assert ran(tmp_path, shell(grow, seconds=0.3, FISH="forking-koi"), grace=0.1).timed_out
    assert [] == carrying("forking-koi")


def test_a_command_within_a_command_is_ended_with_it(tmp_path: Path) -> None:
    inner = (
        "import asyncio, pathlib, sys\nfrom openkoi_hookspecs import Command\n"
        "from openkoi_sandbox import UnconfinedSandbox\n"
        "sandbox = UnconfinedSandbox(folder=pathlib.Path('outputs'))\n"
        "asyncio.run(sandbox.execute(Command(['sleep', '60']), pathlib.Path()))"
    )
    command = Command([sys.executable, "-c", inner], seconds=1.0, env={"FISH": "nested-koi"})

    assert ran(tmp_path, command, grace=0.0).timed_out
    assert [] == carrying("nested-koi")


def test_endless_output_is_cut_and_said_to_be(tmp_path: Path) -> None:
    result = ran(tmp_path, shell("yes"), max_output_mb=1.0)

    assert 128 + 15 == result.exit_code
    assert result.output.endswith("[The output exceeded the limit of 1 MB; the rest was discarded.]")
    assert 1_000_000 == Path(result.output_file).stat().st_size


def test_a_flood_does_not_fill_the_memory(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    result = ran(tmp_path, shell("head -c 100000000 /dev/zero"), max_output_mb=80.0)

    assert "exceeded the limit of 80 MB" in result.output
    assert 10_000 > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def test_nothing_leaks(tmp_path: Path) -> None:
    async def story() -> tuple[int, int]:
        plain = UnconfinedSandbox(folder=tmp_path / "outputs")
        await plain.execute(shell("true"), tmp_path)
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # counts, and waits for nothing
        for _ in range(8):
            await plain.execute(shell("sleep 60 & echo out; exit 1", FISH="leaking-koi"), tmp_path)
        return before, len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # counts, and waits for nothing

    before, after = asyncio.run(story())

    assert before == after
    assert [] == carrying("leaking-koi")


def test_cancelled_at_any_moment_nothing_is_left(tmp_path: Path) -> None:
    chance = random.Random(1)

    async def story() -> None:
        plain = UnconfinedSandbox(folder=tmp_path / "outputs", grace=0.2)
        endless = shell("sleep 60 & yes > /dev/null & wait", FISH="cancel-koi")  # kept output would end it by its size
        for _ in range(6):
            task = asyncio.create_task(plain.execute(endless, tmp_path))
            await asyncio.sleep(chance.uniform(0, 0.05))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(story())

    assert [] == carrying("cancel-koi")


def test_told_twice_to_stop_it_still_cleans_up(tmp_path: Path) -> None:
    async def story() -> None:
        plain = UnconfinedSandbox(folder=tmp_path / "outputs", grace=0.3)
        task = asyncio.create_task(plain.execute(shell("trap '' TERM; yes", FISH="twice-koi"), tmp_path))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())

    assert [] == carrying("twice-koi")


def test_a_closed_output_does_not_end_the_waiting(tmp_path: Path) -> None:
    start = time.monotonic()

    assert 5 == ran(tmp_path, shell("exec >/dev/null 2>&1; sleep 0.3; exit 5")).exit_code
    assert 0.3 <= time.monotonic() - start
