"""Test modules as tools, hooks, an evaluator and a provider, by the command line."""

import json
from pathlib import Path
from typing import Any

from documented_plugins import calling, events_of
from wasm_plugins import ANSWER, TOOL, Pond, answering, calling_host, module, pond, write_plugin

from openkoi_hookspecs import events

ONE_ITERATION: dict[str, Any] = {"iteration.max_iterations": 1}
SECTION = [{"name": "pond", "text": "Count the koi.", "layer": "project"}]
DENIED = {"permission": "deny", "reason": "the pond is closed"}
EVALUATION = {
    "checks": [{"name": "clear", "passed": True}],
    "scores": [{"dimension": "water", "value": 0.9}],
    "findings": [{"title": "Too many koi", "severity": "suggestion"}],
}


def echoing(prefix: str) -> str:
    """Return a module that echoes the request, as a text within this object."""
    start = len(prefix)
    return module(
        data={ANSWER: prefix},
        body=f"""(call $read (i32.const {ANSWER + start}))
            (i32.store8 (i32.add (i32.const {ANSWER + start}) (local.get $request)) (i32.const 125))
            (i64.or (i64.shl (i64.const {ANSWER}) (i64.const 32))
                (i64.extend_i32_u (i32.add (local.get $request) (i32.const {start + 1}))))""",
    )


def test_hooks_of_a_module_see_facts_and_change_the_run(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("read_file", path="a.txt"))
    openkoi.add(write_plugin(tmp_path, answering(SECTION), '[hooks]\nnames = ["before_plan"]', name="sections"))
    openkoi.add(write_plugin(tmp_path, answering(DENIED), '[hooks]\nnames = ["before_tool"]', name="guards"))
    openkoi("Do it")
    (plan,) = events_of(openkoi.openkoi, events.PlanReady)
    checked = openkoi("doctor", "--hooks")

    assert ["Count the koi."] == [one.text for one in plan.plan.sections if one.name == "pond"]
    assert any("the pond is closed" in one for one in openkoi.results)
    assert "sections" in checked
    assert "guards" in checked


def test_a_hook_that_answers_nonsense_is_named_and_a_guard_that_does_asks(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("read_file", path="a.txt"))
    openkoi.add(write_plugin(tmp_path, answering({"text": 1}), '[hooks]\nnames = ["before_plan", "before_tool"]'))
    result = openkoi.openkoi("Do it")
    reply = result.stdout + result.stderr

    assert "'fish' failed at before_plan: ArgumentError: before_plan must return a list of Sections" in reply
    assert 8 == result.returncode
    assert 'with "permission" ("allow", "ask" or "deny")' in reply


def test_the_facts_of_a_hook_have_the_names_of_the_contract(tmp_path: Path) -> None:
    openkoi = pond(tmp_path)
    openkoi.add(write_plugin(tmp_path, echoing('{"ok":'), '[hooks]\nnames = ["after_plan"]'))
    text = openkoi("Do it")

    assert "ArgumentError: a Plan has no field 'method'; it has steps, sections, feedback, suggestion" in text


def test_an_evaluator_of_a_module_judges_or_only_checks_as_its_manifest_says(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("write_file", path="new.txt", content="x"), **ONE_ITERATION)
    folder = write_plugin(tmp_path, answering(EVALUATION), "[evaluator]\njudges = true\n")
    openkoi.add(folder)
    judged = json.loads(openkoi.openkoi("Do it", "--format", "json").stdout)
    openkoi("wasm", "remove", "fish")
    openkoi.add(write_plugin(tmp_path, answering(EVALUATION), "[evaluator]\n"))
    checked = openkoi.openkoi("Do it", "--format", "json")

    assert 0.9 == judged["score"]
    assert judged["accepted"]
    assert json.loads(checked.stdout)["score"] is None
    assert "fish" in checked.stderr


def test_a_provider_of_a_module_answers_a_task(tmp_path: Path) -> None:
    openkoi = pond(tmp_path)
    models = '[[provider.models]]\nname = "carp"\n'
    openkoi.add(write_plugin(tmp_path, answering({"text": "42 fish"}), models), approve=False)
    refused = openkoi.openkoi("-m", "fish/carp", "How many?")
    openkoi("wasm", "approve", "fish", "--yes")
    answered = openkoi.openkoi("-m", "fish/carp", "How many?")

    assert 0 != refused.returncode
    assert "The WASM plugin fish is not approved" in refused.stderr
    assert (0, "42 fish\n") == (answered.returncode, answered.stdout)


def test_a_module_reads_and_writes_granted_files_and_the_change_is_seen_and_undone(tmp_path: Path) -> None:
    granted = '[capabilities]\nfilesystem = ["readwrite:./pond/*.txt"]\n'
    schema = "[tools.parameters]\nproperties = {}\n"
    openkoi = pond(tmp_path, calling("fish__run"), use={"checkpoints": "store"})
    text = module(
        imports=("write_file",),
        data={0: '{"path":"pond/new.txt","text":"koi"}', 100: '{"ok":"written"}'},
        body="(drop (call $write_file (i32.const 0) (i32.const 36))) (i64.const 429496729616)",
    )
    tool = TOOL.replace("reads", "writes") + schema + granted
    openkoi.add(write_plugin(tmp_path, text, tool))
    openkoi("Do it")
    file = openkoi.openkoi.folder / "pond" / "new.txt"
    content = file.read_text()
    openkoi("undo")

    assert ["written"] == openkoi.results
    assert "koi" == content
    assert not file.exists()


def test_a_tool_that_a_module_calls_is_guarded_and_logged_as_a_call_of_its_own(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("fish__run"))
    reading = calling_host("call_tool", {"tool": "read_file", "arguments": {"path": "a.txt"}})
    openkoi.add(write_plugin(tmp_path, reading, f'{TOOL}[capabilities]\ntools = ["read_file"]\n'))
    (openkoi.openkoi.folder / "a.txt").write_text("koi in a file")
    openkoi("Do it")
    called = [one.call.tool for one in events_of(openkoi.openkoi, events.ToolCallStarted)]

    assert ["fish__run", "read_file"] == called
    assert ["koi in a file" in one for one in openkoi.results] == [True, True]


def test_a_variable_that_a_module_may_read_is_masked_in_all_that_is_written(tmp_path: Path) -> None:
    reading = calling_host("get_variable", {"name": "POND_TOKEN"})
    openkoi = pond(tmp_path, calling("fish__run"))
    openkoi = Pond(openkoi.openkoi.with_environment(POND_TOKEN="carp-4f9a8b7c6d5e"))
    openkoi.add(write_plugin(tmp_path, reading, f'{TOOL}[capabilities]\nenvironment = ["POND_TOKEN"]\n'))
    openkoi("Do it")
    checked = " ".join(openkoi.openkoi("doctor").stdout.split())

    assert ["[redacted]"] == openkoi.results
    assert "fish: ok, a WASM module that may read the environment variable POND_TOKEN" in checked
