"""Define ``openkoi evaluate [PATH]``, which evaluates existing work and reports the result by its exit status.

The report is on stdout, warnings on stderr.
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openkoi_hookspecs import Koi, Limits

if TYPE_CHECKING:
    from .report import EvaluationReport

FORMATS = ("text", "json", "sarif", "markdown")
DEFAULT_TIME_SECONDS = 1800.0


@click.command()
@click.argument("path", required=False, type=click.Path(exists=True, file_okay=False, resolve_path=True))
@click.option(
    "--diff", "revision", metavar="REV", default="", help="Evaluate only what changed since this git revision."
)
@click.option("--format", "layout", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--judge/--no-judge", default=None, help="Require a model as judge, or use none. [default: use one if available]"
)
@click.option("--for", "purpose", metavar="TEXT", default="", help="Purpose of the work, shown to the judge.")
@click.option(
    "-q",
    "--quality",
    type=click.FloatRange(0, 1),
    default=Limits().quality_threshold,
    envvar="OPENKOI_QUALITY",
    show_default=True,
    help="Minimum score to accept.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0),
    default=DEFAULT_TIME_SECONDS,
    show_default=True,
    help="Time limit in seconds.",
)
@click.option(
    "--budget",
    "usd",
    type=click.FloatRange(0),
    default=Limits().usd,
    show_default=True,
    help="Maximum cost in US dollars.",
)
@click.pass_obj
async def evaluate(koi: Koi, /, path: str | None, layout: str, usd: float, **asked: Any) -> int:
    """Run the evaluators alone on existing work: a folder, or what changed since a git revision.

    A copy is evaluated, so nothing in the folder changes. Exit: 0 accepted, 3 below the threshold or a check failed, 4
    budget, 5 time, 9 a judge is required but not available.
    """
    from openkoi_base.printable import indent_further
    from openkoi_base.redact import current_redactor

    from .session import EvaluationRequest, evaluate_copy

    limits = Limits(iterations=1, quality_threshold=asked.pop("quality"), seconds=asked.pop("seconds"), usd=usd)
    here = Path.cwd().resolve()
    wanted = EvaluationRequest(folder=Path(path) if path else here, base=here, limits=limits, **asked)
    report = await evaluate_copy(wanted, koi)
    redacted = current_redactor()
    for warning in report.warnings if layout != "json" else ():
        click.echo(f"  ! {indent_further(redacted(warning))}", err=True)
    click.echo(redacted(format_report(report, layout)))
    return report.status


def format_report(report: "EvaluationReport", layout: str) -> str:
    """Return the report in a format."""
    if layout == "json":
        from .json_output import report_to_json

        return json.dumps(report_to_json(report), indent=2)
    if layout == "sarif":
        from .sarif import report_to_sarif

        return json.dumps(report_to_sarif(report, version("openkoi-cli")), indent=2)
    from .text_output import format_markdown, format_text

    return format_markdown(report) if layout == "markdown" else format_text(report)
