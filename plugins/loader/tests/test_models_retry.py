"""A model that does not answer is asked again, left alone, and stood in for."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from math import inf

import pytest

from openkoi_hookspecs import (
    Chunk,
    KoiError,
    Model,
    Price,
    ProviderUnavailableError,
    Reasoning,
    Request,
    RequestRejectedError,
    Role,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    Usage,
    events,
)
from openkoi_models.retry_or_fallback import Cooldowns, backoff
from openkoi_runlog.report import build_report
from openkoi_testing import Scenario, run_scenario

CHAIN = ["acme/one", "borg/two", "cyan/three"]
USED = Usage(input=1_000, output=100)


@dataclass
class Vendor:
    """Raises its errors in turn, then answers."""

    errors: list[KoiError] = field(default_factory=list)
    thought: str = ""
    asked: list[Request] = field(default_factory=list)

    async def models(self) -> Sequence[Model]:
        """Three models at a price."""
        return [Model(name, context=100_000, output=1_000, price=Price(1.0, 10.0)) for name in ("one", "two", "three")]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Fail, or answer."""
        self.asked.append(request)
        if self.errors:
            raise self.errors.pop(0)
        if self.thought:
            yield Reasoning("Hm.", self.thought)
        yield Text("Here you are.")
        yield StreamEnd(USED)


def busy(times: int = 9) -> list[KoiError]:
    return [ProviderUnavailableError("acme answered 529.", retry_after=0.01) for _ in range(times)]


def stage(*vendors: Vendor) -> Scenario:
    names = ("acme", "borg", "cyan")
    return Scenario(
        providers=dict(zip(names, vendors, strict=False)),
        settings={"models.default": "", "models.fallback.executor": CHAIN[: len(vendors)]},
    )


@pytest.mark.row("PROV-09", "PROV-10")
def test_the_next_model_answers_and_the_result_names_what_happened() -> None:
    late = Vendor([ProviderUnavailableError("borg said nothing new for 60 seconds or longer.")] * 2)
    report = run_scenario(Task("What is here?"), stage(Vendor(busy()), late, Vendor()))
    result = build_report(report.records).build_result()

    assert "Here you are." == result["output"]
    assert {"executor": "cyan/three"} == result["models"]
    assert any("from acme/one to borg/two" in text for text in result["warnings"])
    assert any("from borg/two to cyan/three" in text for text in result["warnings"])


@pytest.mark.row("PROV-09")
def test_only_what_was_used_is_paid() -> None:
    report = run_scenario(Task("What is here?"), stage(Vendor(busy()), Vendor()))
    result = build_report(report.records).build_result()

    assert (0.002, 1_100) == (result["cost_usd"], result["usage"]["total"])


def test_every_switch_is_an_event() -> None:
    report = run_scenario(Task("What is here?"), stage(Vendor(busy()), Vendor()))
    switched = [record.event for record in report.records if isinstance(record.event, events.ModelFallback)]

    assert [("executor", "acme/one", "borg/two")] == [(one.role, one.model, one.to) for one in switched]


def test_a_refusal_is_not_hidden_by_another_model() -> None:
    other, refusal = Vendor(), RequestRejectedError("acme does not know the key.")
    refusal.status = 401

    with pytest.raises(RequestRejectedError, match="does not know the key") as e:
        run_scenario(Task("What is here?"), stage(Vendor([refusal]), other))
    assert [] == other.asked
    assert 401 == e.value.status
    assert len(str(refusal)) < len(str(e.value))  # how to replace the key is added


def test_when_nobody_answers_all_are_named_and_when_to_come_back() -> None:
    never = [ProviderUnavailableError("cyan rate limit exceeded (429).", retry_after=3600.0)]

    with pytest.raises(
        ProviderUnavailableError, match=r"No model answered: cyan .* Try again in 3600 s\. Tried: acme/one"
    ) as e:
        run_scenario(Task("What is here?"), stage(Vendor(busy()), Vendor(busy()), Vendor(list(never))))
    assert 3600.0 == e.value.retry_after


def test_a_model_that_did_not_answer_is_left_alone_for_a_while() -> None:
    first = Vendor(busy(2))
    second_says = [ToolCall("1", "list_files", {}), None]

    class Twice(Vendor):
        async def chat(self, request: Request) -> AsyncIterator[Chunk]:
            """Ask for a tool once, then answer."""
            self.asked.append(request)
            reply = second_says.pop(0)
            yield reply if reply else Text("Done.")
            yield StreamEnd(USED)

    second = Twice()
    run_scenario(Task("What is here?"), stage(first, second))

    assert (2, 2) == (len(first.asked), len(second.asked))


def test_another_model_is_not_shown_what_the_first_one_thought() -> None:
    """Seals are a vendor's own; another would refuse them."""
    calls: list[Chunk | None] = [ToolCall("1", "list_files", {}), None]

    class Thinking(Vendor):
        async def chat(self, request: Request) -> AsyncIterator[Chunk]:
            """Think and ask for a tool, then fail."""
            self.asked.append(request)
            call = calls.pop(0) if calls else None
            if call is None:
                raise ProviderUnavailableError("acme answered 529.")
            yield Reasoning("Hm.", "sealed by acme")
            yield call
            yield StreamEnd(USED)

    other = Vendor()
    run_scenario(Task("What is here?"), stage(Thinking(), other))
    [request] = other.asked

    assert not [part for message in request.messages for part in message.parts if isinstance(part, Reasoning)]
    assert Role.ASSISTANT in [message.role for message in request.messages]


