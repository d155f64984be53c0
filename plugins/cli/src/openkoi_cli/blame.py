"""Define ``openkoi blame [TASK_ID]``, which shows what each plugin, hook, model, tool and learning did in a task."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from .invocation import Invocation
from .own_processes import list_own_processes

if TYPE_CHECKING:
    from openkoi_runlog.report.attribution import Attribution, PluginShare


@click.command()
@click.argument("task_id", required=False, default="")
@click.pass_obj
def command(invocation: Invocation, /, task_id: str) -> None:
    """Show what each plugin, hook, model, tool and learning added to a task. Defaults to the last task."""
    from openkoi_runlog.report.attribution import attribute

    from .replay import load_run

    run, records = load_run(invocation, task_id)
    lines = [*format_attribution(attribute(records, run))]
    if hosted := list_own_processes(invocation.koi or invocation.open()):
        lines.append(f"Currently configured to run in a separate process: {hosted}")
    click.echo(invocation.redact("\n".join(lines)))


def format_attribution(found: "Attribution") -> Iterator[str]:
    """Yield the lines of all tables that have a row."""
    yield from format_table(list_plugins(found))
    yield from format_table(list_models(found))
    yield from format_table(list_tools(found))
    yield from format_table(list_learnings(found))


def list_plugins(found: "Attribution") -> list[Sequence[str]]:
    """Return a row for each plugin and, below it, for each of its hooks that were called, the slowest first."""
    rows: list[Sequence[str]] = [("Plugin", "Hook calls", "Seconds", "Prompt characters", "Decisions")]
    for name, plugin in slowest_first(found.plugins):
        called = [(f"  {hook}", one) for hook, one in slowest_first(plugin.hooks) if one.calls]
        rows += [format_share(label, one) for label, one in [(name, plugin), *called]]
    return rows


def slowest_first(shares: "Mapping[str, PluginShare]") -> "list[tuple[str, PluginShare]]":
    return sorted(shares.items(), key=lambda one: -one[1].seconds)


def format_share(name: str, share: "PluginShare") -> Sequence[str]:
    """Return the row of a plugin or hook."""
    from openkoi_runlog.report.attribution import format_decisions

    return name, f"{share.calls:,}", f"{share.seconds:.3f}", f"{share.characters:,}", format_decisions(share)


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
    """Yield a heading, its rows in columns, and an empty line; yield nothing if there are no rows."""
    if len(rows) < 2:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()
    yield ""
