"""Budgets in files and in memory keep the same promises; files are shared by processes, also by one that is killed."""

import asyncio
import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from privileges import bound_by_modes

from openkoi_hookspecs import Amount, BudgetRequest, Cost, KoiError, LimitExceededError
from openkoi_local import FileBudget, ProcessBudget
from openkoi_testing import BudgetContract

CALL = Amount(tokens=10, usd=0.3)
RESERVES = """
import asyncio, sys
from pathlib import Path
from openkoi_hookspecs import Amount, BudgetRequest, LimitExceededError
from openkoi_local import FileBudget

async def reserve(budget):
    granted = 0
    for number in range(40):
        call = Amount(tokens=1, usd=0.01)
        try:
            await budget.reserve(BudgetRequest(id=str(number), run="r", model="a/b", most=call, least=call))
        except LimitExceededError:
            break
        granted += 1
    print(granted, flush=True)
    sys.stdin.readline()

asyncio.run(reserve(FileBudget(folder=Path(sys.argv[1]), usd_a_day=0.505)))
"""


def call(id: str = "1") -> BudgetRequest:
    return BudgetRequest(id=id, run="run-1", model="acme/one", most=CALL, least=CALL)


def in_files(folder: Path, limit: Amount) -> FileBudget:
    return FileBudget(folder=folder, usd_a_day=limit.usd, tokens_a_day=limit.tokens)


class TestFileBudget(BudgetContract):
    subject = staticmethod(in_files)


class TestProcessBudget(BudgetContract):
    subject = staticmethod(lambda folder, limit: ProcessBudget(usd_a_day=limit.usd, tokens_a_day=limit.tokens))


@pytest.mark.row("C26")
def test_what_another_process_of_the_same_number_has_reserved_stays_reserved(tmp_path: Path) -> None:
    """Two budgets stand for two processes: in containers both may be number one."""
    asyncio.run(FileBudget(folder=tmp_path, usd_a_day=0.5).reserve(call("here")))

    with pytest.raises(LimitExceededError, match="dollars a day"):
        asyncio.run(FileBudget(folder=tmp_path, usd_a_day=0.5).reserve(call("there")))


@pytest.mark.row("C26")
def test_processes_that_reserve_at_once_are_granted_no_more_than_the_limit(tmp_path: Path) -> None:
    line = [sys.executable, "-c", RESERVES, str(tmp_path)]
    four = [subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    granted = [int(process.stdout.readline()) for process in four]  # type: ignore[union-attr]  # it is a pipe
    for process in four:
        process.communicate("\n", timeout=60)

    assert 50 == sum(granted)


@pytest.mark.row("C26")
@pytest.mark.skipif(os.name != "posix", reason="that a process is gone can be told on POSIX systems only")
def test_what_a_killed_process_had_reserved_counts_as_spent(tmp_path: Path) -> None:
    line = [sys.executable, "-c", RESERVES, str(tmp_path)]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "40\n" == process.stdout.readline()
    process.kill()
    process.communicate(timeout=60)
    budget = FileBudget(folder=tmp_path, usd_a_day=0.505)

    with pytest.raises(LimitExceededError):
        asyncio.run(budget.reserve(call()))
    small = Amount(tokens=1, usd=0.1)
    asyncio.run(budget.reserve(BudgetRequest(id="2", run="r", model="a/b", most=small, least=small)))
    [today] = asyncio.run(budget.days())

    assert pytest.approx((0.4, 0.1)) == (today.spent.usd, today.reserved.usd)


class Midnight(FileBudget):
    """A budget whose day ends when it is told so."""

    day = date(2026, 1, 1)

    def today(self) -> date:
        return self.day


@pytest.mark.row("C26")
def test_what_was_reserved_before_midnight_is_paid_on_that_day(tmp_path: Path) -> None:
    budget = Midnight(folder=tmp_path, usd_a_day=0.5)
    asyncio.run(budget.reserve(call()))
    budget.day = date(2026, 1, 2)
    asyncio.run(budget.settle("1", Cost(budget_tokens=5, usd=0.2)))

    assert [("2026-01-01", 0.2, 0.0), ("2026-01-02", 0.0, 0.0)] == [
        (day.date, day.spent.usd, day.reserved.usd) for day in asyncio.run(budget.days())
    ]


@pytest.mark.parametrize("content", ["", "[]", '{"usd": "much"}', '{"held": {"1:a": 5}}', '{"held": {"1:a": [1]}}'])
def test_a_page_that_cannot_be_read_grants_nothing(content: str, tmp_path: Path) -> None:
    file = tmp_path / f"{datetime.now(UTC).date().isoformat()}.json"
    file.write_text(content)

    with pytest.raises(KoiError, match=r"cannot be read: it is damaged\. Move the file elsewhere"):
        asyncio.run(FileBudget(folder=tmp_path, usd_a_day=0.5).reserve(call()))
    assert content == file.read_text()


def test_a_folder_that_cannot_be_written_grants_nothing(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with bound_by_modes(), pytest.raises(KoiError, match="cannot be written"):
        asyncio.run(FileBudget(folder=tmp_path, usd_a_day=0.5).reserve(call()))


def test_without_a_limit_nothing_is_written(tmp_path: Path) -> None:
    budget = FileBudget(folder=tmp_path / "days")

    assert CALL == asyncio.run(budget.reserve(call()))
    asyncio.run(budget.settle("1", Cost(usd=0.1)))
    assert [] == list(asyncio.run(budget.days()))
    assert not (tmp_path / "days").exists()


def test_the_file_of_a_day_reads_as_before(tmp_path: Path) -> None:
    budget = FileBudget(folder=tmp_path, usd_a_day=0.5)
    asyncio.run(budget.reserve(call("a1")))
    [file] = tmp_path.glob("*.json")

    assert {"tokens": 0.0, "usd": 0.0, "held": {f"{os.getpid()}:a1": [10, 0.3]}} == json.loads(file.read_text())
