"""Format the saved tokens by saving and time span."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from openkoi_runlog.report import SAVING_TITLES, SavedTokens, format_dollars, format_tokens

from .cost_view import SPANS, span_start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from openkoi_hookspecs import Event, Price

TITLE = "Tokens saved by each optimization, measured separately:"
COLUMN_WIDTH = 20


def format_savings_table(sessions: "Path", price: "Callable[[str], Price | None]") -> Iterator[str]:
    """Yield the savings of today, this week and this month; ``price`` returns a model's."""
    from openkoi_runlog.report import measure_savings

    from .cost_view import read_records

    yield from format_table(measure_savings(read_records(sessions, saving_events()), price))


def saving_events() -> "Sequence[type[Event]]":
    """Return the kinds of events that savings are measured from."""
    from openkoi_hookspecs import events

    return (
        *(events.TaskStarted, events.RunForked, events.PlanReady, events.CycleStarted, events.MessageAdded),
        *(events.ModelResponse, events.ToolCallFinished, events.HistoryCompacted, events.ExecutionFinished),
        *(events.EvaluationFinished, events.IterationFinished, events.DecisionMade, events.JudgeVoted),
    )


def format_table(saved: Sequence[SavedTokens]) -> Iterator[str]:
    """Yield a row for each saving, and a column for each span."""
    spans = [[one for one in saved if one.at >= span_start(days)] for _, days in SPANS]
    if not any(spans):
        yield "  No tokens were saved this month."
        return
    yield f"  {TITLE}"
    yield f"    {'':<18}" + "".join(f"{title:>{COLUMN_WIDTH}}" for title, _ in SPANS)
    for by, title in SAVING_TITLES.items():
        yield format_row(title, [[one for one in span if one.by is by] for span in spans])
    yield format_row("Total", spans)


def format_row(title: str, spans: Sequence[Sequence[SavedTokens]]) -> str:
    return f"    {title:<18}" + "".join(format_cell(span).rjust(COLUMN_WIDTH) for span in spans)


def format_cell(span: Sequence[SavedTokens]) -> str:
    """Format tokens, and dollars if prices are known; losses are negative."""
    tokens, usd = sum(one.tokens for one in span), [one.usd for one in span if one.usd is not None]
    return format_tokens(tokens) + (f" (~{format_dollars(sum(usd))})" if usd else "")
