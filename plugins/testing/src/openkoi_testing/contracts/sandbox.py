"""Test what every `Sandbox` promises, whatever it confines, and wherever it runs commands.

A sandbox may work in the workspace itself, or in a copy that it brings back: a command's changes must be in the
workspace when ``execute`` has returned, but not before. Commands are small Python programs.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_hookspecs import Command, CommandResult, Sandbox

BEATS = "import time\nwhile True:\n    open('beats', 'a').write('.')\n    time.sleep(0.02)\n"
STUBBORN = f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{BEATS}"
START = "import subprocess, sys, time, pathlib\nchild = [sys.executable, '-c', sys.argv[1]]\n"
WAIT = "while not pathlib.Path('beats').exists():\n    time.sleep(0.01)\n"
TIME_LIMITS = (0.5, 2.0, 8.0)
COPYING = 3.0  # seconds until a command runs for certain in a sandbox that does not show it
CHANGES = """
import os, pathlib
assert 'old' == pathlib.Path('folder/changed.txt').read_text()
pathlib.Path('folder/changed.txt').write_text('new')
os.remove('gone.txt')
os.rename('before.txt', 'after.txt')
os.makedirs('more/deep')
pathlib.Path('more/deep/run.sh').write_text('#!/bin/sh')
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX sessions and signals")


def python_command(code: str, *arguments: str, seconds: float = 30.0, stdin: bytes = b"", **env: str) -> Command:
    """Return a command that runs this code."""
    return Command([sys.executable, "-c", code, *arguments], seconds=seconds, stdin=stdin, env=env)


def has_stopped(root: Path) -> bool:
    """Return whether no process writes ``beats`` in the workspace any more."""
    beats = size_of(root / "beats")
    time.sleep(0.2)
    return beats == size_of(root / "beats")


def size_of(path: Path) -> int:
    """Return a file's size; 0 if it does not exist."""
    return path.stat().st_size if path.exists() else 0


def wait_for_file(path: Path) -> None:
    """Wait until a file exists, for at most a few seconds: a sandbox that copies shows it only at the end."""
    begun = time.monotonic()
    while not path.exists() and time.monotonic() - begun < COPYING:
        time.sleep(0.01)


def run_until_timeout(run: Callable[[Command], CommandResult], root: Path, code: str, *arguments: str) -> CommandResult:
    """Run an endless command until its timeout; retry with more time if a busy machine did not let it begin."""
    for seconds in TIME_LIMITS:
        done = run(python_command(code, *arguments, seconds=seconds))
        if (root / "beats").exists():
            break
    return done


