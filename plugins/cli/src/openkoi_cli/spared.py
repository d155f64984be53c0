"""What was spared, by the way it was spared and by the day, as lines. Knows words; counts nothing itself."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from openkoi_report import SAVING_TITLES, SavedTokens, format_dollars, format_tokens

from .spending import SPANS, since

if TYPE_CHECKING:
    from pathlib import Path

    from openkoi_hookspecs import Event, Price
    from openkoi_models import Catalogue

HEAD = "Tokens saved, of each way what it spared by itself:"
WIDE = 20


def spared(sessions: "Path", catalogue: "Catalogue") -> Iterator[str]:
    """What was spared today, this week and this month; that nothing was, where nothing was."""
    from openkoi_report import measure_savings

    from .spending import told

    def price(model: str) -> "Price | None":
        provider, _, name = model.partition("/")
        facts = catalogue.facts(provider, name)
        return facts.price if facts else None

    yield from table(measure_savings(told(sessions, kinds()), price))


def read_catalogue() -> "Catalogue":
    """Read the facts about models that bundles bring."""
    from openkoi_loader.bundles import bundle_folders
    from openkoi_loader.registry import scan
    from openkoi_models import FILE, Catalogue

    return Catalogue([folder / FILE for folder in bundle_folders(scan())])


def kinds() -> "Sequence[type[Event]]":
    """Return the kinds of events that tell it."""
    from openkoi_hookspecs import events

    return (
        *(events.TaskStarted, events.RunForked, events.PlanReady, events.CycleStarted, events.MessageAdded),
        *(events.ModelResponse, events.ToolCallFinished, events.HistoryCompacted, events.ExecutionFinished),
        *(events.EvaluationFinished, events.IterationFinished, events.DecisionMade, events.JudgeVoted),
    )


def table(saved: Sequence[SavedTokens]) -> Iterator[str]:
    """A line for each way, a column for each span."""
    spans = [[one for one in saved if one.at >= since(days)] for _, days in SPANS]
    if not any(spans):
        yield "  No tokens were saved this month."
        return
    yield f"  {HEAD}"
    yield f"    {'':<18}" + "".join(f"{title:>{WIDE}}" for title, _ in SPANS)
    for by, title in SAVING_TITLES.items():
        yield row(title, [[one for one in span if one.by is by] for span in spans])
    yield row("Total", spans)


def row(title: str, spans: Sequence[Sequence[SavedTokens]]) -> str:
    return f"    {title:<18}" + "".join(cell(span).rjust(WIDE) for span in spans)


def cell(span: Sequence[SavedTokens]) -> str:
    """Tokens, and dollars as far as prices are known; less than nothing where a way has cost more than it spared."""
    tokens, usd = sum(one.tokens for one in span), [one.usd for one in span if one.usd is not None]
    return format_tokens(tokens) + (f" (~{format_dollars(sum(usd))})" if usd else "")
