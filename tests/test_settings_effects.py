"""Every setting does something: with another value the same task runs otherwise. A setting without a case fails."""

import asyncio
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cli_process import shell, write_script
from setting_scenes import (
    DOWN,
    WRITES,
    Advice,
    Checked,
    Gate,
    Judged,
    Refuses,
    Remembers,
    Scene,
    Shortens,
    approve,
    asking_task,
    calling_task,
    learning_task,
    play,
    repeating_model,
    scored_task,
)

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Model, Paths, Text, ToolCall
from openkoi_loader.bundles import as_preferred
from openkoi_loader.plugin_discovery import Found, scan, with_preferences
from openkoi_loader.plugins import Plugins
from openkoi_settings import Config, Setting, keys, load_config
from openkoi_settings.key import ANY
from openkoi_testing import Line, Scenario, Scripted, ScriptedTurn

TEMPLATE = Path(__file__).parent.parent / "plugins" / "bundle" / "openkoi_bundle" / "openkoi.toml"
COMMENTED = re.compile(r"^# (?=\[[\w.\"'/-]+\]|[\w\"'./-]+ = )")


LOOKS = ToolCall("", "run_command", {"command": "echo heron"})
LONG = ToolCall("", "run_command", {"command": "seq 4000"})
MINE = "openai/my-model"


CATALOGUE = f"""\
name = "ponds"
[[plugins]]
name = "koi"
kind = "hook"
file = "koi.whl"
sha256 = "{"0" * 64}"
"""


@dataclass(frozen=True)
class Case:
    """The results with these settings, and a value other than the default."""

    seen: Callable[[Mapping[str, object]], object]
    other: object


def scene_case(scene: Callable[[], Scene], other: object) -> Case:
    """Return a case in which a task is done."""
    return Case(lambda settings: play(scene(), settings), other)


def mine(*calls: ToolCall, **settings: object) -> Scene:
    """Return a task for a model of which only the configuration knows something."""
    says: list[Line] = [*(calls or [WRITES]), "Done."]
    unknown = Scripted(says, model=Model("my-model", context=128_000, output=8_192))
    return Scene(Scenario(providers={"openai": unknown}, settings={"models.default": MINE, **settings}))


def hook_task(wait: float = 0.0, **hooks: object) -> Scene:
    """Return a task with these hooks, whose questions wait for so many seconds."""
    return Scene(Scenario(says=[WRITES, "Done."], plugins=hooks, settings={"approvals.wait_seconds": wait}))


def overflowing_task(**settings: object) -> Scene:
    """Return a conversation that no longer fits the model."""
    scene = calling_task(*[LONG] * 4, **{"models.known.scripted/script.context": 9_000}, **settings)
    return replace(scene, stage=replace(scene.stage, others={"compactors": {"house": Shortens()}}))


def count_judgements(settings: Mapping[str, object]) -> object:
    """Return how often the judge is asked about work that it finds all but perfect, whose check turns green later."""
    text = "".join(f"def part_{n}(given: int) -> int:\n    return given * {n} + {n * 7}\n\n\n" for n in range(120))
    sure = json.dumps(
        {"scores": dict.fromkeys(("correctness", "safety", "style", "completeness"), 0.97), "findings": []}
    )
    edit = {"path": "sort.py", "search": "given * 3 + 21", "replace": "given * 3 + 22"}
    says: list[Line] = [
        ToolCall("", "write_file", {"path": "sort.py", "content": text}),
        "Written.",
        sure,
        ToolCall("", "edit_file", edit),
        "Fixed.",
        sure,
    ]
    model = Scripted(says)
    installed = Scenario().installed | {"evaluators"}
    off = {"evaluators.testrunner.enabled": False, "evaluators.lint.enabled": False, "evaluators.judge.votes": 1}
    order = {"evaluation.order": ["house", "judge"]}
    stage = Scenario(
        model=model, evaluators={"house": Checked([False, True])}, installed=installed, settings={**off, **order}
    )
    play(Scene(stage, "Sort the list in sort.py"), settings)
    return len([request for request in model.asked if not request.tools])


