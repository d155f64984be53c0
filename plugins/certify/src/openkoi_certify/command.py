"""``openkoi evaluator``: how well judges judge. Knows the terminal; what is measured is decided elsewhere."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import Koi, KoiError, PluginNotFoundError, Record, Result

if TYPE_CHECKING:
    from .certifier import Certifier, CertifyOptions

NOT_PASSED = 3
ASKED_ABOVE = 0.05  # dollars, by issue "Verdicts that can be trusted"
TOKENS, CALLS, SECONDS = 20_000_000, 5_000, 7_200.0


@click.group("evaluator")
def evaluator() -> None:
    """Certify evaluators with planted defects, and hold their scores against what became of the work."""


@evaluator.command("certify")
@click.argument("name")
@click.option("--model", default="", metavar="PROVIDER/MODEL", help="Another model than the configured evaluator.")
@click.option("--votes", default=3, type=click.IntRange(1, 20), help="How often each sample is shown.")
@click.option("--budget", default=2.0, type=click.FloatRange(0), help="Dollars that it may cost.")
@click.option("--yes", is_flag=True, help=f"Do not ask before spending more than ${ASKED_ABOVE}.")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.pass_obj
async def certify(koi: Koi, /, name: str, model: str, votes: int, budget: float, yes: bool, layout: str) -> None:
    """Try an evaluator with planted defects and sound work, and write its certificate.

    Shows the estimated cost before any model is called. Exits with 0 if it passed and with 3 if it did not.
    """
    from .certifier import CertifyOptions
    from .judges import find_rubric
    from .pricing import estimate

    judged = await find_rubric(koi, name)
    order = CertifyOptions(rubric=judged.rubric.name, model=model, votes=votes)
    price = await estimate(koi, judged, order)
    click.echo(f"[certify] {order.rubric}: {price.text(budget)}", err=True)
    if price.usd > ASKED_ABOVE and not yes:
        confirm(order, budget)
    result = await carried_out(koi, order, budget)
    click.echo(format_spent(result), err=True)
    if not print_certificate(Path(result.best.work.text), layout):
        raise SystemExit(NOT_PASSED)


def confirm(order: "CertifyOptions", budget: float) -> None:
    """Ask whether to continue; without a terminal ``--yes`` is needed."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError(
            f"That is more than ${ASKED_ABOVE}. To start it, run: {format_command_line(order, budget)}"
        )
    if not click.confirm("Continue?", default=False, err=True):
        raise click.UsageError("Nothing was run.")


def format_command_line(order: "CertifyOptions", budget: float) -> str:
    """Return the command that starts it without a question."""
    model = f" --model {order.model}" if order.model else ""
    return f"openkoi evaluator certify {order.rubric}{model} --votes {order.votes} --budget {budget:g} --yes"


def format_spent(result: Result) -> str:
    """Say in one line what it cost."""
    from openkoi_report import dollars, plural, tokens_text

    spent = result.cost
    return f"[done] {plural(spent.calls, 'call')}, {tokens_text(spent.tokens)} tokens, {dollars(spent.usd)}"


def show_progress(record: Record) -> None:
    """Show progress: in one line at a terminal, otherwise about ten times."""
    from .certifier import SampleJudged

    if not isinstance(event := record.event, SampleJudged):
        return
    text, over = f"[certify] {event.done} of {event.of} judgements", event.done == event.of
    if sys.stderr.isatty():
        click.echo(f"\r{text}", nl=over, err=True)
    elif over or event.done % max(1, event.of // 10) == 0:
        click.echo(text, err=True)


async def carried_out(koi: Koi, order: object, budget: float) -> Result:
    """Have it done as a task of its own; its best work is the file of the certificate. Raises KoiError."""
    from openkoi_hookspecs import Agent, Limits, StopReason, Task

    koi.listen(show_progress)
    limits = Limits(iterations=0, tokens=TOKENS, calls=CALLS, seconds=SECONDS, usd=budget)
    agent = Agent(name="certify", worker="certify", tools=())
    task = Task("Certify an evaluator", context=str(order), category="certification", limits=limits, agent=agent)
    result = await koi.solve(task)
    if result.best.work.ended is not StopReason.DONE:
        click.echo(format_spent(result), err=True)
        raise KoiError(
            f"The certification was not finished: {result.decision.reason}. Raise --budget, or lower --votes."
        )
    return result


def print_certificate(file: Path, layout: str) -> bool:
    """Print a certificate, and say whether it is passed."""
    from .certificate import from_json
    from .told import page

    text = file.read_text(encoding="utf-8")
    certificate = from_json(text)
    click.echo(text if layout == "json" else page(certificate))
    return certificate.passed


@evaluator.command("list")
@click.pass_obj
def list_evaluators(koi: Koi, /) -> None:
    """List the evaluators there are, and what their certificates say."""
    from .certificate import load_certificates
    from .judges import rubrics_of
    from .told import overview

    click.echo(overview(asyncio.run(rubrics_of(koi)), list(load_certificates(certifier_of(koi).folder))))


@evaluator.command("show")
@click.argument("name")
@click.pass_obj
def show(koi: Koi, /, name: str) -> None:
    """Show an evaluator's newest certificate for each model."""
    from .certificate import load_certificates
    from .judges import find_rubric
    from .told import STALE, page

    one = asyncio.run(find_rubric(koi, name))
    newest = {
        certificate.model: certificate for certificate in load_certificates(certifier_of(koi).folder, one.rubric.name)
    }
    if not newest:
        raise KoiError(f"{one.rubric.name} has no certificate. Get one: openkoi evaluator certify {one.rubric.name}")
    for certificate in newest.values():
        click.echo(page(certificate) + ("" if certificate.stamp == one.stamp else f"\n  - {STALE}"))


@evaluator.command("calibrate")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.pass_obj
def calibrate(koi: Koi, /, layout: str) -> None:
    """Report from the run log how scores relate to what became of the work: kept, undone, or corrected."""
    from .calibration import report_of
    from .history import judgements_in
    from .report import as_json, as_text

    judgements = judgements_in(certifier_of(koi).sessions)
    report = report_of(judgements)
    click.echo(as_json(report) if layout == "json" else as_text(report))


def certifier_of(koi: Koi) -> "Certifier":
    """The worker as it is configured; raises KoiError where it is switched off."""
    from .certifier import Certifier

    with suppress(PluginNotFoundError):
        worker = asyncio.run(koi.load("workers", "certify"))
        if isinstance(worker, Certifier):
            return worker
    raise KoiError("Certification is switched off. Take out enabled = false below [workers.certify].")
