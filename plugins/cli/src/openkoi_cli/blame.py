"""Define ``openkoi blame [TASK_ID]``, which shows what each plugin, model, tool and learning did in a task."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_runlog.report.attribution import Attribution


@click.command()
@click.argument("task_id", required=False, default="")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str) -> None:
    """Show what each plugin, model, tool and learning added to a task. Defaults to the last one."""
    from openkoi_runlog.report.attribution import attribute

    from .replay import load_run

    run, records = load_run(invocation, task_id)
    click.echo(invocation.redact("\n".join(format_attribution(attribute(records, run)))))


def format_attribution(found: "Attribution") -> Iterator[str]:
    """Yield the lines of all tables that have a row."""
    yield from format_table(list_plugins(found))
    yield from format_table(list_models(found))
    yield from format_table(list_tools(found))
    yield from format_table(list_learnings(found))


def list_plugins(found: "Attribution") -> list[Sequence[str]]:
    """Return a row for each plugin, the slowest first."""
    from openkoi_runlog.report.attribution import format_decisions

    ordered = sorted(found.plugins.items(), key=lambda one: -one[1].seconds)
    rows = [
        (name, f"{one.calls:,}", f"{one.seconds:.3f}", f"{one.characters:,}", format_decisions(one))
        for name, one in ordered
    ]
    return [("Plugin", "Hook calls", "Seconds", "Prompt characters", "Decisions"), *rows]


def list_models(found: "Attribution") -> list[Sequence[str]]:
    """Return a row for each model in each role."""
    from openkoi_runlog.report import format_dollars

    rows = [
        (role, f"{one.calls:,}", f"{one.seconds:.3f}", f"{one.tokens:,}", f"{format_dollars(one.usd)}  {model}")
        for (role, model), one in found.models.items()
    ]
    return [("Role", "Calls", "Seconds", "Tokens", "Cost   Model"), *rows]


def list_tools(found: "Attribution") -> list[Sequence[str]]:
    """Return a row for each tool."""
    rows = [(name, f"{one.calls:,}", f"{one.seconds:.3f}", f"{one.failed:,}") for name, one in found.tools.items()]
    return [("Tool", "Calls", "Seconds", "Failed"), *rows]


def list_learnings(found: "Attribution") -> list[Sequence[str]]:
    """Return a row for each learning that was shown."""
    from openkoi_runlog.report import first_line

    rows = [(one.id, f"{len(one.text):,}", one.status, first_line(one.text, 60)) for one in found.learnings]
    return [("Learning", "Characters", "Status", "Text"), *rows]


def format_table(rows: "Sequence[Sequence[str]]") -> Iterator[str]:
    """Yield a heading and its rows in columns, and an empty line; nothing for a heading alone."""
    if len(rows) < 2:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()
    yield ""
