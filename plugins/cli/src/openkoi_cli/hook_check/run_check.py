"""Run the check of ``openkoi doctor --hooks``, and print what each implementation did.

It runs in a copy of this process, so that a plugin that ends or blocks the copy can be named; the check is then
repeated without that plugin, and likewise without a plugin that hides hooks of others.
"""

import os
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from ..escape import escape_controls
from .forked_check import check_in_fork
from .synthetic_task import HookReport, make_report

if TYPE_CHECKING:
    from pathlib import Path

    from ..invocation import Invocation

MAX_ENDINGS = 20


def check_hooks(invocation: "Invocation") -> int:
    """Call every hook in a synthetic task; print what happened. Return 1 if an implementation is broken or ignored."""
    from pathlib import Path

    invocation.read()  # its errors are the user's, and no plugin's
    with TemporaryDirectory(prefix="openkoi-hooks-") as name:
        report = check_without_endings(invocation, Path(name).resolve())
    click.echo(escape_controls("\n".join(report.lines)))
    for issue in report.issues:
        click.echo(f"! {escape_controls(issue)}")
    return 1 if report.issues else 0


def check_without_endings(invocation: "Invocation", folder: "Path") -> HookReport:
    """Repeat the check until no plugin ends the process; return the last report, with the issues of all checks."""
    issues: list[str] = []
    without: list[str] = []
    while True:
        attempt = folder / str(len(without))
        attempt.mkdir()
        if not hasattr(os, "fork"):
            return make_report(invocation, attempt, without)
        report, culprit = check_in_fork(partial(make_report, invocation, attempt, without), attempt)
        issues += report.issues
        if not culprit or culprit in without or len(without) == MAX_ENDINGS:
            return HookReport(report.lines, list(dict.fromkeys(issues)))
        without.append(culprit)