def embedder_of_memory(settings: Mapping[str, object]) -> object:
    """Return the embedder of the default memory."""
    installed = Scenario().installed | {"memory", "embedders"}

    async def memory(home: Path) -> object:
        async with Scenario(installed=installed, settings={"use.memory": "duckdb", **settings}).build_app(
            home, home
        ) as koi:
            embedder = getattr(await koi.services.components.memory(), "embedder", None)
            return getattr(embedder, "id", None)

    with TemporaryDirectory() as folder:
        return asyncio.run(memory(Path(folder)))


def winner(settings: Mapping[str, object]) -> object:
    """Return the distribution whose tools are used when two have some with one name."""
    ours = scan()
    rivals = tuple(one._replace(distribution=f"acme-{n}") for n in (1, 2) for one in ours.found if one.kind == "tools")
    found = with_preferences(ours._replace(claims=rivals), frozenset())
    held = {key: Setting(value, "the test") for key, value in settings.items()}
    return as_preferred(found, Config(held, Paths(Path("c"), Path("d")), Path())).found


def where_it_runs(settings: Mapping[str, object]) -> object:
    """Return the class of what is used for a plugin of hooks: the module itself, or what stands for it."""
    held = {key: Setting(value, "the test") for key, value in settings.items()}
    plugins = Plugins(Config(held, Paths(Path("c"), Path("d")), Path()), Redactor())
    return type(asyncio.run(plugins.build(Found("hooks", "acme-style", "house_style", "acme")))).__name__


def threshold_of_bundles(settings: Mapping[str, object]) -> object:
    """Return the setting that two bundles beside OpenKoi's own have, each with another value."""
    with TemporaryDirectory() as folder:
        home = write_toml(Path(folder), settings)
        bundles = {Path(folder) / name: name for name in ("own", "a", "b")}
        for place, (path, _) in enumerate(bundles.items()):
            path.mkdir()
            (path / "bundle.toml").write_text(f"[iteration]\nquality_threshold = 0.{5 + place}\n")
        config = load_config(Paths(home, Path(folder) / "data"), Path(folder), bundles=bundles, environment={})
        return config[keys.QUALITY_THRESHOLD]


def found_in_catalogues(settings: Mapping[str, object]) -> object:
    """Return what a search finds in the configured catalogues."""
    with TemporaryDirectory() as folder:
        openkoi = shell(Path(folder))
        openkoi.home.mkdir()
        write_toml(openkoi.home, settings)
        (openkoi.folder / "catalogue.toml").write_text(CATALOGUE)
        return openkoi("plugin", "search", "koi").stdout


def write_toml(folder: Path, settings: Mapping[str, object]) -> Path:
    """Write a user's configuration; return its file."""
    file = folder / "config.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items()))
    return file


def size_of_log(settings: Mapping[str, object]) -> object:
    """Return what the command line says of the log's limit."""
    with TemporaryDirectory() as folder:
        openkoi = shell(Path(folder))
        openkoi.home.mkdir()
        lines = [f"{key} = {value}" for key, value in settings.items()]
        (openkoi.home / "config.toml").write_text("\n".join(lines))
        assert (
            0
            == openkoi("-m", write_script(openkoi.folder, '  - says: "Paris."\n'), "-i", "0", "Name a town").returncode
        )
        return ", limit " in openkoi("memory", "stats").stdout


def announced(settings: Mapping[str, object]) -> object:
    """Return whether a newer release, of which it is known today, is announced after a run in a terminal."""
    from pseudo_terminal import terminal

    with TemporaryDirectory() as folder:
        plain = shell(Path(folder))
        info = Path(folder) / "site" / "openkoi_acme-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: openkoi-acme\nVersion: 1.0\n")
        newer = {"name": "openkoi-acme", "version": "1.0", "latest": "2.0"}
        noted = {"asked": datetime.now(UTC).date().isoformat(), "announced": "", "newer": [newer]}
        (plain.home / "data").mkdir(parents=True)
        (plain.home / "data" / "releases.json").write_text(json.dumps(noted))
        lines = [f"{key} = {json.dumps(one)}" for key, one in settings.items()]
        (plain.home / "config.toml").write_text("\n".join(lines))
        model = write_script(plain.folder, '  - says: "Paris."\n')
        with terminal(plain.seeing(info.parent), "-m", model, "-i", "0", "Name a town") as tty:
            assert 0 == tty.ends()
            return "openkoi-acme 1.0 -> 2.0" in tty.screen


