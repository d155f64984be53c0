"""Format a calibration report as text or JSON."""

import json
from dataclasses import asdict

from openkoi_base.counts import format_count

from .calibration import Calibration, CalibrationReport

NO_JUDGMENTS = "No finished task has a full judgment in the run log yet. Run some tasks first."


def report_to_json(report: CalibrationReport) -> str:
    """Return the report as JSON."""
    several = [{**asdict(one), "alarms": list(one.alarms)} for one in report.calibrations]
    return json.dumps({"evaluators": several, "apart": dict(report.apart)}, indent=2)


def format_report(report: CalibrationReport) -> str:
    """Return the report as text."""
    if not report.calibrations:
        return NO_JUDGMENTS
    apart = [f"{pair}: differ by {distance:.2f} on the same work" for pair, distance in report.apart.items()]
    return "\n".join([*map(format_section, report.calibrations), *apart])


def format_section(one: Calibration) -> str:
    """Return the text about one rubric with one model."""
    bins = "  ".join(f"{n / 5:.1f}+ {count}" for n, count in enumerate(one.histogram))
    outcomes = ", ".join(f"{count} {name} (mean {mean:.2f})" for name, (count, mean) in one.outcomes.items())
    votes, equal = format_number(one.spread), format_number(one.stability)
    deviations = f"deviation between votes {votes}   deviation between runs of the same task {equal}"
    lines = [
        f"{one.rubric} with {one.model or 'an unknown model'}: {format_count(one.count, 'judgment')}, "
        f"mean {one.mean:.2f}, deviation {one.deviation:.2f}",
        f"  scores      {bins}",
        f"  outcomes    {outcomes}",
        f"  {deviations}   drift {one.drift:+.2f}",
        f"  kept work scored above rejected work {format_number(one.separation)}   agrees with checks "
        f"{format_number(one.checks)}",
    ]
    if one.weights:
        weights = ", ".join(f"{name} {weight:g}" for name, weight in one.weights.items())
        lines.append(f"  weights that best separate kept from rejected work: {weights}")
    return "\n".join([*lines, *(f"  - {alarm}" for alarm in one.alarms)])


def format_number(value: float | None) -> str:
    """Format a number, or a dash for None."""
    return "-" if value is None else f"{value:.2f}"