@pytest.mark.parametrize(
    ("error", "tries", "others", "least", "most"),
    [
        (ProviderUnavailableError("x"), 1, False, 0.5, 0.625),
        (ProviderUnavailableError("x"), 2, False, 1.0, 1.25),
        (ProviderUnavailableError("x"), 3, False, 2.0, 2.5),
        (ProviderUnavailableError("x", retry_after=2.0), 1, False, 2.0, 2.5),
        (ProviderUnavailableError("x", retry_after=60.0), 1, False, 60.0, 60.0),
        (ProviderUnavailableError("x"), 1, True, 0.5, 0.625),
    ],
)
def test_what_the_vendor_says_is_a_lower_bound(
    error: ProviderUnavailableError, tries: int, others: bool, least: float, most: float
) -> None:
    waits = [backoff(error, tries, others=others) for _ in range(50)]

    assert all(wait is not None and least <= wait <= most for wait in waits)


@pytest.mark.parametrize(
    ("error", "tries", "others"),
    [
        (ProviderUnavailableError("x", retry_after=61.0), 1, False),
        (ProviderUnavailableError("x", retry_after=inf), 1, False),
        (ProviderUnavailableError("x"), 4, False),
        (ProviderUnavailableError("x"), 2, True),
    ],
)
def test_waiting_is_given_up(error: ProviderUnavailableError, tries: int, others: bool) -> None:
    assert backoff(error, tries, others=others) is None


def test_who_cools_down_is_passed_over_until_everybody_does() -> None:
    now = [0.0]
    cooling = Cooldowns(lambda: now[0])
    cooling.leave("a", None)
    cooling.leave("b", 90.0)

    assert ["c"] == cooling.ready(["a", "b", "c"])
    assert ["a", "b"] == cooling.ready(["a", "b"])
    now[0] = 61.0
    assert ["a", "c"] == cooling.ready(["a", "b", "c"])


def test_who_cannot_stand_in_is_named_at_once_and_passed_over() -> None:
    chain = ["acme/one", "nosuch/two", "borg/three"]
    settings = {"models.default": "", "models.fallback.executor": chain}
    other = Vendor()
    report = run_scenario(
        Task("What is here?"), Scenario(providers={"acme": Vendor(busy()), "borg": other}, settings=settings)
    )
    result = build_report(report.records).build_result()

    assert {"executor": "borg/three"} == result["models"]
    assert any("nosuch/two cannot be a fallback for acme/one" in text for text in result["warnings"])


def test_a_configured_model_comes_before_those_that_stand_in() -> None:
    settings = {"models.default": "borg/two", "models.fallback.executor": ["acme/one"]}
    report = run_scenario(
        Task("What is here?"), Scenario(providers={"acme": Vendor(), "borg": Vendor()}, settings=settings)
    )

    assert {"executor": "borg/two"} == build_report(report.records).build_result()["models"]


@pytest.mark.parametrize(
    ("usage", "total"),
    [(Usage(output=500), 500), (Usage(input=700), 700), (Usage(input=10**13, output=1), 0), (Usage(), 0)],
)
def test_what_a_vendor_does_not_count_is_estimated_and_never_free(usage: Usage, total: int) -> None:
    class Careless(Vendor):
        async def chat(self, request: Request) -> AsyncIterator[Chunk]:
            """Say much, count little."""
            yield Text("word " * 2_000)
            yield StreamEnd(usage)

    report = run_scenario(
        Task("What is here?"),
        Scenario(providers={"acme": Careless()}, settings={"models.default": "acme/one"}),
    )
    counted = build_report(report.records).usage

    assert counted.input > 10
    assert counted.output > 400
    assert total < counted.total < 10**6


@pytest.mark.row("ITER-03", "PROV-07")
def test_a_planner_that_is_configured_is_asked_for_the_steps() -> None:
    class Planner(Vendor):
        async def chat(self, request: Request) -> AsyncIterator[Chunk]:
            """Plan."""
            self.asked.append(request)
            yield Text("1. Look into a.txt.")
            yield StreamEnd(Usage(input=90, output=10))

    worker, planner = Vendor(), Planner()
    settings = {"models.default": "acme/one", "models.planner": "borg/two"}
    report = run_scenario(
        Task("Write a.txt anew"), Scenario(providers={"acme": worker, "borg": planner}, settings=settings)
    )

    assert "Write a.txt anew" in str(planner.asked[0].messages)
    assert "1. Look into a.txt." in str(worker.asked[0].messages)
    assert "borg/two" == build_report(report.records).build_result()["models"]["planner"]


def test_a_planner_that_fails_leaves_the_plan_to_the_executor() -> None:
    settings = {"models.default": "acme/one", "models.planner": "borg/two"}
    vendors = {"acme": Vendor(), "borg": Vendor([RequestRejectedError("borg knows no such model.")])}
    report = run_scenario(Task("Write a.txt anew"), Scenario(providers=vendors, settings=settings))
    result = build_report(report.records).build_result()

    assert "Here you are." == result["output"]
    assert any("Continuing without a plan: borg" in text for text in result["warnings"])
