"""Test that third-party tool servers and scripts work with the contract alone."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell
from documented_plugins import DONE, calling, events_of, results_of, shell_with, turn

from openkoi_hookspecs import events

HERE = Path(__file__).parent
SERVER = """
import json, sys
SCHEMA = {"type": "object", "properties": {"what": {"type": "string"}}}
MORE = [f"extra{n}" for n in range(int(sys.argv[1]))]


def say(**line):
    print(json.dumps(line), flush=True)


for line in sys.stdin:
    asked = json.loads(line)
    if "list" in asked:
        effects = {"count": "read", "delete": "destroy", **dict.fromkeys(MORE, "read")}
        say(result=[dict(name=n, description=n, parameters=SCHEMA, effect=e) for n, e in effects.items()])
    elif asked["call"] == "count":
        say(progress="half")
        say(result={"text": "counted " + asked["arguments"].get("what", "all")})
    elif asked["call"] == "delete":
        say(ask="Really delete it?")
        answer = json.loads(sys.stdin.readline())["answer"]
        say(result={"text": f"answered {answer}", "failed": answer != "yes"})
    else:
        sys.exit(1)
"""


def with_servers(tmp_path: Path, *calls: str) -> Shell:
    (tmp_path / "server.py").write_text(SERVER)
    turns = turn(*calls, when="contains: Do it, after: 0") + DONE
    servers = {
        "few": {"command": sys.executable, "args": [str(tmp_path / "server.py"), "0"]},
        "many": {"command": sys.executable, "args": [str(tmp_path / "server.py"), "6"]},
    }
    openkoi = shell_with(tmp_path, turns=turns, sources={"acme": {"servers": servers}})
    code = (HERE / "acme_tool_servers.py").read_text()
    return openkoi.with_plugin(code, sources="acme:Servers", commands="acme:do")


def done(openkoi: Shell, *words: str) -> dict[str, Any]:
    result = openkoi("acme", *words)
    assert 0 == result.returncode, result.stderr
    return dict(json.loads(result.stdout))


def test_a_server_s_tool_reports_progress_and_asks_the_user_in_the_middle_of_a_call(tmp_path: Path) -> None:
    openkoi = with_servers(tmp_path, calling("few_count", what="fish"), calling("few_delete"))
    result = openkoi("acme", "Do it")

    assert ["counted fish", "answered yes"] == results_of(openkoi), result.stderr
    assert "Really delete it?" in json.loads(result.stdout)["asked"]


def test_progress_is_shown_as_it_comes(tmp_path: Path) -> None:
    openkoi = with_servers(tmp_path, calling("few_count"))

    assert "[few] half" in openkoi("Do it").stderr


def test_a_server_with_many_tools_sends_no_schemas_and_one_that_ends_is_a_failed_result(tmp_path: Path) -> None:
    openkoi = with_servers(tmp_path, calling("call_tool", name="many_extra1", arguments={}), calling("few_count"))
    openkoi("Do it")

    counted, gone = sorted(results_of(openkoi), reverse=True)
    assert ("counted all", True) == (counted, "The tool server many has ended." in gone)


def test_a_workspace_s_server_is_started_with_consent_which_is_kept_until_it_changes(tmp_path: Path) -> None:
    openkoi = with_servers(tmp_path, calling("mine_count"))
    file = openkoi.folder / ".servers.json"
    file.write_text(json.dumps({"mine": [str(tmp_path / "server.py"), "0"]}))
    refused = done(openkoi, "Do it", "--answer", "no")
    again = done(openkoi, "Do it")
    file.write_text(json.dumps({"mine": [str(tmp_path / "server.py"), "1"]}))
    allowed = done(openkoi, "Do it")
    kept = done(openkoi, "Do it", "--answer", "no")

    question = "Start the tool server mine?"
    assert [[question], [], [question], []] == [one["asked"] for one in (refused, again, allowed, kept)]
    assert 2 == results_of(openkoi).count("counted all")


SCRIPT = """
import json, sys, time
verb, facts = sys.argv[1], json.load(sys.stdin)
if verb == "before_plan":
    answer = [{"make": "section", "name": "pond", "text": "The task is: " + facts["task"]["text"]}]
elif verb == "after_execute":
    answer = {"change": {"text": facts["work"]["text"].upper()}}
elif verb == "before_tool":
    answer = {"make": "deny", "reason": "not on Fridays"} if facts["call"]["tool"] == "write_file" else None
elif verb == "before_execute":
    time.sleep(60)
elif verb == "weigh":
    answer = facts["fish"] * 2
elif verb == "evaluate":
    answer = {"is loud": facts["text"].isupper(), "changed nothing": not facts["files"]}
print(json.dumps(answer))
"""
ASKED = ["hooks", "tools", "an evaluator"]


def with_script(tmp_path: Path, *hooks: str, deadline: float = 30.0, answer: str = "yes") -> Shell:
    turns = turn(calling("weigh", fish=21), calling("write_file", path="a.txt", content="a"), when="after: 0") + DONE
    settings = {"hooks": {"deadline_seconds": deadline}, "iteration": {"max_iterations": 1}}
    openkoi = shell_with(tmp_path, "A daemon", turns=turns, **settings)
    folder = openkoi.folder / "scripts"
    folder.mkdir()
    (folder / "pond.py").write_text(SCRIPT)
    manifest = {"hooks": hooks, "tools": ["weigh"], "evaluators": True, "wants": ASKED}
    (folder / "pond.json").write_text(json.dumps(manifest))
    return openkoi.with_plugin((HERE / "acme_scripts.py").read_text(), sources="acme:Scripts")


def test_one_script_brings_hooks_tools_and_an_evaluator(tmp_path: Path) -> None:
    openkoi = with_script(tmp_path, "before_plan", "before_tool", "after_execute")
    result = openkoi("batch", "Weigh it")

    weighed, denied = sorted(results_of(openkoi))
    assert ("42", True) == (weighed, "not on Fridays" in denied), result.stderr
    assert "DONE." == result.stdout.strip()
    (plan,) = events_of(openkoi, events.PlanReady)
    assert ("The task is: Weigh it", "pond") in [(one.text, one.source) for one in plan.plan.sections]
    (found,) = events_of(openkoi, events.EvaluationFinished)
    assert {("is loud", True), ("changed nothing", True)} <= {(one.name, one.passed) for one in found.evaluation.checks}


def test_a_script_without_consent_does_nothing(tmp_path: Path) -> None:
    openkoi = with_script(tmp_path, "before_plan", "after_execute")
    result = openkoi("Weigh it")

    assert "Done." == result.stdout.strip(), result.stderr
    assert "42" not in results_of(openkoi)


@pytest.mark.skipif(sys.platform == "win32", reason="daemons are stopped as POSIX stops them")
def test_a_script_that_never_ends_is_cut_off_with_its_child_and_named(tmp_path: Path) -> None:
    openkoi = with_script(tmp_path, "before_execute", "after_execute", deadline=2.0)
    result = openkoi("batch", "--seconds", "40", "Weigh it")

    assert "DONE." == result.stdout.strip(), result.stderr
    warned = [one.text for one in events_of(openkoi, events.WarningIssued)]
    assert any("'pond'" in text and "before_execute" in text for text in warned), warned
