"""A calibration report in words, or as JSON. Knows lines; knows no terminal."""

import json
from dataclasses import asdict

from .calibration import Calibration, CalibrationReport

NOTHING = "The run log holds no full judgement of a task that has ended. Do some tasks first."


def as_json(report: CalibrationReport) -> str:
    """The report for programs."""
    several = [{**asdict(one), "alarms": list(one.alarms)} for one in report.calibrations]
    return json.dumps({"evaluators": several, "apart": dict(report.apart)}, indent=2)


def as_text(report: CalibrationReport) -> str:
    """The report for people."""
    if not report.calibrations:
        return NOTHING
    apart = [f"{pair}: {distance:.2f} apart on the same work" for pair, distance in report.apart.items()]
    return "\n".join([*map(section, report.calibrations), *apart])


def section(one: Calibration) -> str:
    """Return the report on one rubric with one model."""
    bins = "  ".join(f"{n / 5:.1f}+ {count}" for n, count in enumerate(one.histogram))
    outcomes = ", ".join(f"{count} {name} (mean {mean:.2f})" for name, (count, mean) in one.outcomes.items())
    lines = [
        f"{one.rubric} with {one.model or 'an unknown model'}: {one.count} judgements, mean {one.mean:.2f}, "
        f"deviation {one.deviation:.2f}",
        f"  scores      {bins}",
        f"  outcomes    {outcomes}",
        f"  votes apart {figure(one.spread)}   equal tasks apart {figure(one.stability)}   drift {one.drift:+.2f}",
        f"  kept work scored higher {figure(one.separation)}   agrees with checks {figure(one.checks)}",
    ]
    if one.weights:
        lines.append(
            f"  weights that would have separated best: {', '.join(f'{k} {v:g}' for k, v in one.weights.items())}"
        )
    return "\n".join([*lines, *(f"  - {alarm}" for alarm in one.alarms)])


def figure(value: float | None) -> str:
    """A number, or that there is none."""
    return "-" if value is None else f"{value:.2f}"
