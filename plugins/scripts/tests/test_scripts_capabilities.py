"""A script calls what its manifest asks for and the user allowed, and nothing else."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cli_process import Shell
from documented_plugins import events_of
from script_runs import scripts_shell, write_project, write_user

from openkoi_base.grants import Capabilities
from openkoi_hookspecs import events
from openkoi_scripts.script_files import Origin, ScriptFile

FETCH = """
def before_plan():
    answer = http_get("{address}")
    return ["%d %s" % (answer["status"], answer["text"])]
"""


class Pond(BaseHTTPRequestHandler):
    """Answers, redirects within and out of what is granted, is slow, and sends too much."""

    def do_GET(self) -> None:
        places = {
            "/v1/moved": "/v1/fish",
            "/v1/out": "/secret",
            "/v1/away": "http://example.com/",
            "/v1/loop": "/v1/loop",
        }
        if self.path in places:
            self.send_response(302)
            self.send_header("Location", places[self.path])
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"x" * 2_000_000 if self.path == "/v1/large" else f"koi of {self.path}".encode())

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture(name="port", scope="module")
def serve_pond() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Pond) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.parametrize("separator", ["\0", "\n", '", "', "\x1e"])
def test_text_of_a_script_cannot_stand_for_a_capability_that_was_approved(tmp_path: Path, separator: str) -> None:
    body, capability = 'def before_plan():\n    return ["x"]\n#', "fetch https://example.com/*"
    approved = ScriptFile(tmp_path / "a.star", Origin.PROJECT, f"{body}{separator}{capability}")
    changed = ScriptFile(tmp_path / "a.star", Origin.PROJECT, body, Capabilities(texts=(capability,)))

    assert approved.digest != changed.digest


def section_of(openkoi: Shell, name: str) -> str:
    """Run a task; return what a script added to its prompt, or what is wrong with the script."""
    result = openkoi("Say hello")
    plan = events_of(openkoi, events.PlanReady)[-1].plan
    return next((one.text for one in plan.sections if one.source == name), result.stderr)


@pytest.mark.row("SEC-05", "PLUG-03")
def test_granted_addresses_are_fetched_after_approval_and_no_others(tmp_path: Path, port: int) -> None:
    openkoi, address = scripts_shell(tmp_path), f"http://127.0.0.1:{port}"
    paths = ("v1/fish", "v1/moved", "v1/out", "v1/away", "v1/loop", "v1/large", "secret", "v1/../secret", "v1/%2e%2e/x")
    scripts = {f"get{number}.star": FETCH.format(address=f"{address}/{path}") for number, path in enumerate(paths)}
    manifests = {f"get{number}.toml": f'[capabilities]\nnetwork = ["{address}/v1/*"]\n' for number in range(len(paths))}
    write_user(openkoi, {**scripts, **manifests})

    assert "is not approved" in section_of(openkoi, "get0")
    approved = openkoi("script", "approve", *(f"get{number}" for number in range(len(paths))), "--yes")
    assert 0 == approved.returncode
    assert f"may fetch {address}/v1/*" in openkoi("script", "list").stdout
    errors = openkoi("Say hello").stderr
    plan = events_of(openkoi, events.PlanReady)[-1].plan
    texts = {one.source: one.text for one in plan.sections if one.source.startswith("get")}

    assert {"get0": "200 koi of /v1/fish", "get1": "200 koi of /v1/fish"} == texts
    for number, problem in enumerate(
        ("", "", "/secret' may not be fetched", "example.com/' may not be", "more than 5 times", "more than 1,048,576")
    ):
        assert problem in next((part for part in errors.split("! Plugin ") if f"'get{number}'" in part), "")
    assert 3 == sum(f"'get{number}' failed" in errors and number > 5 for number in range(len(paths)))


def test_a_manifest_that_asks_for_more_is_approved_again(tmp_path: Path, port: int) -> None:
    openkoi = scripts_shell(tmp_path)
    write_user(openkoi, {"get.star": FETCH.format(address=f"http://127.0.0.1:{port}/v1/fish")})
    no_grant = section_of(openkoi, "get")
    write_user(openkoi, {"get.toml": f'[capabilities]\nnetwork = ["http://127.0.0.1:{port}/v1/*"]\n'})
    openkoi("script", "approve", "get", "--yes")
    granted = section_of(openkoi, "get")
    write_user(openkoi, {"get.toml": '[capabilities]\nnetwork = ["http://*/*"]\n'})

    assert 'http_get is not granted. Add network = ["https://example.com/*"] to [capabilities] in ' in no_grant
    assert "200 koi of /v1/fish" == granted
    assert "has changed since you approved it" in section_of(openkoi, "get")


REFUSED = {
    "search_memory('x')": "search_memory is not granted. Add memory = true",
    "send_message('slack', '#a', 'x')": 'send_message is not granted. Add messages = ["APP"]',
    "http_get('https://example.com')": "http_get is not granted",
    "search_memory(1)": "Write search_memory(query).",
    "http_get('a', 'b')": "Write http_get(url).",
    "read_file('/etc/passwd')": "Variable `read_file` not found",
    "[log('x') for i in range(200)]": "log was called more than 100 times",
}


@pytest.mark.row("C39", "SEC-01")
def test_a_script_without_a_manifest_can_only_log(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path)
    scripts = [f"def before_plan():\n    log('one', 2)\n    {call}\n" for call in REFUSED]
    write_user(openkoi, {f"call{number}.star": text for number, text in enumerate(scripts)})

    errors = openkoi("Say hello").stderr

    assert errors.count("one 2\n") == len(REFUSED) - 1  # an unknown name is an error before the script runs
    for number, problem in enumerate(REFUSED.values()):
        (message,) = [part for part in errors.split("! Plugin ") if part.startswith(f"'call{number}'")]
        assert problem in message


def test_memory_is_searched_if_it_is_granted(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, use={"memory": "duckdb"})
    openkoi("Feed the koi at noon")
    script = "def before_plan():\n    return ['; '.join([hit['text'] for hit in search_memory('koi')]) or 'none']\n"
    write_user(openkoi, {"find.star": script, "find.toml": "[capabilities]\nmemory = true\n"})
    openkoi("script", "approve", "find", "--yes")

    assert "Feed the koi at noon" in section_of(openkoi, "find")


@pytest.mark.row("PLUG-10")
def test_a_script_is_a_command(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, "  - {when: {contains: Sum up monday}, says: Koi fed., repeat: true}\n")
    command = "def command(words):\n    log('asked')\n    return 'Sum up ' + ' '.join(words)\n"
    write_all = partial(write_user, openkoi)
    (openkoi.home / "data" / "plugins" / "scripts" / "commands").mkdir(parents=True)
    write_all({"commands/standup.star": command, "commands/quiet.star": "def command(words):\n    return None\n"})
    write_all(
        {
            "commands/wrong.star": "def command(words):\n    return 1\n",
            "commands/none.star": "def other():\n    return 1\n",
        }
    )

    result = openkoi("standup", "monday")

    assert (0, "Koi fed.\n") == (result.returncode, result.stdout), result.stderr
    assert "standup: asked\n" in result.stderr
    assert (0, "") == (openkoi("quiet").returncode, openkoi("quiet").stdout)
    assert "command returned 1. Return the text of a task, or None." in openkoi("wrong").stderr
    assert "none.star has no function command(words)" in openkoi("none").stderr
    assert "'standap' is not an openkoi command." in openkoi("standap").stderr


def test_a_command_of_a_project_needs_approval(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path, "  - {says: Shipped., repeat: true}\n")
    write_project(openkoi, {})
    (openkoi.folder / ".openkoi" / "commands").mkdir()
    (openkoi.folder / ".openkoi" / "commands" / "ship.star").write_text("def command(words):\n    return 'Ship it'\n")

    refused = openkoi("ship")

    assert 1 == refused.returncode
    assert "is not approved, so it is not run. To decide, run `openkoi script approve ship`." in refused.stderr
    openkoi("script", "approve", "ship", "--yes")
    assert "Shipped.\n" == openkoi("ship").stdout


APP = """
from pathlib import Path
from openkoi_hookspecs.integrations import Capabilities

class App:
    capabilities = Capabilities()

    async def watch(self, cursor=""):
        yield

    async def send(self, post):
        Path("sent.txt").write_text(f"{post.channel}: {post.text}")
        return "m1"
"""


@pytest.mark.row("PLUG-03")
def test_messages_are_sent_with_the_granted_app_alone(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path).with_plugin(APP, integrations="acme:App")
    script = "def before_plan(task):\n    return [send_message('{app}', '#pond', 'Began: ' + task.text)]\n"
    texts = {f"{app}.star": script.format(app=app) for app in ("acme", "slack")}
    manifest = '[capabilities]\nmessages = ["acme"]\n'
    write_user(openkoi, {**texts, "acme.toml": manifest, "slack.toml": manifest})
    openkoi("script", "approve", "acme", "slack", "--yes")

    assert "m1" == section_of(openkoi, "acme")
    assert "#pond: Began: Say hello" == (openkoi.folder / "sent.txt").read_text()
    assert 'send_message is not granted. Add messages = ["APP"]' in section_of(openkoi, "slack")
