"""What is told of memory, costs and unfinished tasks: from the log alone, and each call once."""

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
from cli_process import Shell, shell, write_script

from openkoi.app import App
from openkoi_base.files import lock_run
from openkoi_cli.cost_view import charge_events, format_span, read_charges, span_start
from openkoi_cli.pending import list_pending
from openkoi_cli.savings_table import format_savings_table
from openkoi_cli.savings_table import format_table as spared_table
from openkoi_cli.status_details import format_breakdown, format_providers, format_table, read_day_limits
from openkoi_cli.status_text import format_memory, format_models, format_plugins, format_tasks
from openkoi_hookspecs import (
    Amount,
    Budget,
    BudgetRequest,
    Cost,
    Decision,
    EvaluationMode,
    Event,
    ExecutionResult,
    NextAction,
    PendingQuestion,
    Plan,
    Question,
    Recall,
    Response,
    Score,
    StreamEnd,
    Task,
    Text,
    Usage,
    events,
)
from openkoi_local import FileQuestions
from openkoi_runlog import PastTask, list_past_tasks
from openkoi_runlog.report import ModelCharge, ModelCost, Phase, SavedTokens, Saving, sum_charges
from openkoi_testing import Scenario

OVER = events.RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost(tokens=1_500, usd=0.5))


def now() -> datetime:
    return datetime.now(UTC)


def asked(usd: float, model: str = "acme/large", tokens: int = 1_000) -> Event:
    return events.ModelResponse(model, Response((Text("…"),), StreamEnd(Usage(input=tokens))), usd)


def task(text: str = "Write", *, over: bool = True) -> list[Event]:
    """A task with a plan, a work and a judgement that are paid for."""
    begun = [
        events.TaskStarted(Task(text)),
        events.RecallFinished(Recall()),
        asked(0.25),
        events.PlanReady(Plan()),
        asked(1.0),
    ]
    return [
        *begun,
        events.ExecutionFinished(ExecutionResult("x")),
        asked(0.5, "other/judge", 500),
        *([OVER] if over else []),
    ]


def house(tmp_path: Path, *runs: tuple[str, Sequence[Event]], settings: dict[str, object] | None = None) -> App:
    """An OpenKoi in whose log this has happened, by run."""
    koi = Scenario(settings=settings or {}).build_app(tmp_path, tmp_path / "home")
    for run, happened in runs:
        koi.services.publish(run, happened)
    koi.services.log.close()
    return koi


def format_status(koi: App, day: Sequence[str] = ()) -> str:
    sessions = koi.services.config.paths.sessions
    waiting = asyncio.run(list_pending(koi))
    return "\n".join(
        format_breakdown(
            koi.services.running,
            list_past_tasks(sessions),
            read_charges(sessions, charge_events(phases=True)).charges,
            waiting,
            day,
        )
    )


def charge(usd: float, model: str, days: float = 0, phase: Phase = Phase.EXECUTE) -> ModelCharge:
    return ModelCharge((now() - timedelta(days=days)).isoformat(), model, phase, ModelCost(usd, Usage(input=1_000), 1))


@pytest.mark.row("CLI-04", "SAFE-11")
def test_the_breakdown_tells_who_was_asked_and_for_what(tmp_path: Path) -> None:
    text = format_status(house(tmp_path, ("run-1", task()), ("run-2", task())))

    assert "    acme                 4 calls, 4.0k tokens, $2.50" in text
    assert "    other                2 calls, 1.0k tokens, $1.00" in text
    assert ["$2.50 (4.0k)"] * 3 == re.findall(r"\$\S+ \(\S+\)", line_of("acme/large", text))
    assert ["$0.50 (2.0k)"] * 3 == re.findall(r"\$\S+ \(\S+\)", line_of("plan", text))
    assert ["$2.00 (2.0k)"] * 3 == re.findall(r"\$\S+ \(\S+\)", line_of("execute", text))
    assert ["$1.00 (1.0k)"] * 3 == re.findall(r"\$\S+ \(\S+\)", line_of("evaluate", text))
    for absent in ("Daily limit", "Waiting", "Not finished"):
        assert absent not in text


def line_of(name: str, text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(f"    {name} "))


