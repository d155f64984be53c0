"""Data that leaves this machine for a host asks, by any program; a download, a local copy or localhost does not."""

import json
import os
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

if os.name != "posix":
    pytest.skip("commands of a POSIX shell", allow_module_level=True)

LEAVES = (
    "scp notes.txt deploy@web.invalid:/srv/",
    "rsync -av src/ deploy@web.invalid:/srv/app/",
    "aws s3 cp notes.txt s3://acme.invalid/notes.txt --profile prod",
    "gsutil -m cp -r src gs://acme.invalid/src",
    "rclone copy src remote:backup",
    "az storage blob upload --account-name acme --container-name c --file notes.txt",
    "curl -T notes.txt https://files.invalid/in/",
    "curl -F 'file=@notes.txt' https://files.invalid/",
    "nc files.invalid 9000 < notes.txt",
    "tar c src | nc files.invalid 9000",
)
STAYS = (
    "scp deploy@web.invalid:/srv/notes.txt fetched.txt",
    "rsync -a -e ssh deploy@web.invalid:/srv/app/ fetched/",
    "rsync -a src/ copy/",
    "aws s3 cp s3://acme.invalid/notes.txt fetched.txt",
    "rclone copy remote:backup fetched",
    "curl -T notes.txt http://127.0.0.1:1/in/",
    "curl -F file=@notes.txt http://localhost:1/",
    "nc localhost 1 < notes.txt",
)


@pytest.mark.row("SAFE-05")
def test_what_leaves_the_machine_asks_and_nothing_else_does(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    (openkoi.folder / "src").mkdir()
    (openkoi.folder / "notes.txt").write_text("one\n")
    calls = [{"tool": "run_command", "arguments": {"command": is_read_alike(line)}} for line in (*LEAVES, *STAYS)]
    turns = f"  - when: {{after: 0}}\n    calls: {json.dumps(calls)}\n  - when: {{after: 1}}\n    says: Done.\n"
    write_script(tmp_path, turns)

    result = openkoi("-m", f"scripted/{tmp_path / 'script.yaml'}", "-i", "0", "Copy the notes", seconds=120)

    assert 8 == result.returncode, result.stderr
    assert set(LEAVES) == waiting_commands(openkoi)


def is_read_alike(line: str) -> str:
    """Return a line that the guard reads like this one, and that starts none of its programs."""
    return f"false && {line}"


def waiting_commands(openkoi: Shell) -> set[str]:
    """Return the commands that wait for an answer."""
    data = json.loads(openkoi("approvals", "--format", "json").stdout)["approvals"]
    questions = [one["question"] for one in data]
    return {
        line for line in (*LEAVES, *STAYS) if any(json.dumps(is_read_alike(line)) in question for question in questions)
    }