class SandboxContract:
    """Inherit it: ``class TestMine(SandboxContract): subject = staticmethod(mine)``.

    ``mine`` gets a private folder.
    """

    subject: Callable[[Path], Sandbox]

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        """Return an empty workspace."""
        root = tmp_path / "workspace"
        root.mkdir()
        return root

    @pytest.fixture
    def run(self, tmp_path: Path, root: Path) -> Callable[[Command], CommandResult]:
        """Return a function that runs a command in the sandbox under test."""
        sandbox = self.subject(tmp_path / "private")
        return lambda command: asyncio.run(sandbox.execute(command, root))

    def test_the_level_is_one_of_four(self, tmp_path: Path) -> None:
        assert asyncio.run(self.subject(tmp_path).probe_level()) in (0, 1, 2, 3)

    def test_both_streams_are_read_in_order(self, run: Callable[[Command], CommandResult]) -> None:
        code = "import os\nos.write(1, b'one\\n')\nos.write(2, b'two\\n')\nos.write(1, b'three\\n')"

        assert CommandResult(0, "one\ntwo\nthree\n") == run(python_command(code))

    def test_it_works_in_the_workspace(self, run: Callable[[Command], CommandResult], root: Path) -> None:
        run(python_command("open('made', 'w').write('here')"))

        assert "here" == (root / "made").read_text()

    def test_what_it_did_is_in_the_workspace_when_it_has_ended(
        self, run: Callable[[Command], CommandResult], root: Path
    ) -> None:
        (root / "folder").mkdir()
        for name in ("folder/changed.txt", "gone.txt", "before.txt", "kept.txt"):
            (root / name).write_text("old")

        done = run(python_command(CHANGES))

        assert (0, "") == (done.exit_code, done.output)
        files = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}
        assert files == {
            "folder/changed.txt": "new",
            "after.txt": "old",
            "kept.txt": "old",
            "more/deep/run.sh": "#!/bin/sh",
        }

    @posix
    def test_modes_and_links_are_as_the_command_left_them(
        self, run: Callable[[Command], CommandResult], root: Path
    ) -> None:
        (root / "run.sh").write_text("#!/bin/sh")

        run(python_command("import os\nos.chmod('run.sh', 0o755)\nos.symlink('run.sh', 'start')"))

        assert (root / "run.sh").stat().st_mode & 0o100
        assert Path("run.sh") == (root / "start").readlink()

    def test_a_command_sees_what_the_one_before_it_did(
        self, run: Callable[[Command], CommandResult], root: Path
    ) -> None:
        run(python_command("open('made', 'w').write('first')"))
        (root / "made").write_text("by a tool")

        assert "by a tool" == run(python_command("print(open('made').read(), end='')")).output

    def test_what_a_command_did_before_its_time_ran_out_is_there(
        self, run: Callable[[Command], CommandResult], root: Path
    ) -> None:
        run_until_timeout(run, root, BEATS)

        assert size_of(root / "beats")

    def test_the_exit_code_is_the_programs(self, run: Callable[[Command], CommandResult]) -> None:
        assert 7 == run(python_command("raise SystemExit(7)")).exit_code

    @posix
    def test_a_signal_is_reported_as_a_shell_reports_it(self, run: Callable[[Command], CommandResult]) -> None:
        assert 128 + 9 == run(python_command("import os\nos.kill(os.getpid(), 9)")).exit_code

    def test_there_is_no_input_and_no_terminal(self, run: Callable[[Command], CommandResult]) -> None:
        assert "b''" == run(python_command("import sys\nprint(sys.stdin.buffer.read(), end='')")).output

    def test_what_is_given_can_be_read(self, run: Callable[[Command], CommandResult]) -> None:
        given = b"\x00\r\n" * 100_000

        assert (
            "300000"
            == run(python_command("import sys\nprint(len(sys.stdin.buffer.read()), end='')", stdin=given)).output
        )

    def test_variables_arrive(self, run: Callable[[Command], CommandResult]) -> None:
        assert "yes" == run(python_command("import os\nprint(os.environ['MINE'], end='')", MINE="yes")).output

    def test_secrets_do_not(self, run: Callable[[Command], CommandResult], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ACME_API_KEY", "sesame")  # the environment is what is tested

        assert "None" == run(python_command("import os\nprint(os.environ.get('ACME_API_KEY'), end='')")).output

    def test_words_are_not_a_shell_line(self, run: Callable[[Command], CommandResult]) -> None:
        assert "$HOME; echo *" == run(python_command("import sys\nprint(sys.argv[1], end='')", "$HOME; echo *")).output

    def test_a_missing_program_is_an_answer(self, run: Callable[[Command], CommandResult]) -> None:
        done = run(Command(["no-such-program"]))

        assert 127 == done.exit_code
        assert "no-such-program" in done.output

    def test_bytes_that_are_no_text_are_replaced(self, run: Callable[[Command], CommandResult]) -> None:
        assert "a\ufffdb" == run(python_command("import os\nos.write(1, b'a\\xffb')")).output

    def test_a_long_output_keeps_its_ends_and_a_file(self, run: Callable[[Command], CommandResult]) -> None:
        code = "import os\nos.write(1, b'begin')\nfor _ in range(200): os.write(1, b'.' * 1000)\nos.write(1, b'end')"

        done = run(python_command(code))

        assert done.output.startswith("begin...")
        assert done.output.endswith("...end")
        assert 70_000 > len(done.output)
        assert b"begin" + b"." * 200_000 + b"end" == Path(done.output_file).read_bytes()

    def test_time_runs_out(self, run: Callable[[Command], CommandResult], root: Path) -> None:
        begun = time.monotonic()

        done = run_until_timeout(run, root, f"print('begun', flush=True)\n{BEATS}")

        assert done.timed_out
        assert 0 != done.exit_code
        assert done.output.startswith("begun")
        assert 30 > time.monotonic() - begun
        assert has_stopped(root)

    @posix
    def test_a_process_that_will_not_listen_is_ended(self, run: Callable[[Command], CommandResult], root: Path) -> None:
        assert run_until_timeout(run, root, f"{START}subprocess.Popen(child).wait()", STUBBORN).timed_out
        assert has_stopped(root)

    @posix
    def test_what_is_left_behind_is_ended(self, run: Callable[[Command], CommandResult], root: Path) -> None:
        done = run(python_command(f"{START}subprocess.Popen(child)\n{WAIT}print('done')", BEATS))

        assert CommandResult(0, "done\n") == done
        assert has_stopped(root)

    @posix
    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux reports where a session went")
    def test_what_went_its_own_way_is_ended(self, run: Callable[[Command], CommandResult], root: Path) -> None:
        twice = f"import os\nos.fork() and os._exit(0)\nos.setsid()\nos.fork() and os._exit(0)\n{BEATS}"

        done = run(
            python_command(f"{START}subprocess.Popen(child, start_new_session=True)\n{WAIT}print('done')", twice)
        )

        assert 0 == done.exit_code
        assert has_stopped(root)

    def test_cancelling_ends_it_and_is_not_swallowed(self, tmp_path: Path, root: Path) -> None:
        async def story() -> None:
            task = asyncio.create_task(self.subject(tmp_path / "private").execute(python_command(BEATS), root))
            await asyncio.to_thread(wait_for_file, root / "beats")
            task.cancel()
            await task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(story())

        assert has_stopped(root)

    def test_many_run_at_once(self, tmp_path: Path, root: Path) -> None:
        async def story() -> list[CommandResult]:
            sandbox = self.subject(tmp_path / "private")
            return await asyncio.gather(*(sandbox.execute(python_command(f"print({n})"), root) for n in range(12)))

        assert [f"{n}\n" for n in range(12)] == [done.output for done in asyncio.run(story())]
