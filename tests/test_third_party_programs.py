"""Test that third-party servers, chats, schedulers and fleets work with the contract alone."""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell
from documented_plugins import DONE, LEAN, calling, numbered, shell_with, turn

if os.name != "posix":
    pytest.skip("programs are stopped as POSIX stops them", allow_module_level=True)

HERE = Path(__file__).parent
LINGER = turn(calling("run_command", command="sleep 60"), when="contains: Linger")
SLOW = turn(calling("run_command", command="sleep 2"), when="contains: Steer, after: 0")
STEERED = "  - when: {contains: [Steer, Mention the carp]}\n    says: Carp.\n    repeat: true\n"
ASK = turn(calling("ask_user", question="Which colour? (yes or no)"), when="contains: Colour, after: 0")


# Another program, by standard input and output; a chat.


def served(openkoi: Shell, *requests: Mapping[str, object]) -> dict[Any, list[dict[str, Any]]]:
    """What was answered, by the ids of the requests."""
    lines = "".join(json.dumps(one) + "\n" for one in requests)
    there = openkoi.with_plugin((HERE / "acme_stdio.py").read_text(), commands="acme:serve")
    result = there("acme", stdin=lines, seconds=120)
    assert 0 == result.returncode, result.stderr
    answers: dict[Any, list[dict[str, Any]]] = {}
    for line in map(json.loads, result.stdout.splitlines()):
        answers.setdefault(line.pop("id"), []).append(line)
    return answers


def result(answers: Sequence[Mapping[str, Any]]) -> Any:
    return answers[-1].get("result", answers[-1].get("error"))


def test_a_program_is_served_by_lines_of_json(tmp_path: Path) -> None:
    turns = LINGER + SLOW + STEERED + ASK + "  - when: {contains: Colour}\n    says: Blue.\n    repeat: true\n" + DONE
    reply = served(
        shell_with(tmp_path, turns=turns, approvals={"wait_seconds": 60}),
        {"id": 1, "do": "run", "task": "Say it", "usd": 0.5},
        {"id": 2, "do": "run", "task": "Steer it"},
        {"id": 3, "do": "run", "task": "Linger"},
        {"id": 4, "do": "run", "task": "Colour it"},
        {"id": 5, "do": "say", "to": 2, "text": "Mention the carp"},
        {"id": 6, "do": "stop", "to": 3},
        {"id": 7, "do": "answer", "text": "yes"},
        {"id": 0, "do": "wait"},
        {"id": 8, "do": "say", "to": 1, "text": "Too late"},
        {"id": 9, "do": "pending"},
        {"id": 10, "do": "recall", "text": "Colour it"},
    )

    assert ["Done.", "Carp.", "Blue."] == [result(reply[id]) for id in (1, 2, 4)]
    assert "was stopped" in result(reply[3])
    assert "Which colour? (yes or no)" == result(reply[7])
    assert "has ended" in result(reply[8])
    assert [] == result(reply[9])
    assert any(text.startswith("Colour it") for text in result(reply[10]))
    assert "Done." == "".join(one.get("delta", "") for one in reply[1])


def test_a_chat_changes_its_model_and_counts_what_a_conversation_costs(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    other = tmp_path / "other.yaml"
    other.write_text("price: {input: 3.0, output: 15.0}\nturns:\n  - {says: From another model., repeat: true}\n")
    reply = served(
        openkoi,
        {"id": 1, "do": "run", "task": "Say it", "session": "talk"},
        {"id": 0, "do": "wait"},
        {"id": 2, "do": "run", "task": "Say more", "session": "talk", "model": f"scripted/{other}"},
        {"id": 0, "do": "wait"},
        {"id": 3, "do": "cost", "session": "talk"},
    )

    assert ["Done.", "From another model."] == [result(reply[id]) for id in (1, 2)]
    assert 2 == result(reply[3])["calls"]
    assert result(reply[3])["usd"] > 0


def test_64_runs_in_one_process_end_each_with_its_own_result(tmp_path: Path) -> None:
    turns = "".join(numbered(n) for n in range(64))
    tasks = [{"id": n, "do": "run", "task": f"Number {n} please"} for n in range(64)]
    reply = served(shell_with(tmp_path, turns=turns, **LEAN), *tasks)

    assert [f"It is {n}." for n in range(64)] == [result(reply[n]) for n in range(64)]


# A web page.


class Browser:
    """Requests to a page of this machine."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, method: str, path: str, **body: object) -> Any:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, path, json.dumps(body))
            return json.loads(connection.getresponse().read())

    def follow(self, run: str, last: str = "", most: int = 10_000) -> list[tuple[str, str]]:
        """The ids and names of events after one, until the run is over or so many came."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request("GET", f"/tasks/{run}/events", headers={"Last-Event-ID": last})
            return list(read_stream(connection.getresponse(), most))


def read_stream(response: HTTPResponse, most: int) -> Iterator[tuple[str, str]]:
    id = ""
    for line in response:
        if line.startswith(b"id: "):
            id = line[4:].decode().strip()
        if line.startswith(b"data: "):
            yield id, json.loads(line[6:])["name"]
            most -= 1
        if not most:
            return


@contextmanager
def page(openkoi: Shell) -> Iterator[Browser]:
    child = openkoi.with_plugin((HERE / "acme_web.py").read_text(), commands="acme:web").started("acme")
    assert child.stdout is not None
    try:
        yield Browser(int(child.stdout.readline()))
    finally:
        child.terminate()
        child.communicate(timeout=30)


def test_a_page_follows_a_run_answers_it_and_goes_on_after_a_broken_connection(tmp_path: Path) -> None:
    turns = ASK + "  - when: {contains: Colour}\n    says: Blue.\n    repeat: true\n" + LINGER + DONE
    with page(shell_with(tmp_path, turns=turns, approvals={"wait_seconds": 60})) as browser:
        run = browser.ask("POST", "/tasks", task="Colour it")["id"]
        first = browser.follow(run, most=4)
        while not (questions := browser.ask("GET", "/questions")):
            time.sleep(0.05)
        unknown = browser.ask("POST", "/questions/nothing", answer="yes")
        browser.ask("POST", f"/questions/{questions[0]['id']}", answer="yes")
        rest = browser.follow(run, last=first[-1][0])
        whole = browser.follow(run)
        stopped = browser.ask("POST", "/tasks", task="Linger")["id"]
        browser.follow(stopped, most=3)
        browser.ask("POST", f"/tasks/{stopped}/stop")
        rows = browser.follow(stopped)
        states = {one["id"]: one["state"] for one in browser.ask("GET", "/tasks")}

    seen = [*first, *rest]
    assert len(seen) == len(set(seen))
    output = whole[: [name for _, name in whole].index("run.completed") + 1]  # what was learned comes later
    assert [one for one in output if one in seen] == output
    assert {"task.start", "question", "question.answer", "run.completed"} <= {name for _, name in seen}
    assert "run.failed" in [name for _, name in rows]
    assert ("finished", "interrupted") == (states[run], states[stopped])
    assert "No question named 'nothing'" in unknown["error"]