def started(settings: Mapping[str, object]) -> object:
    """What `openkoi` alone starts where another frontend is installed."""
    code = "class Frontend:\n    def run(self, launcher):\n        print('a frontend of acme')\n"
    with TemporaryDirectory() as folder:
        openkoi = shell(Path(folder)).with_plugin(code, frontends="acme:Frontend")
        openkoi.home.mkdir()
        lines = [f"{key} = {json.dumps(one)}" for key, one in settings.items()]
        (openkoi.home / "config.toml").write_text("\n".join(lines))
        return openkoi().stdout


CASES: Mapping[str, Case] = {
    # Who is asked.
    "models.default": scene_case(lambda: asking_task("evaluator"), "other/one"),
    "models.executor": scene_case(lambda: asking_task("evaluator"), "other/one"),
    "models.evaluator": scene_case(lambda: asking_task("evaluator"), "other/one"),
    "models.planner": scene_case(lambda: asking_task("evaluator"), "other/one"),
    "models.small": scene_case(lambda: asking_task("small"), "other/one"),
    "models.embedder": Case(embedder_of_memory, "lexical"),
    "models.fallback.executor": scene_case(lambda: asking_task("evaluator", main=[DOWN]), ["other/one"]),
    "models.fallback.evaluator": scene_case(
        lambda: asking_task("evaluator", **{"models.evaluator": "down/one"}), ["other/one"]
    ),
    "models.fallback.planner": scene_case(
        lambda: asking_task("evaluator", **{"models.planner": "down/one"}), ["other/one"]
    ),
    "models.fallback.small": scene_case(lambda: asking_task("small", **{"models.small": "down/one"}), ["other/one"]),
    f"models.known.{MINE}.context": scene_case(lambda: mine(*[LONG] * 4), 9_000),
    f"models.known.{MINE}.output": scene_case(lambda: mine(**{"safety.max_cost_usd": 0.2}), 10),
    f"models.known.{MINE}.price": scene_case(mine, [0.0, 0.0]),
    "models.unknown_price": scene_case(mine, [1000.0, 1000.0]),
    # How often, for how long and for how much.
    "iteration.max_iterations": scene_case(lambda: scored_task(0.2, 0.4, 0.6), 1),
    "iteration.quality_threshold": scene_case(lambda: scored_task(0.7, 0.9), 0.6),
    "iteration.improvement_threshold": scene_case(lambda: scored_task(0.3, 0.4, 0.9), 0.5),
    "iteration.max_cycles": scene_case(lambda: scored_task(0.9), 1),
    "iteration.token_budget": scene_case(lambda: scored_task(0.9), 100),
    "iteration.timeout_seconds": scene_case(
        lambda: Scene(Scenario(says=[ScriptedTurn((Text("Done."),), delay=1.0)])), 0.2
    ),
    "iteration.skip_eval_confidence": Case(count_judgements, 0.99),
    "safety.max_cost_usd": scene_case(mine, 0.0001),
    "safety.max_cost_usd_per_day": scene_case(mine, 0.0001),
    "safety.max_tokens_per_day": scene_case(mine, 10),
    "safety.max_calls": scene_case(lambda: scored_task(0.9), 1),
    "safety.regression_threshold": scene_case(lambda: scored_task(0.7, 0.6, 0.75), 0.05),
    "safety.abort_on_regression": scene_case(lambda: scored_task(0.7, 0.3, 0.4), False),
    "safety.sandbox_minimum": scene_case(lambda: calling_task(LOOKS), "isolated"),
    "safety.require_checkpoint": scene_case(
        lambda: calling_task(WRITES, **{"checkpoints.store.folder": "/dev/null/kept"}), False
    ),
    "safety.tool_loop.warning": scene_case(repeating_model, 2),
    "safety.tool_loop.critical": scene_case(repeating_model, 12),
    "safety.tool_loop.circuit_breaker": scene_case(repeating_model, 22),
    "redact.allow": scene_case(
        lambda: Scene(Scenario(says=[WRITES, f"Done with ghp_{'x1Y2' * 9}."])), ["github-token"]
    ),
    "approvals.wait_seconds": scene_case(lambda: replace(hook_task(gate=Gate()), beside=approve), 20.0),
    # Who judges, speaks and remembers.
    "evaluation.order": scene_case(
        lambda: Scene(Scenario(says=[WRITES, "Done."], evaluators={"a": Judged([0.9]), "b": Judged([0.9])})), ["b", "a"]
    ),
    "evaluation.checks_only": scene_case(lambda: scored_task(0.9), True),
    "evaluation.require": scene_case(lambda: scored_task(0.9), ["security"]),
    "evaluators.judge.enabled": scene_case(
        lambda: scored_task(0.9, installed=Scenario().installed | {"evaluators"}), False
    ),
    "hooks.order": scene_case(lambda: hook_task(a=Advice("One"), b=Advice("Two")), ["b", "a"]),
    "hooks.deadline_seconds": scene_case(lambda: hook_task(late=Advice("One", seconds=0.5)), 0.1),
    "hooks.acme-style.subprocess": Case(where_it_runs, True),
    "use.memory": scene_case(lambda: scored_task(0.9, others={"memory": {"house": Remembers()}}), "house"),
    "use.sandbox": scene_case(lambda: calling_task(LOOKS), "none"),
    "use.checkpoints": scene_case(lambda: scored_task(0.7, 0.3), "none"),
    "use.questions": scene_case(lambda: replace(hook_task(1.0, gate=Gate()), beside=approve), "none"),
    "use.budget": scene_case(lambda: scored_task(0.9, others={"budgets": {"house": Refuses()}}), "house"),
    "use.compactor": scene_case(overflowing_task, "house"),
    "use.frontend": Case(started, "acme"),
    "bundles.order": Case(threshold_of_bundles, ["a"]),
    "plugins.catalogues": Case(found_in_catalogues, ["catalogue.toml"]),
    "plugins.prefer.tools.workspace": Case(winner, "acme-2"),
    # What is kept and learned.
    "memory.compaction": scene_case(overflowing_task, False),
    "memory.max_storage_mb": Case(size_of_log, 0),
    "updates.check": Case(announced, False),
    "memory.learning_decay_rate": scene_case(lambda: learning_task(0.6, 0.45, times=2), 1e9),
    "learning.hide_below": scene_case(lambda: learning_task(0.6, 0.45, times=2), 0.99),
    "learning.regression_delta": scene_case(lambda: learning_task(0.6, 0.45), 0.3),
    "learning.plateau_delta": scene_case(lambda: learning_task(0.3, 0.4, 0.41), 0.005),
}


