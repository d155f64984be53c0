"""Scripts change prompts, calls and results from the command line, once the user has allowed what is not theirs."""

from pathlib import Path

import pytest
from documented_plugins import calling, events_of, turn
from script_runs import scripts_shell, write_project, write_user

from openkoi_hookspecs import events

STYLE = """
def before_plan(task):
    log("planning", task.text)
    return ["Write British English."]

def BeforeExecute(run):
    return [section("count", "%d iterations are over" % run.iterations)]

def after_plan(plan):
    return {"steps": plan.steps + ["End with a summary."]}

def before_tool(call, tool):
    if tool.effect != "reads" and "generated/" in call.arguments["path"]:
        return deny("Generated files are not edited.")

def after_execute(work):
    return {"text": work.text.replace("Done", "Finished")}
"""
WRITE = turn(calling("write_file", path="generated/a.txt", content="x"), when="contains: Write it, after: 0")
DONE_TURN = "  - {says: Done., repeat: true}\n"
PYTHON = """
from openkoi_hookspecs import Section, hookimpl

@hookimpl
def before_plan(task):
    return [Section("py", f"From Python: {task.text}")]
"""


@pytest.mark.row("PLUG-04", "PLUG-07", "PLUG-10", "C33")
def test_a_script_of_the_user_changes_the_prompt_the_calls_and_the_answer(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, WRITE + DONE_TURN)
    write_user(openkoi, {"our_style.star": STYLE})

    result = openkoi("Write it")

    assert (0, "Finished.\n") == (result.returncode, result.stdout), result.stderr
    assert "our-style: planning Write it" in result.stderr
    plan = events_of(openkoi, events.PlanReady)[0].plan
    assert "Write British English." in [one.text for one in plan.sections if one.source == "our-style"]
    assert "End with a summary." in plan.steps
    refused = events_of(openkoi, events.ToolCallFinished)[0].result
    assert refused.failed
    assert "Generated files are not edited." in refused.text
    assert not (openkoi.folder / "generated").exists()
    returned = {one.hook for one in events_of(openkoi, events.HookReturned) if one.plugin == "our-style"}
    assert {"before_plan", "before_execute", "after_plan", "before_tool", "after_execute"} == returned


@pytest.mark.row("MEM-01", "PLUG-05", "C5")
def test_scripts_are_listed_and_proven(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, plugins={"scripts": [str(tmp_path / "mine.star")]})
    write_user(openkoi, {"our_style.star": STYLE})
    (tmp_path / "mine.star").write_text("def message_sending(message):\n    return {'text': message.text.upper()}\n")

    text, checked = openkoi("plugins").stdout, openkoi.cold("doctor", "--hooks")

    assert "listed by scripts\n" in text
    assert f"our-style        {openkoi.home}/data/plugins/scripts/our_style.star" in text
    assert "" == checked.stderr
    assert not [line for line in checked.stdout.splitlines() if line.startswith("! Plugin ")]
    rows = {tuple(line.split()[:2]) for line in checked.stdout.splitlines()}
    assert {("our-style", "before_plan"), ("our-style", "before_tool"), ("mine", "message_sending")} <= rows
    assert "no effect" not in openkoi("Say hello").stderr


