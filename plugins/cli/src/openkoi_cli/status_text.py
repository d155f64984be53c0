"""Read the state of OpenKoi, and format it for ``openkoi status``. Imports no click."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.report import format_dollars, format_tokens, sum_charges, truncate_line

from .cost_view import SPANS, format_span, read_task_cost, span_start
from .daemon_text import format_daemon

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openkoi_hookspecs import MemoryReader, Paths, Price, Reader
    from openkoi_runlog import PastTask
    from openkoi_runlog.report import ModelCharge

    from .invocation import Invocation
    from .pending import Pending

SHOWN_TASKS, SHOWN_TASKS_VERBOSE = 5, 50
PLUGIN_KINDS = (("Skills", "skills"), ("Integrations", "integrations"))


@dataclass(frozen=True, slots=True)
class State:
    """The state, apart from tasks. ``plugins`` are names and origins by kind; the rest is for details."""

    memory: Mapping[str, str]
    plugins: "Mapping[str, Sequence[tuple[str, str]]]"
    price: "Callable[[str], Price | None]" = lambda _: None
    pending: "Sequence[Pending]" = ()
    day: Sequence[str] = ()


def read_state(reader: "Reader") -> State | None:
    """Return the state without details, without opening OpenKoi; None if memory has to be opened."""
    memory = reader.memory() if reader.chosen_name("memory") else None
    if memory is None and reader.chosen_name("memory"):
        return None
    listed = {kind: [(one.name, one.distribution) for one in reader.plugins(kind)] for _, kind in PLUGIN_KINDS}
    return State(read_health(memory), listed)


def read_health(memory: "MemoryReader | None") -> Mapping[str, str]:
    """Return the state of a memory that is read; ``none`` without one."""
    from openkoi_hookspecs.errors import KoiError

    if memory is None:
        return {"": "none"}
    try:
        return memory.health()
    except KoiError as error:
        return {"": str(error)}


def format_status(invocation: "Invocation", there: State, *, costs: bool = False) -> str:
    """Return what ``openkoi status`` shows."""
    from openkoi_runlog import list_past_tasks

    verbose = invocation.verbose
    tasks = list_past_tasks(invocation.paths.sessions, newest=0 if verbose else SHOWN_TASKS)
    lines = format_memory(there.memory, verbose=verbose)
    lines += format_plugins(there.plugins, verbose=verbose)
    lines += format_daemon(invocation.paths.data / "assistant")
    shown = tasks[:SHOWN_TASKS_VERBOSE]
    lines += ["", *format_tasks(shown, invocation.paths)] if tasks else ["", "  No tasks yet."]
    if costs or tasks:
        lines += ["", *format_spending(invocation, there, tasks, by_model=costs)]
    return invocation.redact("\n".join(lines))


def format_memory(health: Mapping[str, str], *, verbose: bool) -> list[str]:
    """Return memory's state in one line, or a line per fact."""
    facts = [f"{word} {value}".lstrip() for word, value in health.items()]
    return ["  Memory:", *(f"    {fact}" for fact in facts)] if verbose else [f"  Memory: {', '.join(facts)}"]


def format_plugins(listed: "Mapping[str, Sequence[tuple[str, str]]]", *, verbose: bool) -> "Iterator[str]":
    """Yield the skills and integrations, if there are any."""
    for title, kind in PLUGIN_KINDS:
        there = listed[kind]
        if there and verbose:
            yield f"  {title}:"
            yield from (f"    {name} (from {origin})" for name, origin in there)
        elif there:
            yield f"  {title}: {', '.join(name for name, _ in there)}"


def format_tasks(tasks: Sequence["PastTask"], paths: "Paths") -> list[str]:
    """Return a row for each task; one that was cut short has the cost of its calls so far."""
    from openkoi_base.files import is_run_active

    rows = []
    for past in tasks:
        tokens, usd = read_task_cost(paths.sessions, past)
        rows.append(
            f"    {past.at[:16].replace('T', ' ')}  {past.run[:8]}  "
            f"{past.status(under_way=is_run_active(paths.running, past.run)):<16} "
            f"{format_tokens(tokens):>6}  {format_dollars(usd):>7}  {truncate_line(past.text, 60)}"
        )
    return ["  Last tasks:", *rows]


def format_spending(
    invocation: "Invocation", state: State, tasks: Sequence["PastTask"], *, by_model: bool
) -> "Iterator[str]":
    """Yield the costs of today, this week and this month, with details if requested."""
    from .cost_view import charge_events, read_charges

    sessions, everything = invocation.paths.sessions, by_model or invocation.verbose
    since = "" if everything else span_start(SPANS[-1][1])
    log = read_charges(sessions, charge_events(phases=invocation.verbose), since=since)
    there = log.charges
    yield from (format_span(name, span_start(days), there, log.begun) for name, days in SPANS)
    if by_model:
        from .savings_table import format_savings_table

        yield from ("", *format_models(there), "", *format_savings_table(sessions, state.price))
    if invocation.verbose:
        from .status_details import format_breakdown

        yield from format_breakdown(invocation.paths.running, tasks, there, state.pending, state.day)


def format_models(there: Sequence["ModelCharge"]) -> list[str]:
    """Return each model's share of all costs."""
    costs = sum_charges(there)
    dearest = sorted(costs.by_model.items(), key=lambda pair: pair[1].usd, reverse=True)
    total = costs.total or 1.0
    rows = [f"    {model:<40} {format_dollars(cost.usd)}  ({cost.usd / total:.0%})" for model, cost in dearest]
    return ["  By model:", *rows]