def keys_of_template() -> set[str]:
    """Return every key in the template, those behind a # included."""
    lines = [COMMENTED.sub("", line) for line in TEMPLATE.read_text().splitlines()]
    return set(flat(tomllib.loads("\n".join(lines))))


def flat(table: Mapping[str, object], prefix: str = "") -> list[str]:
    found: list[str] = []
    for key, value in table.items():
        found += flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"]
    return found


@pytest.mark.sampled(20)
@pytest.mark.parametrize("key", CASES)
def test_another_value_makes_another_run(key: str) -> None:
    case = CASES[key]
    usual, other = case.seen({}), case.seen({key: case.other})

    assert usual == case.seen({}), "the case itself is not steady"
    assert usual != other
    assert "no effect" not in str(other)


@pytest.mark.row("CFG-01", "CFG-04")
def test_no_setting_is_without_a_case() -> None:
    assert keys_of_template() == set(CASES)
    assert {key.name for key in keys.KEYS if ANY not in key.name} <= set(CASES)


@pytest.mark.row("ITER-02")
@pytest.mark.parametrize("tokens", [200_000, 5_000])
def test_memory_is_asked_for_a_tenth_of_the_task_s_tokens(tokens: int) -> None:
    memory = Remembers()
    scene = scored_task(0.9, memory=memory)

    play(scene, {"iteration.token_budget": tokens})

    assert [tokens // 10] == [query.tokens for query in memory.queries]