@pytest.mark.parametrize("name", ["style.star", "style.py"])
def test_a_script_of_a_project_is_used_as_it_was_approved(tmp_path: Path, name: str) -> None:
    openkoi = scripts_shell(tmp_path)
    text = PYTHON if name.endswith(".py") else 'def before_plan(task):\n    return ["From Starlark: " + task.text]\n'
    folder = write_project(openkoi, {name: text})

    def sections() -> list[str]:
        result = openkoi("Say hello")
        plan = events_of(openkoi, events.PlanReady)[-1].plan
        return [one.text for one in plan.sections if one.source == "style"] + [
            line for line in result.stderr.splitlines() if "is not used" in line
        ]

    decide = "To decide, run `openkoi script approve style`."
    warning = f"  ! Plugin 'style' is not used: {folder / name} is not approved. {decide}"
    assert [warning] == sections()
    unproven = openkoi.cold("doctor", "--hooks")
    assert (1, True) == (unproven.returncode, "! Plugin 'style' is not used" in unproven.stdout)
    assert "Approved style." in openkoi("script", "approve", "style", "--yes").stdout
    texts = sections()
    assert [f"From {'Python' if name.endswith('.py') else 'Starlark'}: Say hello"] == texts
    assert "! Plugin 'style'" not in openkoi.cold("doctor", "--hooks").stdout
    write_project(openkoi, {name: text.replace("From", "To")})
    assert [warning.replace("is not approved", "has changed since you approved it")] == sections()
    assert str(folder / name) in openkoi("trust").stdout
    openkoi("trust", "revoke", "--all")
    write_project(openkoi, {name: text})
    assert [warning] == sections()


def test_the_user_is_asked_in_the_run_and_the_answer_counts_at_once(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, approvals={"wait_seconds": 20})
    write_project(openkoi, {"style.py": PYTHON, "other.star": "def before_plan(task):\n    return ['Other.']\n"})

    running = openkoi.started("Say hello")
    for _ in range(2):
        while not openkoi("approve").stdout.startswith("Approved"):
            assert running.poll() is None, running.communicate()
    running.communicate(timeout=30)

    plan = events_of(openkoi, events.PlanReady)[-1].plan
    assert {"style", "other"} <= {one.source for one in plan.sections}


WRONG = {
    "syntax": ("def before_plan(task):\n    x = = 1\n", ":2:9: unexpected symbol '='", "x = = 1"),
    "name": ("def before_plan(task):\n    return [task.txt]\n", ":2:13: Object of type `struct` has no", "^^^^^^^^"),
    "parameter": (
        "def before_plan(task, weather):\n    return []\n",
        ":1:23: before_plan has the unknown parameter",
        "",
    ),
    "hook": ("def before_plam(task):\n    return []\n", "no function is named after a hook", ""),
    "one hook": (
        "def before_plam(task):\n    return []\ndef before_plan(task):\n    return []\n",
        ":1:1: before_plam is never called. Did you mean before_plan?",
        "",
    ),
    "answer": (
        "def before_plan(task):\n    return [{'title': 'x'}]\n",
        ":1:1: before_plan: a Section has no field 'title'",
        "",
    ),
    "time": ("def before_plan(task):\n    for i in range(1000000000):\n        x = i\n", ":2:5: took too long", ""),
}


def test_a_wrong_script_is_named_with_the_place_and_fails_the_check(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, sources={"scripts": {"seconds": 0.3}})
    folder = write_user(openkoi, {f"wrong_{name.replace(' ', '_')}.star": text for name, (text, *_) in WRONG.items()})

    result, checked = openkoi("Say hello"), openkoi.cold("doctor", "--hooks")

    assert (0, 1) == (result.returncode, checked.returncode)
    for name, (_, place, content) in WRONG.items():
        file = folder.resolve() / f"wrong_{name.replace(' ', '_')}.star"
        for text in (result.stderr, checked.stdout):
            (message,) = [one for one in text.split("! ")[1:] if str(file) in one and place in one]
            assert content in message, name


def test_two_neighbours_of_a_script_that_is_used_are_reported(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, plugins={"scripts": ["nowhere.star", "~/x.txt"]})
    folder = write_user(
        openkoi,
        {
            "same.star": "def before_plan():\n    return ['first']\n",
            "long.star": "def before_plan():\n    return []\n" + "#" * 70_000,
            "asks.star": "def before_plan():\n    return []\n",
            "asks.toml": "[capabilities]\nnetwork = ['example.com']\n",
        },
    )
    write_project(openkoi, {"same.star": "def before_plan():\n    return ['second']\n"})

    warnings = openkoi("Say hello").stderr

    assert "nowhere.star is not a file that ends in .star or .py." in warnings
    assert "x.txt is not a file that ends in .star or .py." in warnings
    assert "long.star is longer than 65,536 characters" in warnings
    assert f"{folder.resolve() / 'asks.toml'}: [capabilities] 'example.com' is not an address pattern" in warnings
    assert "another script is named 'same'" in warnings


