"""Define ``openkoi evaluator``: certify and calibrate judges."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError, Record, Result

if TYPE_CHECKING:
    from .certifier import Certifier, CertifyOptions

NOT_PASSED = 3
CONFIRM_ABOVE_USD = 0.05  # ask for confirmation above this cost (issue 14)
MAX_TOKENS, MAX_CALLS, MAX_SECONDS = 20_000_000, 5_000, 7_200.0


@click.group("evaluator")
def evaluator() -> None:
    """Certify evaluators with planted defects, and calibrate their scores."""


@evaluator.command("certify")
@click.argument("name")
@click.option("--model", default="", metavar="PROVIDER/MODEL", help="Model to certify. [default: models.evaluator]")
@click.option(
    "--votes", default=3, type=click.IntRange(1, 20), show_default=True, help="Number of times each sample is judged."
)
@click.option("--budget", default=2.0, type=click.FloatRange(0), show_default=True, help="Maximum cost in US dollars.")
@click.option("--yes", is_flag=True, help=f"Spend more than ${CONFIRM_ABOVE_USD} without confirmation.")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@click.pass_obj
async def certify(koi: Koi, /, name: str, model: str, votes: int, budget: float, yes: bool, layout: str) -> None:
    """Certify an evaluator with planted defects and sound work.

    Shows the estimated cost before calling a model. Exits with status 0 if the evaluator passes, else with 3.
    """
    from .certifier import CertifyOptions
    from .cost_estimate import estimate
    from .judges import find_rubric

    judged = await find_rubric(koi, name)
    order = CertifyOptions(rubric=judged.rubric.name, model=model, votes=votes)
    price = await estimate(koi, judged, order)
    click.echo(f"[certify] {order.rubric}: {price.text(budget)}", err=True)
    if price.usd > CONFIRM_ABOVE_USD and not yes:
        confirm(order, budget)
    result = await run_certification(koi, order, budget)
    click.echo(format_spent(result), err=True)
    if not print_certificate(Path(result.best.work.text), layout):
        raise SystemExit(NOT_PASSED)


def confirm(order: "CertifyOptions", budget: float) -> None:
    """Ask whether to continue; without a terminal ``--yes`` is needed."""
    if not can_prompt(sys.stderr):
        raise click.UsageError(
            f"Spending more than ${CONFIRM_ABOVE_USD} needs your approval. To approve it, run "
            f"`{format_command_line(order, budget)}`."
        )
    if not click.confirm("Continue?", default=False, err=True):
        raise click.UsageError("Nothing was run.")


def format_command_line(order: "CertifyOptions", budget: float) -> str:
    """Return the command that starts the certification without confirmation."""
    model = f" --model {order.model}" if order.model else ""
    return f"openkoi evaluator certify {order.rubric}{model} --votes {order.votes} --budget {budget:g} --yes"


def format_spent(result: Result) -> str:
    """Return the cost in one line."""
    from openkoi_base.counts import format_count
    from openkoi_runlog.report import format_dollars, format_tokens

    spent = result.cost
    return (
        f"[done] {format_count(spent.calls, 'call')}, {format_tokens(spent.tokens)} tokens, {format_dollars(spent.usd)}"
    )


def show_progress(record: Record) -> None:
    """Show progress: in one line at a terminal, otherwise about ten times."""
    from .certifier import SampleJudged

    if not isinstance(event := record.event, SampleJudged):
        return
    text, over = f"[certify] {event.done} of {event.of} judgments", event.done == event.of
    if sys.stderr.isatty():
        click.echo(f"\r{text}", nl=over, err=True)
    elif over or event.done % max(1, event.of // 10) == 0:
        click.echo(text, err=True)


async def run_certification(koi: Koi, order: object, budget: float) -> Result:
    """Run the certification as a task; its answer is the certificate's path. Raises KoiError."""
    from openkoi_hookspecs import Agent, Limits, StopReason, Task

    koi.listen(show_progress)
    limits = Limits(iterations=0, tokens=MAX_TOKENS, calls=MAX_CALLS, seconds=MAX_SECONDS, usd=budget)
    agent = Agent(name="certify", worker="certify", tools=())
    task = Task("Certify an evaluator", context=str(order), category="certification", limits=limits, agent=agent)
    result = await koi.solve(task)
    if result.best.work.ended is not StopReason.DONE:
        click.echo(format_spent(result), err=True)
        raise KoiError(f"The certification did not finish: {result.decision.reason}. Raise --budget or lower --votes.")
    return result


def print_certificate(file: Path, layout: str) -> bool:
    """Print a certificate, and return whether it is passed."""
    from .certificate import parse_certificate
    from .certificate_text import format_certificate

    text = file.read_text(encoding="utf-8")
    certificate = parse_certificate(text)
    click.echo(text if layout == "json" else format_certificate(certificate))
    return certificate.is_passed


@evaluator.command("list")
@click.pass_obj
def list_evaluators(koi: Koi, /) -> None:
    """List evaluators and their certificates."""
    from .certificate import load_certificates
    from .certificate_text import format_overview
    from .judges import list_rubrics

    click.echo(format_overview(asyncio.run(list_rubrics(koi)), list(load_certificates(find_certifier(koi).folder))))


@evaluator.command("show")
@click.argument("name")
@click.pass_obj
def show(koi: Koi, /, name: str) -> None:
    """Show an evaluator's newest certificate for each model."""
    from .certificate import load_certificates
    from .certificate_text import STALE, format_certificate
    from .judges import find_rubric

    one = asyncio.run(find_rubric(koi, name))
    newest = {
        certificate.model: certificate for certificate in load_certificates(find_certifier(koi).folder, one.rubric.name)
    }
    if not newest:
        raise KoiError(f"{one.rubric.name} has no certificate. Run `openkoi evaluator certify {one.rubric.name}`.")
    for certificate in newest.values():
        click.echo(format_certificate(certificate) + ("" if certificate.stamp == one.stamp else f"\n  - {STALE}"))


@evaluator.command("calibrate")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@click.pass_obj
def calibrate(koi: Koi, /, layout: str) -> None:
    """Compare past scores with what you did with the work: kept, undone or corrected."""
    from .calibration import build_calibration_report
    from .calibration_text import format_report, report_to_json
    from .outcomes import load_judgments

    judgements = load_judgments(find_certifier(koi).sessions)
    report = build_calibration_report(judgements)
    click.echo(report_to_json(report) if layout == "json" else format_report(report))


def find_certifier(koi: Koi) -> "Certifier":
    """Return the configured worker; raise KoiError if it is disabled."""
    from .certifier import Certifier

    with suppress(PluginNotFoundError):
        worker = asyncio.run(koi.load("workers", "certify"))
        if isinstance(worker, Certifier):
            return worker
    raise KoiError("Certification is disabled. Remove `enabled = false` from [workers.certify] in the config file.")
