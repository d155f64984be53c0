"""Test decisions before anything runs: paths, rules, bubblewrap's arguments, filters, reports."""

import errno
import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from openkoi_sandbox.landlock_rules import paths_around, ruleset_attributes
from openkoi_sandbox.launch import LauncherReport
from openkoi_sandbox.namespaces import MountLayout, bound_sockets, bwrap_arguments, outermost_paths
from openkoi_sandbox.sandbox_policy import SandboxPolicy, expand_paths
from openkoi_sandbox.seccomp import MACHINES, landlock_filter, namespace_filter

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's paths")


def test_places_may_begin_with_the_home_or_a_variable() -> None:
    found = expand_paths(
        ["~/.ssh", "$PLACE/x", "$NONE/x", "$FILE/../credentials"], {"PLACE": "/p", "FILE": "/c/config.toml"}
    )

    assert (Path("~/.ssh").expanduser().resolve(), Path("/p/x"), Path("/c/credentials")) == found


def test_what_is_hidden_is_gone_around(tmp_path: Path) -> None:
    for name in ("a/b/secret", "a/b/open", "a/c/open", "d"):
        (tmp_path / name).mkdir(parents=True)

    found = set(paths_around([tmp_path / "a/b/secret", tmp_path / "never"], "/"))

    assert {str(tmp_path / name) for name in ("a/b/open", "a/c", "d")} <= found
    assert not found & {str(tmp_path), str(tmp_path / "a"), str(tmp_path / "a/b"), str(tmp_path / "a/b/secret")}


def test_hiding_nothing_is_one_rule_and_hiding_all_is_none() -> None:
    assert ["/"] == list(paths_around([]))
    assert [] == list(paths_around([Path("/")]))


@pytest.mark.parametrize(("abi", "size"), [(1, 8), (3, 8), (4, 16), (6, 24), (7, 24)])
def test_an_older_landlock_is_told_less(abi: int, size: int) -> None:
    assert size == len(ruleset_attributes(abi, network=False))


@linux
def test_the_workspace_is_the_last_to_be_laid_over_the_rest(tmp_path: Path) -> None:
    output = bwrap_arguments(
        "bwrap", SandboxPolicy(network=False), MountLayout(tmp_path, sockets=(Path("/var/lib/x.sock"),))
    )

    assert ["--bind", str(tmp_path), str(tmp_path), "--chdir", str(tmp_path), "--"] == output[-6:]
    assert "--unshare-net" in output
    assert "/dev/null /var/lib/x.sock" in " ".join(output)


def test_of_folders_in_folders_the_outermost_are_covered() -> None:
    assert [Path("/a"), Path("/b/c")] == outermost_paths([Path("/a"), Path("/a/b"), Path("/b/c"), Path("/a")])


def test_sockets_that_are_gone_or_have_no_path_are_no_matter() -> None:
    listing = (
        "Num ...\n0: 00000002 00000000 00010000 0001 01 1 /gone/x.sock\n0: 2 0 1 1 1 2 @abstract\n0: 2 0 1 1 1 3\n"
    )

    assert [] == list(bound_sockets(listing))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("network", [True, False])
def test_a_filter_refuses_what_it_should(machine: str, network: bool) -> None:
    ways = dict(zip(("socket", "pair", "clone", "trace", "read"), CALLS[machine], strict=True))
    program = landlock_filter(machine, network=network)

    assert REFUSED == {answer(program, machine, ways["socket"], family) for family in (1, 17, 40)}
    assert (ALLOWED if network else REFUSED) == {answer(program, machine, ways["socket"], 2)}
    assert REFUSED == {answer(program, machine, ways["pair"], 1, 2)}
    assert ALLOWED == {answer(program, machine, ways["pair"], 1, 1 | 0o2000000)}
    assert ALLOWED == {answer(program, machine, ways["clone"], 0x3D0F00)}
    assert REFUSED == {answer(program, machine, ways["clone"], 0x10000000), answer(program, machine, ways["trace"])}
    assert ALLOWED == {
        answer(program, machine, ways["read"]),
        answer(namespace_filter(machine), machine, ways["trace"]),
    }


def test_another_architecture_is_the_end() -> None:
    assert 0x80000000 == run_filter(landlock_filter("x86_64", network=True), 0x40000003, 1, 0, 0)


CALLS = {"x86_64": (41, 53, 56, 101, 0), "aarch64": (198, 199, 220, 117, 63)}
REFUSED, ALLOWED = {"refused"}, {"allowed"}


def answer(program: bytes, machine: str, call: int, *arguments: int) -> str:
    first, second = (*arguments, 0, 0)[:2]
    reply = run_filter(program, MACHINES[machine][0], call, first, second)
    assert reply in (0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.EACCES)
    return "allowed" if reply == 0x7FFF0000 else "refused"


def run_filter(program: bytes, machine: int, call: int, *arguments: int) -> int:
    """Return the kernel's answer by the filter."""
    facts = {0: call, 4: machine, 16: arguments[0], 24: arguments[1]}
    steps, at, value = list(struct.iter_unpack("=HBBI", program)), 0, 0
    while True:
        code, yes, no, operand = steps[at]
        at += 1
        if code == 0x06:
            return int(operand)
        if code == 0x20:
            value = facts[operand]
        elif code == 0x54:
            value &= operand
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
            at += yes if holds else no


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    os.close(read)


def test_a_report_is_read_line_by_line(pipe: tuple[int, int]) -> None:
    report = LauncherReport(*pipe)
    os.write(pipe[1], b"begun\nchild 7\nended 25")
    report.read_available()

    assert (True, 7, None, None) == (report.has_started, report.child, report.status, report.error)

    os.write(pipe[1], b"6\n")
    report.close_write_end()
    report.read_available()

    assert (256, False) == (report.status, report.open)


def test_a_fault_is_an_error_again(pipe: tuple[int, int]) -> None:
    report = LauncherReport(*pipe)
    os.write(pipe[1], b"begun\nfault exec 2\n")
    report.close_write_end()
    report.read_available()

    assert report.error
    assert "exec" == report.error[0]
    assert isinstance(report.error[1], FileNotFoundError)
