"""What one plugin logs and another reads: a judge and a listener that know the contract alone."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell
from verdict_runs import configure, write_script_outside

ACME = """
import json
import os
from pathlib import Path
from openkoi_hookspecs import Evaluation, Score, events, hookimpl


class Judge:
    judges = True

    async def evaluate(self, work, run):
        scores = (Score("clarity", 0.9),)
        read = {"calls": 2, "characters": 16, "full_characters": 8}
        await run.emit(events.JudgeVoted("acme", (scores, scores), note="Read twice.", **read))
        return Evaluation(scores=scores)


@hookimpl
def on_event(event):
    match event:
        case events.JudgeVoted(rubric=rubric, votes=votes):
            seen = [rubric, len(votes)]
        case events.GitRefChanged(ref=ref, before=before):
            seen = [ref, before]
        case _:
            return
    with Path(os.environ["ACME_SEEN"]).open("a") as file:
        file.write(json.dumps(seen) + "\\n")
"""
WORK = """\
  - when: {after: 0}
    calls: [{tool: run_command, arguments: {command: git tag ready}}]
  - says: Done.
    repeat: true
"""
MAKE = "git init -q && git -c user.name=n -c user.email=a@b commit -q --allow-empty -m first"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A repository, and of judges only the one of another distribution."""
    openkoi = shell(tmp_path)
    configure(
        openkoi, '[evaluators.judge]\nenabled = false\n[hooks.guard]\nenabled = false\n[use]\nsandbox = "plain"\n'
    )
    assert 0 == openkoi.bash(MAKE).returncode
    return openkoi.with_environment(ACME_SEEN=str(tmp_path / "seen")).with_plugin(
        ACME, evaluators="acme:Judge", hooks="acme"
    )


def test_a_judge_and_a_listener_know_the_contract_alone(openkoi: Shell, tmp_path: Path) -> None:
    result = openkoi("Tag it", "--executor", write_script_outside(openkoi, WORK), "--why", "-i", "1")
    why = {" ".join(line.split()) for line in result.stderr.splitlines()}
    seen = [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]

    assert {"judge acme, full, 2 calls", "vote 2 0.90 clarity 0.90", "note Read twice."} <= why, result.stderr
    assert [["refs/tags/ready", ""], ["acme", 2]] == seen
