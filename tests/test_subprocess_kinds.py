"""Providers and memories run in processes of their own, as users see it."""

import os
import signal
import time
from pathlib import Path

import pytest
from cli_process import Shell, logged_records, shell, write_script

from openkoi_testing.servers import OpenAIServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed as Linux does")
PATIENCE_SECONDS = 120  # a start takes 0.3 on an idle machine and took more than 10 beside four test runs
KEY = "sk-right-0123456789abcdef"
CHILD = "openkoi_loader.subprocess_plugin.child"
MID_ANSWER = Say(["Hel", "lo"], fault=ServerFault(cut=200, after=AfterResponse.HANGS))
HANGING = """
class Acme:
    async def models(self):
        return []
    async def chat(self, request):
        while True: pass
        yield
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path).with_environment(OPENAI_API_KEY=KEY, OTHER_TOKEN="not for it")


def configure(openkoi: Shell, text: str) -> None:
    openkoi.home.mkdir(parents=True, exist_ok=True)
    (openkoi.home / "config.toml").write_text(text)


def use_server(openkoi: Shell, server: OpenAIServer) -> None:
    configure(
        openkoi,
        '[models]\nexecutor = "openai/gpt-fake"\n[providers.openai]\nsubprocess = true\n'
        f'base_url = "{server.url}"\n[memory.sqlite]\nsubprocess = true\n[use]\nmemory = "sqlite"\n'
        "[hooks.learning]\nwithheld = 0.0\n",  # else one run in ten is shown no past tasks
    )


def hosted(parent: int) -> dict[int, str]:
    """Return the plugin processes of a process, with their variables."""
    pids = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return {int(pid): read(pid, "environ") for pid in pids if CHILD in read(pid, "cmdline")}


def read(pid: str, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def wait_for_request(server: OpenAIServer, parent: int) -> dict[int, str]:
    """Wait until a model was called; return the plugin processes."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not any(one.path.endswith("completions") for one in server.requests):
        assert time.monotonic() < until
        time.sleep(0.02)
    return hosted(parent)


def test_a_task_is_done_with_a_provider_and_a_memory_in_their_own_processes(openkoi: Shell) -> None:
    with OpenAIServer(["The invoice", " is paid."], key=KEY) as server:
        use_server(openkoi, server)
        first = openkoi("-i", "0", "Look for the invoice parser")
        second = openkoi("-i", "0", "Look for the invoice parser again")

    assert ["The invoice is paid.\n"] * 2 == [first.stdout, second.stdout]
    assert "[recall] 1 similar task" in second.stderr
    assert "! The memory" not in second.stderr


def test_a_provider_killed_in_the_middle_of_an_answer_is_asked_again(openkoi: Shell) -> None:
    with OpenAIServer(MID_ANSWER, ["Hello again."], key=KEY) as server:
        use_server(openkoi, server)
        run = openkoi.started("-i", "0", "Say hello")
        children = wait_for_request(server, run.pid)
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        out, errors = run.communicate(timeout=PATIENCE_SECONDS)

    assert 2 == len(children)
    assert "Hello again.\n" == out
    assert "openai: its process was killed by SIGKILL. Retrying in" in errors
    assert 0 == run.returncode


def test_their_processes_get_their_own_key_and_no_other_variable(openkoi: Shell) -> None:
    with OpenAIServer(MID_ANSWER, key=KEY) as server:
        use_server(openkoi, server)
        run = openkoi.started("-i", "0", "Say hello")
        children = wait_for_request(server, run.pid)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE_SECONDS)

    assert 2 == len(children)
    for variables in children.values():
        assert "OTHER_TOKEN" not in variables
        assert KEY not in variables  # the provider got it in a message, the memory did not


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interruption_leaves_no_process_behind(openkoi: Shell, number: signal.Signals) -> None:
    with OpenAIServer(MID_ANSWER, key=KEY) as server:
        use_server(openkoi, server)
        run = openkoi.started("-i", "0", "Say hello")
        children = wait_for_request(server, run.pid)
        run.send_signal(number)
        _, errors = run.communicate(timeout=PATIENCE_SECONDS)

    assert 2 == len(children)
    assert (130 if number != signal.SIGKILL else -number) == run.returncode
    assert "Traceback" not in errors
    until = time.monotonic() + PATIENCE_SECONDS
    while any(CHILD in read(str(pid), "cmdline") for pid in children):
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_provider_that_hangs_ends_with_the_tasks_time(openkoi: Shell) -> None:
    openkoi = openkoi.with_plugin(HANGING, providers="acme:Acme")
    configure(openkoi, "[providers.acme]\nsubprocess = true\n[iteration]\ntimeout_seconds = 3\n")

    run = openkoi.started("-i", "0", "-m", "acme/any", "Say hello")
    _, errors = run.communicate(timeout=PATIENCE_SECONDS)

    assert "seconds" in errors
    assert "run.failed" != logged_records(openkoi.home)[-1]["type"]


def test_commands_show_which_plugins_run_in_their_own_process(openkoi: Shell) -> None:
    with OpenAIServer(["Hello."], key=KEY) as server:
        use_server(openkoi, server)
        openkoi("-i", "0", "Say hello")
        plugins, doctor, blame = openkoi("plugins"), openkoi("doctor"), openkoi("blame")

    rows = [" ".join(line.split()) for line in plugins.stdout.splitlines() if "in its own process" in line]
    assert ["memory sqlite in its own process", "providers openai in its own process"] == sorted(rows)
    assert "Own process: sqlite (memory), openai (providers)" in " ".join(doctor.stdout.split())
    assert "Currently configured to run in a separate process: sqlite (memory), openai (providers)" in blame.stdout


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("sandboxes.bubblewrap", "it starts the task's commands"),
        ("frontends.chat", "it owns the terminal"),
        ("commands.evaluator", "it owns the terminal"),
        ("sources.scripts", "it lists plugins that OpenKoi's process loads"),
    ],
)
def test_a_kind_that_cannot_run_there_is_refused_with_the_reason(openkoi: Shell, table: str, reason: str) -> None:
    configure(openkoi, f"[{table}]\nsubprocess = true\n")

    errors = openkoi("-i", "0", "-m", write_script(openkoi.folder, '  - says: "Paris."\n'), "What is it?").stderr

    assert f"! [{table}] subprocess = true is not supported for " in errors
    assert f", because {reason}" in errors
    assert 1 == errors.count("is not supported for")
