"""Test what a sandbox refuses, tried one by one from inside, and what it leaves open."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from openkoi_hookspecs import Command, CommandResult
from openkoi_sandbox import BubblewrapSandbox, LandlockSandbox, SandboxLadder
from openkoi_sandbox.bubblewrap import BUBBLEWRAP_LEVEL
from openkoi_sandbox.landlock import LANDLOCK_LEVEL

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's cages")
KEPT = "ours\n"
MISSING = {LandlockSandbox: LANDLOCK_LEVEL.missing(), BubblewrapSandbox: BUBBLEWRAP_LEVEL.missing()}
Run = Callable[..., CommandResult]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder outside, not among temporary folders, which some sandboxes make private."""
    where = Path(tempfile.mkdtemp(dir=Path(__file__).parent, prefix=".outside-"))
    (where / "root").mkdir()
    (where / "kept").write_text(KEPT)
    yield where
    shutil.rmtree(where)


@pytest.fixture(params=[LandlockSandbox, BubblewrapSandbox], ids=lambda kind: kind.__name__)
def run(request: pytest.FixtureRequest, place: Path) -> Run:
    kind: type[LandlockSandbox] | type[BubblewrapSandbox] = request.param
    if MISSING[kind]:
        pytest.skip(f"not here: {MISSING[kind]}")

    def shell(line: str, **settings: Any) -> CommandResult:
        sandbox = kind(folder=place / "outputs", **settings)
        return asyncio.run(sandbox.execute(Command(["sh", "-c", line], seconds=20), place / "root"))

    return shell


def lines_of(*lines: str) -> list[Any]:
    """All attempts in one command and, in a campaign, each alone."""
    return ["\n".join(f"({line})" for line in lines), *(pytest.param(one, marks=pytest.mark.campaign) for one in lines)]


def python(code: str) -> str:
    return f"{sys.executable} -I -c '{code}'"


@pytest.mark.parametrize(
    "line",
    lines_of(
        "echo x > ../kept",
        "echo x >> ../kept",
        ": > ../kept",
        "truncate -s 0 ../kept",
        "rm -f ../kept",
        "mv ../kept taken",
        "ln ../kept same && echo x > same",
        "ln -s ../kept way && echo x > way",
        "echo x > made && mv made ../kept",
        "cp /etc/hostname ../kept",
        "dd if=/dev/zero of=../kept count=1",
        "ln -s .. up && rm up/kept",
        "cd .. && rm kept",
        "rm -rf ..",
        "exec 3<>../kept; echo x >&3",
        'perl -e \'open F, ">", "../kept"\'',
    ),
)
def test_what_lies_outside_stays_as_it_is(run: Run, place: Path, line: str) -> None:
    run(line)

    assert KEPT == (place / "kept").read_text()
    assert 1 == (place / "kept").stat().st_nlink


@pytest.mark.parametrize(
    "line",
    lines_of("touch ../made", "mkdir ../made", "ln -s /etc ../made", "mkfifo ../made", "echo > x && ln x ../made"),
)
def test_nothing_is_made_outside(run: Run, place: Path, line: str) -> None:
    run(line)

    assert not (place / "made").exists()


@pytest.mark.parametrize("way", ["cat {0}/secret", "cp {0}/secret .; cat secret", "ln -s {0} way; cat way/secret"])
def test_what_is_hidden_is_not_read(run: Run, place: Path, way: str) -> None:
    (place / "hidden").mkdir()
    (place / "hidden" / "secret").write_text("sesame")

    assert "sesame" not in run(way.format(place / "hidden"), hidden=(str(place / "hidden"),)).output
    assert "sesame" in run(way.format(place / "hidden"), readable=(str(place / "hidden"),)).output


def test_a_link_to_what_is_hidden_hides_it_too(run: Run, place: Path) -> None:
    (place / "hidden").mkdir()
    (place / "hidden" / "secret").write_text("sesame")
    (place / "link").symlink_to(place / "hidden")

    assert "sesame" not in run(f"cat {place}/hidden/secret", hidden=(str(place / "link"),)).output


def test_one_file_can_be_hidden_and_one_shown(run: Run, place: Path) -> None:
    (place / "hidden").mkdir()
    (place / "hidden" / "secret").write_text("sesame")
    (place / "hidden" / "known").write_text("hosts")

    hidden, texts = (str(place / "hidden"),), (str(place / "hidden" / "known"),)

    assert "hosts" == run(f"cat {place}/hidden/*n", hidden=hidden, readable=texts).output
    assert KEPT not in run("cat ../kept", hidden=(str(place / "kept"),)).output


def test_what_is_hidden_in_the_workspace_is_not_read_either(run: Run, place: Path) -> None:
    (place / "root" / ".ssh").mkdir()
    (place / "root" / ".ssh" / "key").write_text("sesame")
    (place / "root" / "open").write_text("readable")

    result = run("cat open; cat .ssh/key; echo x > new && mkdir more", hidden=(str(place / "root" / ".ssh"),))

    assert result.output.startswith("readable")
    assert "sesame" not in result.output
    assert (place / "root" / "new").exists()


