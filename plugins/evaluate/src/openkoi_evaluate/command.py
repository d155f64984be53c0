"""``openkoi evaluate [PATH]``: judge work that is there already, and say so by the exit status.

Knows the terminal and the formats; what is judged, and how, is decided elsewhere. The verdict is on stdout, warnings
on stderr.
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openkoi_hookspecs import Koi, Limits

if TYPE_CHECKING:
    from .verdict import Verdict

FORMATS = ("text", "json", "sarif", "markdown")
SECONDS = 1800.0


@click.command()
@click.argument("path", required=False, type=click.Path(exists=True, file_okay=False, resolve_path=True))
@click.option("--diff", "revision", metavar="REV", default="", help="Judge what changed since this git revision.")
@click.option("--format", "layout", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--judge/--no-judge", default=None, help="Need a model as judge, or ask none; else one is asked if there."
)
@click.option("--for", "purpose", metavar="TEXT", default="", help="What the work was meant for: the judge reads it.")
@click.option(
    "-q",
    "--quality",
    type=click.FloatRange(0, 1),
    default=Limits().quality_threshold,
    envvar="OPENKOI_QUALITY",
    show_default=True,
    help="How good is good enough.",
)
@click.option("--seconds", type=click.FloatRange(0), default=SECONDS, show_default=True, help="How long it may take.")
@click.option("--budget", "usd", type=click.FloatRange(0), default=Limits().usd, show_default=True, help="Dollars.")
@click.pass_obj
async def evaluate(koi: Koi, /, path: str | None, layout: str, usd: float, **asked: Any) -> int:
    """Run the evaluators alone on work that is there already, a folder or what changed since a git revision.

    A copy is judged: nothing in the folder changes. Exit: 0 accepted, 3 below the threshold or a check is red, 4
    budget, 5 time, 9 a judge is needed and there is no model.
    """
    from openkoi_redact import current_redactor

    from .session import Wanted, evaluated

    limits = Limits(iterations=1, quality_threshold=asked.pop("quality"), seconds=asked.pop("seconds"), usd=usd)
    here = Path.cwd().resolve()
    wanted = Wanted(folder=Path(path) if path else here, base=here, limits=limits, **asked)
    verdict = await evaluated(wanted, koi)
    redacted = current_redactor()
    for warning in verdict.warnings if layout != "json" else ():
        click.echo(redacted(f"  ! {warning}"), err=True)
    click.echo(redacted(told(verdict, layout)))
    return verdict.status


def told(verdict: "Verdict", layout: str) -> str:
    """The verdict in a format."""
    if layout == "json":
        from .as_json import as_object

        return json.dumps(as_object(verdict), indent=2)
    if layout == "sarif":
        from .sarif import as_sarif

        return json.dumps(as_sarif(verdict, version("openkoi-evaluate")), indent=2)
    from .text import as_markdown, as_text

    return as_markdown(verdict) if layout == "markdown" else as_text(verdict)
