"""Test that third-party schedulers, fleets and teams work with the contract alone."""

import sys
from dataclasses import replace
from pathlib import Path

from acme_fleet import Queue
from cli_process import Shell
from documented_plugins import DONE, LEAN, configure, events_of, example_of, logged, numbered, shell_with, write_files

from openkoi_hookspecs import events

HERE = Path(__file__).parent
SKILL = "---\nname: ship-it\ndescription: How Acme ships a release\n---\nShip on Tuesdays.\n"


def test_habits_of_all_sessions_are_proposed_approved_and_done_on_schedule(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path, turns="  - {says: The news are good., repeat: true}\n", **LEAN)
    openkoi = openkoi.with_plugin((HERE / "acme_scheduler.py").read_text(), commands="acme:scheduler", hooks="acme")
    for text in ("Read the news", "Say it once", "A secret thing", "Read the news", "A secret thing"):
        openkoi(text)
    proposed = openkoi("acme", "propose").stdout
    refused = openkoi("acme", "approve", "Say it once")
    openkoi("acme", "approve", "Read the news", "--every", "0.1")
    result = openkoi("acme", "run", "--times", "3")

    assert "Read the news (2 times)\n" == proposed
    assert "'Say it once' was not proposed." in refused.stderr
    *texts, learned = result.stdout.splitlines()
    assert len(texts) >= 3, result.stderr
    assert {"Read the news: The news are good."} == set(texts)
    assert learned.endswith(" learned")
    assert int(learned.split()[0]) >= 3
    assert "schedule" in {one.task.channel for one in events_of(openkoi, events.TaskStarted)}


def with_fleet(tmp_path: Path, **settings: object) -> tuple[Shell, Queue]:
    path = tmp_path / "queue.db"
    turns = "".join(numbered(n) for n in range(6)) + DONE
    openkoi = shell_with(tmp_path, turns=turns, commands={"acme": {"path": str(path), **settings}}, **LEAN)
    return openkoi.with_plugin((HERE / "acme_fleet.py").read_text(), commands="acme:fleet"), Queue(path, 0, 0)


def test_workers_of_two_processes_do_each_task_once_and_know_its_run(tmp_path: Path) -> None:
    openkoi, queue = with_fleet(tmp_path)
    openkoi("acme", "submit", *(f"Number {n} please" for n in range(6)))
    workers = [openkoi.started("acme", "work") for _ in range(2)]
    texts = [worker.communicate(timeout=100)[1] for worker in workers]

    rows = queue.all()
    assert [("accept", f"It is {n}.") for n in range(6)] == [(state, text) for _, state, _, _, text, _ in rows], texts
    begun = [one.run for one in logged(openkoi) if isinstance(one.event, events.TaskStarted)]
    assert sorted(begun) == sorted(str(run) for _, _, _, run, _, _ in rows)
    assert all(isinstance(usd, float) and usd > 0 for *_, usd in rows)


def test_a_fleet_never_spends_more_than_its_day(tmp_path: Path) -> None:
    openkoi, queue = with_fleet(tmp_path, usd_a_day=0.0075, usd_a_task=0.006)
    (tmp_path / "script.yaml").write_text("output: 50\n" + (tmp_path / "script.yaml").read_text())
    openkoi("acme", "submit", *(f"Number {n} please" for n in range(6)))
    openkoi("acme", "work")

    rows = queue.all()
    states = {state for _, state, *_ in rows}
    assert {"accept"} < states <= {"accept", "abort_budget", "over budget"}  # the last where others hold what is left
    assert 0.0 < sum(float(str(usd)) for *_, usd in rows) <= 0.0075


def test_a_team_shares_a_memory(tmp_path: Path) -> None:
    shared = {"acme": {"path": str(tmp_path / "team.db")}}
    quiet = {"learning": {"enabled": False}}
    ann = shell_with(tmp_path, "Memory", memory=shared, hooks=quiet)
    ann("Where is the invoice parser?")
    bob = replace(ann, home=tmp_path / "bob")
    configure(bob, {**example_of("Memory").settings, "memory": shared, "hooks": quiet})
    result = bob("-i", "0", "Explain the invoice parser")

    (recalled,) = events_of(bob, events.RecallFinished)
    assert ["Where is the invoice parser?"] == [hit.item.text.splitlines()[0] for hit in recalled.recall.hits], (
        result.stderr
    )


def test_a_bundle_brings_nested_settings_and_skills(tmp_path: Path) -> None:
    clock = f'[sources.acme.servers.clock]\ncommand = "{sys.executable}"\nargs = ["clock.py"]\n'
    bundle = example_of("Bundle")
    bundle = replace(bundle, files={**bundle.files, "acme_bundle/bundle.toml": clock})
    openkoi = shell_with(tmp_path).with_plugin((HERE / "acme_tool_servers.py").read_text(), sources="acme:Servers")
    openkoi = bundle.installed(openkoi)
    write_files(tmp_path / "site" / "acme_bundle", {"skills/ship-it/SKILL.md": SKILL})

    assert "clock" in openkoi("plugins").stdout
    assert "ship-it" in openkoi("skill", "list").stdout