@pytest.mark.row("CLI-04")
def test_what_is_left_to_do_is_told(tmp_path: Path) -> None:
    koi = house(tmp_path, ("run-1", task()), ("run-2aaa", task("Write the\nletter", over=False)))
    question = Question("A reason.\nAllow it?")
    questions = FileQuestions(folder=tmp_path / "home" / "data" / "questions")
    asyncio.run(questions.put(PendingQuestion("4f2a9c0e1b7d", "run-2aaa", now().isoformat(), question)))
    text = format_status(koi)

    assert "    4f2a9c0e  just now  Allow it?" in text
    assert "    run-2aaa  interrupted  Write the letter" in text
    assert "run-1" not in text


def test_a_task_that_was_cut_short_shows_what_it_has_cost(tmp_path: Path) -> None:
    koi = house(tmp_path, ("run-1", task()), ("run-2", task("Draw", over=False)))

    rows = {line.split()[2]: line.split()[3:] for line in format_tasks(past_tasks(koi), koi.services.config.paths)[1:]}

    assert ["accept", "1.5k", "$0.50", "Write"] == rows["run-1"]
    assert ["interrupted", "2.5k", "$1.75", "Draw"] == rows["run-2"]


def past_tasks(koi: App) -> Sequence[PastTask]:
    return list_past_tasks(koi.services.config.paths.sessions)


def test_many_unfinished_tasks_are_counted(tmp_path: Path) -> None:
    text = format_status(house(tmp_path, *((f"run-{n}", task(over=False)) for n in range(13))))

    assert (10, True) == (text.count("interrupted"), "    and 3 more" in text)


def test_a_task_that_somebody_works_on_is_not_called_interrupted(tmp_path: Path) -> None:
    koi = Scenario().build_app(tmp_path, tmp_path / "home")
    koi.services.publish("run-1", task(over=False))

    with lock_run(koi.services.running, "run-1"):
        assert "    run-1  running" in format_status(koi)
    assert "    run-1  interrupted" in format_status(koi)


def counted(koi: App, spent: Cost) -> list[str]:
    """The lines about the day, when a call has cost this and another one is under way."""

    async def lines() -> list[str]:
        async with koi:
            for id in ("first", "second") if koi.setting("use.budget", str, "") == "files" else ():
                budget = cast(Budget, await koi.load("budgets", "files"))
                await budget.reserve(BudgetRequest(id=id, run="1", model="a/b", most=A_CALL, least=A_CALL))
            if spent.calls:
                await budget.settle("first", spent)
            return await read_day_limits(koi)

    return asyncio.run(lines())


A_CALL = Amount(tokens=10_000, usd=0.25)


@pytest.mark.row("CLI-04")
@pytest.mark.parametrize(
    ("limits", "reply"),
    [
        ({"safety.max_cost_usd_per_day": 5.0}, ["$1.25 of $5.00"]),
        (
            {"safety.max_cost_usd_per_day": 5.0, "safety.max_tokens_per_day": 60_000},
            ["$1.25 of $5.00, 40k of 60,000 budget tokens"],
        ),
        ({}, []),
    ],
)
def test_the_limit_of_the_day_is_shown_with_what_is_used_and_reserved_of_it(
    limits: dict[str, object], reply: list[str], tmp_path: Path
) -> None:
    koi = house(tmp_path, ("run-1", task()), settings=limits)
    lines = counted(koi, Cost(usd=1.0, budget_tokens=30_000, calls=1))

    assert reply == lines
    assert bool(reply) == ("  Daily limit:\n    $1.25 of $5.00" in format_status(koi, lines))


def test_a_limit_of_the_day_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    koi = house(tmp_path, settings={"safety.max_cost_usd_per_day": 5.0})
    (koi.folder("days") / f"{datetime.now(UTC).date().isoformat()}.json").write_text("no page")

    assert ["cannot be read" in line for line in asyncio.run(read_day_limits(koi))] == [True]


def test_without_a_budget_there_is_no_limit_of_the_day(tmp_path: Path) -> None:
    assert [] == counted(house(tmp_path, settings={"use.budget": "none"}), Cost())


