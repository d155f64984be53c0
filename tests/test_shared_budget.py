"""A budget of a third party, on the contract alone, decides through the command line what may be spent."""

import asyncio
from pathlib import Path

import pytest
from cli_process import Shell, logged_records, shell, write_script

from openkoi_hookspecs import Amount, BudgetDay, BudgetRequest, ConfigError, Cost, PluginError, Task
from openkoi_testing import Scenario, run_scenario

LOOKS = "  - {calls: [{tool: list_files, arguments: {path: .}}], repeat: true}\n"
CALL_LIMIT = """
from datetime import UTC, datetime

from openkoi_hookspecs import Amount, BudgetDay, BudgetRequest, Cost, LimitExceededError


class CallLimit:
    def __init__(self, *, calls: int = 2) -> None:
        self.calls = calls
        self.reserved = {}
        self.spent = {}

    async def reserve(self, request: BudgetRequest) -> Amount:
        if len(self.reserved) + len(self.spent) >= self.calls:
            raise LimitExceededError(f"{self.calls} calls a process")
        self.reserved[request.id] = request.most
        return request.most

    async def settle(self, id: str, cost: Cost) -> None:
        if self.reserved.pop(id, None) and cost.calls:
            self.spent[id] = cost

    async def days(self) -> list[BudgetDay]:
        usd = sum(cost.usd for cost in self.spent.values())
        return [BudgetDay(date=datetime.now(UTC).date().isoformat(), spent=Amount(usd=usd))]
"""
BROKEN = """
from openkoi_hookspecs import Cost


class Broken:
    async def reserve(self, request):
        raise ConnectionError("the ledger of the team does not answer")

    async def settle(self, id, cost):
        assert cost == Cost()

    async def days(self):
        return []
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line whose model looks at the folder again and again, and that pays from the budget ``acme``."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(
        '[evaluators.judge]\nenabled = false\n[use]\nsandbox = "plain"\nbudget = "acme"\n'
    )
    return openkoi.with_environment(OPENKOI_MODEL=write_script(openkoi.folder, LOOKS))


def responses(openkoi: Shell) -> int:
    """How many answers of models are in the log."""
    return sum(record["type"] == "model.response" for record in logged_records(openkoi.home))


def test_a_run_ends_with_the_words_of_the_budget_and_the_status_of_a_limit(openkoi: Shell) -> None:
    result = openkoi.with_plugin(CALL_LIMIT, budgets="acme:CallLimit")("Look around.")

    assert 4 == result.returncode, result.stderr
    assert "[abort] Budget exceeded (limit of 2 calls a process)." in result.stderr
    assert 2 == responses(openkoi)


def test_its_own_settings_and_days_are_used(openkoi: Shell) -> None:
    with (openkoi.home / "config.toml").open("a") as file:
        file.write("[budgets.acme]\ncalls = 3\n")
    report = openkoi.with_plugin(CALL_LIMIT, budgets="acme:CallLimit")
    result, process = report("Look around."), report("status", "--verbose")

    assert "3 calls a process" in result.stderr
    assert 3 == responses(openkoi)
    assert 0 == process.returncode, process.stderr
    assert "no setting" not in result.stderr + process.stderr


def test_a_budget_that_fails_ends_the_task_before_anything_is_asked(openkoi: Shell) -> None:
    result = openkoi.with_plugin(BROKEN, budgets="acme:Broken")("Look around.")

    assert 1 == result.returncode
    assert "Plugin 'acme' failed at reserve: ConnectionError: the ledger of the team does not answer" in result.stderr
    assert 0 == responses(openkoi)


def test_a_budget_that_is_not_installed_ends_the_task(openkoi: Shell) -> None:
    result = openkoi("Look around.")

    assert 2 == result.returncode
    assert "No budget named 'acme'" in result.stderr
    assert 0 == responses(openkoi)


# In one process.


class Given:
    """A budget that grants this, and remembers what it was asked."""

    def __init__(self, granted: object = None, settles: Exception | None = None) -> None:
        self.granted, self.settles = granted, settles
        self.asked: list[BudgetRequest] = []
        self.costs: list[Cost] = []

    async def reserve(self, request: BudgetRequest) -> object:
        self.asked.append(request)
        return self.granted or request.most

    async def settle(self, id: str, cost: Cost) -> None:
        self.costs.append(cost)
        if self.settles:
            raise self.settles

    async def days(self) -> list[BudgetDay]:
        return []


def paying_from(budget: Given, **settings: object) -> Scenario:
    price = {"models.known.scripted/script.price": [0.0, 1000.0], "models.known.scripted/script.output": 4_000}
    return Scenario(others={"budgets": {"given": budget}}, settings={**price, "use.budget": "given", **settings})


def test_a_request_says_who_pays_and_what_it_may_cost() -> None:
    budget = Given()
    run = run_scenario(Task("Say it"), paying_from(budget))
    [request], [cost] = budget.asked, budget.costs

    assert (run.result.run, "scripted/script") == (request.run, request.model)
    assert request.least.tokens < request.most.tokens
    assert request.least.usd < request.most.usd
    assert pytest.approx(run.result.cost.usd) == cost.usd


def test_with_less_than_the_most_the_answer_is_shorter() -> None:
    budget = Given(Amount(tokens=10_000_000, usd=0.5))
    run = run_scenario(Task("Say it"), paying_from(budget))
    [request] = budget.asked

    assert request.most.usd > 0.5
    assert "done" == run.result.text
    assert run.result.cost.usd <= 0.5


@pytest.mark.parametrize("granted", [Amount(tokens=1, usd=9.0), Amount(tokens=1e6, usd=0.0), "all of it"])
def test_a_grant_below_the_least_is_an_error_of_the_budget(granted: object) -> None:
    budget = Given(granted)

    with pytest.raises(PluginError, match="'given' failed at reserve"):
        run_scenario(Task("Say it"), paying_from(budget))
    assert [Cost()] == budget.costs


def test_a_cost_that_cannot_be_recorded_loses_no_answer() -> None:
    run = run_scenario(Task("Say it"), paying_from(Given(settles=OSError("the disk is full"))))
    reply = [getattr(record.event, "text", "") for record in run.records]

    assert "done" == run.result.text
    assert any("could not be recorded" in text and "the disk is full" in text for text in reply)


def test_a_run_that_is_stopped_while_it_waits_gives_its_reservation_back(tmp_path: Path) -> None:
    class Waiting(Given):
        async def reserve(self, request: BudgetRequest) -> object:
            waiting.set()
            return await asyncio.Event().wait()

    async def stop() -> None:
        async with paying_from(budget).build_app(tmp_path, tmp_path / "home") as koi:
            handle = koi.begin(Task("Say it"))
            await waiting.wait()
            handle.stop()

    budget, waiting = Waiting(), asyncio.Event()
    asyncio.run(stop())

    assert [Cost()] == budget.costs


def test_a_limit_that_no_budget_keeps_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"safety\.max_cost_usd_per_day is set, but nothing enforces it"):
        run_scenario(Task("Say it"), Scenario(settings={"use.budget": "none", "safety.max_cost_usd_per_day": 1.0}))
