"""``openkoi evaluator``: how well judges judge. Knows the terminal; what is measured is decided elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import Koi, KoiError

if TYPE_CHECKING:
    from .certifier import Certifier

NOT_PASSED = 3
TOKENS, CALLS, SECONDS = 20_000_000, 5_000, 7_200.0


@click.group("evaluator")
def evaluator() -> None:
    """Certify evaluators with planted defects, and hold their scores against what became of the work."""


@evaluator.command("certify")
@click.argument("name")
@click.option("--model", default="", metavar="PROVIDER/MODEL", help="Another model than the configured evaluator.")
@click.option("--votes", default=3, type=click.IntRange(1, 20), help="How often each sample is shown.")
@click.option("--budget", default=2.0, type=click.FloatRange(0), help="Dollars that it may cost.")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.pass_obj
async def certify(koi: Koi, /, name: str, model: str, votes: int, budget: float, layout: str) -> None:
    """Try an evaluator with planted defects and sound work, and write its certificate.

    Exits with 0 when it passed and with 3 when it did not.
    """
    from .certifier import Order
    from .judges import named

    order = Order(rubric=named(koi, name).rubric.name, model=model, votes=votes)
    file = await carried_out(koi, order, budget)
    certificate = printed(file, layout)
    if not certificate:
        raise SystemExit(NOT_PASSED)


async def carried_out(koi: Koi, order: object, budget: float) -> Path:
    """Have it done as a task of its own; return the file of the certificate. Raises KoiError."""
    from openkoi_hookspecs import Agent, Ended, Limits, Task

    limits = Limits(iterations=0, tokens=TOKENS, calls=CALLS, seconds=SECONDS, usd=budget)
    agent = Agent(name="certify", worker="certify", tools=())
    task = Task("Certify an evaluator", context=str(order), category="certification", limits=limits, agent=agent)
    result = await koi.solve(task)
    work = result.best.work
    if work.ended is not Ended.DONE:
        raise KoiError(f"The certification was not finished: {result.ruling.reason}. Raise --budget, or lower --votes.")
    return Path(work.text)


def printed(file: Path, layout: str) -> bool:
    """Print a certificate, and say whether it is passed."""
    from .certificate import from_json
    from .told import page

    text = file.read_text(encoding="utf-8")
    certificate = from_json(text)
    click.echo(text if layout == "json" else page(certificate))
    return certificate.passed


@evaluator.command("list")
@click.pass_obj
def listed(koi: Koi, /) -> None:
    """List the evaluators there are, and what their certificates say."""
    from .certificate import kept
    from .judges import rubrics_of
    from .told import overview

    click.echo(overview(rubrics_of(koi), list(kept(certifier_of(koi).folder))))


@evaluator.command("show")
@click.argument("name")
@click.pass_obj
def show(koi: Koi, /, name: str) -> None:
    """Show an evaluator's newest certificate for each model."""
    from .certificate import kept
    from .judges import named
    from .told import STALE, page

    one = named(koi, name)
    newest = {certificate.model: certificate for certificate in kept(certifier_of(koi).folder, one.rubric.name)}
    if not newest:
        raise KoiError(f"{one.rubric.name} has no certificate. Get one: openkoi evaluator certify {one.rubric.name}")
    for certificate in newest.values():
        click.echo(page(certificate) + ("" if certificate.stamp == one.stamp else f"\n  - {STALE}"))


@evaluator.command("calibrate")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.pass_obj
def calibrate(koi: Koi, /, layout: str) -> None:
    """Report from the run log how scores relate to what became of the work: kept, taken back, corrected."""
    from .calibration import report_of
    from .history import judgements_in
    from .report import as_json, as_text

    judgements = judgements_in(certifier_of(koi).sessions)
    report = report_of(judgements)
    click.echo(as_json(report) if layout == "json" else as_text(report))


def certifier_of(koi: Koi) -> "Certifier":
    """The worker as it is configured; raises KoiError where it is switched off."""
    from .certifier import Certifier

    for entry in koi.entries("workers"):
        worker = entry.load() if entry.name == "certify" else None
        if isinstance(worker, Certifier):
            return worker
    raise KoiError("Certification is switched off. Take out enabled = false below [workers.certify].")
