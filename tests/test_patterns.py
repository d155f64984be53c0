"""A plugin finds patterns in the log and proposes them; another one changes and drops some. Both know the contract."""

import json
from pathlib import Path

from cli_process import shell, write_script

ACME = """
import json
from collections import Counter
from dataclasses import replace
import click
from openkoi_hookspecs import Koi, Pattern, Task, events, hookimpl


@hookimpl
def on_pattern(pattern):
    return replace(pattern, title=pattern.title.capitalize(), dropped="secret" in pattern.title)


def texts(koi, kind):
    return [record.event for record in koi.records(koi.session) if isinstance(record.event, kind)]


@click.command()
@click.argument("tasks", nargs=-1)
@click.pass_obj
async def habits(koi: Koi, tasks) -> None:
    for text in tasks:
        await koi.solve(Task(text))
    counts = Counter(event.description for event in texts(koi, events.UsageRecorded) if event.kind == "Task")
    found = [Pattern(text, kind="recurring", schedule="0 9 * * *", samples=n) for text, n in counts.items() if n > 1]
    proposed = [await koi.propose(pattern) for pattern in found]
    logged = [event.pattern for event in texts(koi, events.PatternProposed)]
    click.echo(json.dumps({
        "proposed": [pattern and [pattern.title, pattern.samples] for pattern in proposed],
        "logged": [pattern.title for pattern in logged],
        "same": logged == [pattern for pattern in proposed if pattern],
    }))
"""
SETTINGS = "[evaluators.judge]\nenabled = false\n[iteration]\nmax_iterations = 0\n"


def test_a_pattern_is_proposed_changed_or_dropped_and_logged(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(SETTINGS)
    write_script(tmp_path, "  - says: Done.\n    repeat: true\n")
    there = openkoi.with_plugin(ACME, commands="acme:habits", hooks="acme")
    tasks = ("read the news", "a secret thing", "once") + ("read the news", "a secret thing") * 2

    result = there.with_environment(OPENKOI_MODEL=f"scripted/{tmp_path / 'script.yaml'}")("acme", *tasks)
    lines = [
        line for path in (openkoi.home / "data" / "sessions").glob("*.jsonl") for line in path.read_text().splitlines()
    ]

    assert {"proposed": [["Read the news", 3], None], "logged": ["Read the news"], "same": True} == json.loads(
        result.stdout
    ), result.stderr
    assert [""] == [one["run"] for one in map(json.loads, lines) if one["type"] == "pattern.proposed"]