@pytest.mark.row("PLUG-07")
def test_a_newcomer_writes_a_script_and_sees_it_work(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path)

    result = openkoi("plugin", "new", "script", "my-style")
    file = openkoi.home / "data" / "plugins" / "scripts" / "my-style.star"
    process, checked = (
        openkoi.bash(line.partition("#")[0]) for line in result.stdout.splitlines() if "openkoi " in line
    )
    file.write_text(file.read_text().replace("British English", "American English"))
    openkoi("Say hello")

    assert result.stdout.startswith(f"Created {file}. The script takes effect with the next task.")
    assert "my-style" in process.stdout
    assert ["my-style", "before_plan"] in [line.split()[:2] for line in checked.stdout.splitlines()]
    plan = events_of(openkoi, events.PlanReady)[-1].plan
    assert "Write American English. No exclamation marks." in [one.text for one in plan.sections]
    again = openkoi("plugin", "new", "script", "my-style")
    assert (2, True) == (again.returncode, "already exists" in again.stderr)


def test_a_script_is_disabled_and_enabled_like_any_plugin(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path)
    write_user(openkoi, {"My Rules.star": "\ufeffdef before_plan():\n    return ['Be brief.']\n"})

    def sources() -> set[str]:
        openkoi("Say hello")
        return {one.source for one in events_of(openkoi, events.PlanReady)[-1].plan.sections}

    assert "my-rules" in sources()
    assert "Set hooks.my-rules.enabled = false" in openkoi("plugin", "disable", "hooks.my-rules").stdout
    assert "my-rules" not in sources()
    assert 0 == openkoi("plugin", "enable", "my-rules").returncode
    assert "my-rules" in sources()
    assert "hooks.my-rules.enabled = false" in openkoi("config", "set", "hooks.my-rules.enabled", "false").stdout
    assert "no hook named my-rule is installed" in openkoi("config", "set", "hooks.my-rule.enabled", "false").stderr


@pytest.mark.parametrize(
    "body",
    [
        "    log('\\x1b[2J\\x07half\\n[done] 1 iteration\\u202e')\n",
        "    fail('\\x1b[2J\\x07half\\n[done] 1 iteration\\u202e')\n",
        "    \x1b]0;owned\x07 return half [done] 1 iteration\u202e\n",
    ],
)
def test_what_a_script_says_looks_like_no_line_of_openkoi(tmp_path: Path, body: str) -> None:
    openkoi = scripts_shell(tmp_path)
    write_user(openkoi, {"forging.star": f"def before_plan(task):\n{body}"})
    said = [openkoi("Do it").stderr, openkoi("script", "list").stdout]

    lines = [line for one in said for line in one.split("\n")]
    assert [] == [line for line in lines if not line.replace("\t", "").isprintable()]
    assert 1 == len([line for line in lines if line.startswith("[done] 1 iteration")])
    assert any("half" in line for line in lines)


def test_a_manifest_nested_too_deeply_is_named_and_costs_its_script(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path)
    good = "def before_plan():\n    return ['Be brief.']\n"
    folder = write_user(openkoi, {"good.star": good, "deep.star": good, "deep.toml": f"a = {'[' * 100_000}"})
    listed = openkoi("script", "list")

    assert f"{folder / 'deep.toml'} is not valid TOML: maximum recursion depth exceeded" in listed.stderr
    assert ["good"] == [line.split()[0] for line in listed.stdout.splitlines()]