def test_spans_are_told_side_by_side() -> None:
    paid = [charge(1, "acme/a"), charge(2, "acme/a", 5), charge(4, "acme/b", 20), charge(8, "acme/c", 40)]
    spans = [sum_charges(one for one in paid if one.at >= span_start(days)).by_model for days in (1, 7, 30)]

    assert [
        "                     Today           This week          This month",
        "acme/a        $1.00 (1.0k)        $3.00 (2.0k)        $3.00 (2.0k)",
        "acme/b           $0.00 (0)           $0.00 (0)        $4.00 (1.0k)",
    ] == format_table([dict(span) for span in spans])
    assert [] == format_table([{}, {}, {}])
    assert ["acme                 3 calls, 3.0k tokens, $7.00"] == format_providers(sum_charges(paid[:3]))


def test_what_a_fork_took_over_is_not_paid_again(tmp_path: Path) -> None:
    past = task(over=False)
    fork = [events.RunForked("run-1", 0, {}), *past[:4], asked(8.0)]
    koi = house(tmp_path, ("run-1", past), ("run-2", fork))

    for phases in (True, False):
        paid = read_charges(koi.services.config.paths.sessions, charge_events(phases=phases)).charges
        assert 1.75 + 8.0 == sum_charges(paid).total


def test_a_span_counts_what_was_paid_and_which_tasks_began_in_it() -> None:
    old = (now() - timedelta(days=20)).isoformat()
    paid = [charge(1, "acme/a"), charge(2, "acme/a", 20)]

    assert "  Today:       $1.00  (0 tasks, 1.0k tokens)" == format_span("Today", span_start(1), paid, [old])
    assert "  This month:  $3.00  (1 task, 2.0k tokens)" == format_span("This month", span_start(30), paid, [old])


def test_models_are_told_by_their_share_the_dearest_first() -> None:
    lines = format_models([charge(1, "acme/a"), charge(3, "acme/b")])

    assert [("acme/b", "(75%)"), ("acme/a", "(25%)")] == [(line.split()[0], line.split()[-1]) for line in lines[1:]]
    assert ["  By model:"] == format_models([])


def save(by: Saving, tokens: int, usd: float | None = None, days: float = 0) -> SavedTokens:
    return SavedTokens((now() - timedelta(days=days)).isoformat(), by, tokens, usd)


@pytest.mark.row("OBS-04", "TOK-11", "C47")
def test_what_was_saved_is_told_by_the_way_and_the_day() -> None:
    told_of = [
        save(Saving.DELTA, 1_200, 0.02),
        save(Saving.DELTA, 800, 0.01, days=5),
        save(Saving.EVAL_SKIP, 4_000),
        save(Saving.COMPRESSION, -300, -0.02, days=20),
        save(Saving.PROMPT_CACHE, 9_000, 1.0, days=40),
    ]

    assert [
        "  Tokens saved by each optimization, measured separately:",
        "                                     Today           This week          This month",
        "    Delta feedback           1.2k (~$0.02)       2.0k (~$0.03)       2.0k (~$0.03)",
        "    Compression                          0                   0      -300 (~-$0.02)",
        "    Eval skipping                     4.0k                4.0k                4.0k",
        "    Incremental eval                     0                   0                   0",
        "    Prompt caching                       0                   0                   0",
        "    Total                    5.2k (~$0.02)       6.0k (~$0.03)       5.7k (~$0.01)",
    ] == list(spared_table(told_of))
    assert ["  No tokens were saved this month."] == list(spared_table(told_of[-1:]))


@pytest.mark.row("OBS-04", "TOK-11", "C47")
def test_what_was_saved_is_read_from_the_log_and_priced_by_what_is_known_of_the_model(tmp_path: Path) -> None:
    voted = events.JudgeVoted(
        "house",
        ((Score("walls", 0.5),),),
        mode=EvaluationMode.INCREMENTAL,
        calls=1,
        characters=2_000,
        full_characters=8_000,
    )
    cached = events.ModelResponse(
        "anthropic/claude-sonnet-4-5", Response((Text("…"),), StreamEnd(Usage(cache_read=9_000))), 0.0
    )
    koi = house(tmp_path, ("run-1", [*task(over=False), cached, voted, OVER]))
    lines = list(format_savings_table(koi.services.config.paths.sessions, koi.price))

    assert 3 == next(line for line in lines if "Incremental" in line).count("1.5k")
    assert 3 == next(line for line in lines if "Prompt caching" in line).count("9.0k")
    assert 3 == next(line for line in lines if "Total" in line).count("10k")


