"""Run last before a confined command: drop privileges, then become it, or stay as its parent and report.

This is started as a script by a bare interpreter, so it imports no module of ours, and little else: every command waits
for it. The restrictions were decided elsewhere. It reports in lines: ``begun``, ``child PID``, ``fault STEP ERRNO``,
``ended STATUS``.
"""

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctypes import CDLL

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 22, 36, 38
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
PATH_BENEATH, FILTER = 1, 2
ON_FILES = 0x1 | 0x2 | 0x4 | 0x4000 | 0x8000
TERM, KILL, PIPE, XFSZ = 15, 9, 13, 25
CANNOT_RUN = 126
TRIES, PAUSE = 60, 0.05
LIBRARY: "list[CDLL]" = []
Rules = tuple[bytes, list[tuple[str, int]]]
Orders = tuple[bool, bool, list[tuple[int, int]], Rules | None, bytes]


def main() -> None:
    """Apply the first three arguments to the rest of them, which are the command."""
    report = int(sys.argv[1])
    with open(int(sys.argv[2]), "rb") as file:  # noqa: PTH123  # a descriptor, no path
        orders = marshal.load(file)
    os.set_inheritable(report, False)
    os.write(report, b"begun\n")
    if orders[0]:
        run_as_parent(report, orders, sys.argv[3:])
    else:
        exec_command(report, orders, sys.argv[3:])


def run_as_parent(report: int, orders: Orders, argv: list[str]) -> None:
    """Start the command and stay until nothing of it is left: orphans become children of this process."""
    system_call("prctl", PR_SET_SUBREAPER, 1, 0, 0, 0)
    if os.getpid() != 1:
        set_handler(TERM, kill_all)
        system_call("prctl", PR_SET_PDEATHSIG, TERM, 0, 0, 0)
    child = fork_with_retries(report)
    if not child:
        os.setsid()
        system_call("prctl", PR_SET_PDEATHSIG, KILL, 0, 0, 0)
        exec_command(report, orders, argv)
    os.write(report, b"child %d\n" % child)
    for handle in (0, 1, 2):
        os.close(handle)
    reap_children(report, child)


def fork_with_retries(report: int) -> int:
    """Fork, and retry for a while when the system has no room."""
    import time

    for _ in range(TRIES):
        try:
            return os.fork()
        except OSError as error:
            failed = error
        time.sleep(PAUSE)
    os.write(report, b"fault fork %d\n" % (failed.errno or 0))
    os._exit(CANNOT_RUN)


def reap_children(report: int, child: int) -> None:
    """Wait for all children, and report how the command itself ended."""
    while True:
        try:
            pid, status = os.wait()
        except ChildProcessError:
            os._exit(0)
        if pid == child:
            os.write(report, b"ended %d\n" % status)


def kill_all(*_: object) -> None:
    """Kill everything, because this process must end or its parents have ended."""
    while True:
        with open(f"/proc/self/task/{os.getpid()}/children") as listing:  # noqa: PTH123  # pathlib is slow to import
            children = listing.read().split()
        for child in children:
            os.kill(int(child), KILL)
        try:
            os.wait()
        except ChildProcessError:
            os._exit(128 + TERM)


def exec_command(report: int, orders: Orders, argv: list[str]) -> None:
    """Apply the restrictions and exec the command; when that fails, report at which step."""
    _, coerced, limits, rules, program = orders
    step = "limits"
    try:
        set_limits(limits)
        step = "landlock"
        if rules or program:
            drop_capabilities()
        if rules:
            enter_landlock(*rules)
        step = "seccomp"
        if program:
            filter_calls(program)
        step = "exec"
        set_handler(PIPE, 0)
        set_handler(XFSZ, 0)
        if coerced:
            os.environ.pop("LC_CTYPE", None)
        os.execvp(argv[0], argv)
    except OSError as error:
        os.write(report, b"fault %s %d\n" % (step.encode(), error.errno or 0))
    os._exit(CANNOT_RUN)


def drop_capabilities() -> None:
    """Drop root's capabilities, and all ways to regain any: some of them bypass the rules."""
    system_call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    version, ourselves, none = 0x20080522, 0, bytes(24)
    system_call("capset", version.to_bytes(4, sys.byteorder) + ourselves.to_bytes(4, sys.byteorder), none)


def set_limits(limits: list[tuple[int, int]]) -> None:
    """Lower limits, never raise them."""
    import resource

    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))


def enter_landlock(attributes: bytes, paths: list[tuple[str, int]]) -> None:
    """Enter a Landlock domain: refuse the rights in ``attributes``, except below the paths."""
    ruleset = system_call("syscall", LANDLOCK_CREATE, attributes, len(attributes), 0)
    for path, rights in paths:
        allow_path(ruleset, path, rights)
    system_call("syscall", LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)


def allow_path(ruleset: int, path: str, rights: int) -> None:
    """Add a rule for a path; skip one that does not exist or cannot be accessed."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    beneath = rights if os.stat(handle).st_mode & 0o170000 == 0o040000 else rights & ON_FILES  # noqa: PTH116
    rule = beneath.to_bytes(8, sys.byteorder) + handle.to_bytes(4, sys.byteorder)
    if beneath:
        system_call("syscall", LANDLOCK_ADD, ruleset, PATH_BENEATH, rule, 0)
    os.close(handle)


def filter_calls(program: bytes) -> None:
    """Install a seccomp filter."""
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    packed = Program(len(program) // 8, program)
    system_call("prctl", PR_SET_SECCOMP, FILTER, ctypes.addressof(packed), 0, 0)


def system_call(function: str, *arguments: int | bytes) -> int:
    """Call the C library; raise OSError if the call fails."""
    import ctypes

    if not LIBRARY:
        LIBRARY.append(ctypes.CDLL(None, use_errno=True))
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    answer = int(LIBRARY[0][function](*words))
    if answer < 0:
        raise OSError(ctypes.get_errno(), function)
    return answer


def set_handler(number: int, handler: object) -> None:
    """Set what a signal does; 0 is the default. Importing the public module takes longer than everything else here."""
    import _signal  # type: ignore[import-not-found]  # it has no public description

    _signal.signal(number, handler)


if __name__ == "__main__":
    main()