def test_more_folders_may_be_written(run: Run, place: Path) -> None:
    (place / "cache").mkdir()

    assert 0 == run("echo x > ../cache/new && mv ../cache/new . && cat new", writable=(str(place / "cache"),)).exit_code


@pytest.mark.parametrize("name", ["{0}/door", "\0openkoi-test-door"])
def test_other_programs_do_not_hear_us(run: Run, place: Path, name: str) -> None:
    address = name.format(place)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        reach = f"import socket; socket.socket(socket.AF_UNIX).connect({address!r})"

        assert 0 != run(python(reach.replace("'", '"'))).exit_code


def test_no_datagram_gets_out_of_a_pair(run: Run, place: Path) -> None:
    address = str(place / "door")
    send = f'import socket; socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b"x", "{address}")'
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.bind(address)
        door.setblocking(False)
        run(python(send))

        with pytest.raises(BlockingIOError):
            door.recv(1)


@pytest.mark.parametrize("network", [True, False])
def test_the_network_can_be_switched_off(run: Run, network: bool) -> None:
    with socket.socket(type=socket.SOCK_STREAM) as stream, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        for door in (stream, datagrams):
            door.bind(("127.0.0.1", 0))
            door.setblocking(False)
        stream.listen()
        doors = {"SOCK_STREAM": stream, "SOCK_DGRAM": datagrams}
        codes = [
            f'import socket; s=socket.socket(type=socket.{kind}); s.connect({door.getsockname()!r}); s.send(b"x")'
            for kind, door in doors.items()
        ]
        result = run("; ".join(python(code.replace("'", '"')) for code in codes), network=network)

        assert [network, network] == [heard(door, kind) for kind, door in doors.items()], result.output


def heard(door: socket.socket, kind: str) -> bool:
    try:
        if kind == "SOCK_DGRAM":
            door.recv(1)
        else:
            door.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def test_processes_outside_are_not_signalled(run: Run) -> None:
    victim = subprocess.Popen(["sleep", "30"])
    try:
        run("; ".join(f"kill -{signal} {victim.pid}" for signal in ("HUP", "STOP", "TERM", "KILL")))

        assert Path(f"/proc/{victim.pid}/stat").read_text().split()[2] == "S"
    finally:
        victim.kill()
        victim.wait()


def test_the_variables_of_processes_outside_are_not_read(run: Run) -> None:
    assert "PATH=" not in run(f"cat /proc/{os.getpid()}/environ; cat /proc/{os.getpid()}/maps").output.replace("\0", "")


@pytest.mark.parametrize(
    "line",
    lines_of(
        "mount -t tmpfs none .",
        "umount /proc",
        "unshare -Ur true",
        "unshare -m true",
        "nsenter -t 1 -m true",
        "chroot / true",
        f"strace -p {os.getpid()}",
    ),
)
def test_the_cage_cannot_be_rebuilt_from_inside(run: Run, line: str) -> None:
    reply = run("".join(f"{one} && echo rebuilt {number}\n" for number, one in enumerate(line.splitlines()))).output

    assert "rebuilt" not in reply, reply


@pytest.mark.parametrize(
    "line",
    lines_of(
        "echo x > file && mkdir -p a/b && mv file a/b/ && ln -s a way && cat way/b/file",
        "echo x > $TMPDIR/t && mktemp && cat $TMPDIR/t",
        "echo x > /dev/null; head -c 4 /dev/urandom | wc -c; echo err > /dev/stderr",
        python('import socket; a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1)'),
        python("import threading; t = threading.Thread(target=print); t.start(); t.join()"),
        python('import subprocess; subprocess.run(["true"], check=True)'),
        "git init -q . && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git log --oneline",
        "ls / /etc > /dev/null && cat /etc/hostname",
        "sleep 0.01 & wait; kill -0 $$",
    ),
)
def test_ordinary_work_goes_on(run: Run, line: str) -> None:
    result = run(f"set -ex\n{line}")

    assert 0 == result.exit_code, result.output


@pytest.mark.parametrize("kind", [LandlockSandbox, BubblewrapSandbox])
def test_whether_modes_outside_can_be_changed_is_told(
    place: Path, kind: type[LandlockSandbox] | type[BubblewrapSandbox]
) -> None:
    if MISSING[kind]:
        pytest.skip(f"not here: {MISSING[kind]}")
    sandbox = kind(folder=place / "outputs")
    (place / "kept").chmod(0o600)

    asyncio.run(sandbox.execute(Command(["chmod", "604", "../kept"]), place / "root"))

    changed = 0o604 == (place / "kept").stat().st_mode & 0o777
    assert changed == ("changing modes" in asyncio.run(sandbox.health()).get("not prevented", ""))


@pytest.mark.row("C75")
def test_by_default_the_workspace_is_written_and_the_network_is_on(place: Path) -> None:
    report = asyncio.run(SandboxLadder(folder=place / "outputs").health())

    assert report["network"].startswith("on")