def test_memory_is_told_in_a_line_or_at_length() -> None:
    facts = {"file": "/koi.db", "entries": "3"}

    assert ["  Memory: file /koi.db, entries 3"] == format_memory(facts, verbose=False)
    assert ["  Memory:", "    file /koi.db", "    entries 3"] == format_memory(facts, verbose=True)
    assert ["  Memory: none chosen"] == format_memory({"": "none chosen"}, verbose=False)


@pytest.mark.row("CLI-04")
@pytest.mark.parametrize(
    ("verbose", "lines"),
    [
        (False, ["  Skills: letters", "  Integrations: chat"]),
        (True, ["  Skills:", "    letters (from given)", "  Integrations:", "    chat (from given)"]),
    ],
)
def test_skills_and_integrations_are_named_when_there_are_any(tmp_path: Path, verbose: bool, lines: list[str]) -> None:
    koi = Scenario(others={"skills": {"letters": object()}, "integrations": {"chat": object()}}).build_app(
        tmp_path, tmp_path
    )
    told_of = [re.sub(r"\(from .*\)", "(from given)", line) for line in plugin_lines(koi, verbose)]

    assert lines == told_of
    assert [] == plugin_lines(house(tmp_path), verbose)


def plugin_lines(koi: App, verbose: bool) -> list[str]:
    listed = {kind: [(one.name, one.origin) for one in koi.plugins(kind)] for kind in ("skills", "integrations")}
    return list(format_plugins(listed, verbose=verbose))


GATE = """
from openkoi_hookspecs import Ask, hookimpl

@hookimpl
def before_tool(call, tool, run):
    return Ask("This writes a file.") if tool.name == "write_file" else None
"""
WRITE = (
    "  - when: {after: 0}\n    calls: [{tool: write_file, arguments: {path: one.txt, content: one}}]\n"
    '  - when: {after: 1}\n    says: "Done."\n'
)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path).with_plugin(GATE, hooks="acme")


@pytest.mark.row("CLI-04", "LOOP-19", "LOOP-21")
@pytest.mark.campaign
def test_a_task_that_waits_is_told_until_it_is_gone_on_with(openkoi: Shell) -> None:
    write_script(openkoi.folder.parent, WRITE)
    openkoi("-m", f"scripted/{openkoi.folder.parent / 'script.yaml'}", "-i", "0", "Write one")
    before, tree = openkoi("status", "--verbose").stdout, openkoi("replay", "--cycles").stdout
    openkoi("approve")
    result = openkoi("resume")
    after, whole = openkoi("status", "--verbose").stdout, openkoi("replay", "--cycles").stdout

    assert ("Allow write_file" in before, "Not finished" in before) == (True, True)
    assert "! write_file(one.txt) -> Not run: this needs the user's approval" in tree
    assert "? Allow write_file" in tree
    assert (0, "Done.\n") == (result.returncode, result.stdout), result.stderr
    assert ("Waiting" in after, "Not finished" in after) == (False, False)
    assert re.search(r"Writing one.txt -> Wrote one.txt", whole)
    assert "By phase: execute" in whole


JUDGED = '{"scores": {"relevance": 0.8, "quality": 0.8, "completeness": 0.8, "other_task": 0}, "findings": []}'
WORDS = (
    f"  - when: {{tools: true}}\n    says: Seen.\n  - when: {{tools: false}}\n    says: '{JUDGED}'\n    repeat: true\n"
)


@pytest.mark.row("C82", "CLI-04")
def test_why_a_task_was_decided_so_is_told_at_its_end_and_again_from_the_log(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    result = openkoi("-m", write_script(openkoi.folder, WORDS), "--why", "Say one word")
    told_at_once = [line for line in result.stderr.splitlines() if line.startswith(("[why]", "  "))]
    told_again = openkoi("status", "--why").stdout.splitlines()

    assert (0, "Seen.\n") == (result.returncode, result.stdout), result.stderr
    assert 3 == sum(line.startswith("      vote ") for line in told_again)
    assert "  iteration 1: accept: score 0.80 meets the threshold 0.80" in told_again
    assert told_again == told_at_once[-len(told_again) :]
