"""Build seccomp filters of refused system calls; the one for Landlock blocks sockets if the network is blocked."""

import errno
import struct
from collections.abc import Iterator

from openkoi_hookspecs.lazy_dataclass import dataclass

LOAD, JUMP_EQUAL, JUMP_MASKED, JUMP_FROM, ANSWER = 0x20, 0x15, 0x45, 0x35, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, ARCHITECTURE = 0, 4
ARGUMENTS = (16, 24)
X32 = 0x40000000
NEW_NAMESPACES = 0x7E020080
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
STREAM, PACKETS, KIND = 1, 5, 0xF

MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
REACHING_OUT = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "setns": (308, 268),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "open_by_handle_at": (304, 265),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
}
TRACING = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
}
UNFILTERABLE = {"clone3": (435, 435), "io_uring_setup": (425, 425)}
CLONE, UNSHARE, SOCKET, SOCKETPAIR = (56, 220), (272, 97), (41, 198), (53, 199)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: what to do, how far to jump if its condition is true or false, and its operand."""

    code: int
    operand: int
    yes: int = 0
    no: int = 0

    @property
    def packed_bytes(self) -> bytes:
        """The instruction in the kernel's format."""
        return struct.pack("=HBBI", self.code, self.yes, self.no, self.operand)


def is_known_machine(machine: str) -> bool:
    """Return whether the system call numbers of this machine are known."""
    return machine in MACHINES


def namespace_filter(machine: str) -> bytes:
    """Return the filter for namespaces: no mounting, no joining of others, nothing that they do not separate."""
    return build_program(machine, [*refuse_calls(machine, REACHING_OUT), *refuse_namespaces(machine)])


def landlock_filter(machine: str, *, network: bool) -> bytes:
    """Return the filter for Landlock, which leaves open: sockets, tracing, and calls that a filter cannot inspect."""
    families = (INET, INET6, NETLINK) if network else (NETLINK,)
    rules = [
        *refuse_calls(machine, {**REACHING_OUT, **TRACING}),
        *refuse_namespaces(machine),
        *allow_only(machine, SOCKET, 0, families),
        *allow_only(machine, SOCKETPAIR, 1, (STREAM, PACKETS), mask=KIND),
    ]
    return build_program(machine, rules)


def build_program(machine: str, rules: list[Instruction]) -> bytes:
    """Return rules between what every filter begins and ends with: calls of another architecture end the process."""
    begin = [
        Instruction(LOAD, ARCHITECTURE),
        Instruction(JUMP_EQUAL, MACHINES[machine][0], 1, 0),
        Instruction(ANSWER, KILL),
        Instruction(LOAD, NUMBER),
        Instruction(JUMP_FROM, X32, 0, 1),
        Instruction(ANSWER, ERRNO | errno.ENOSYS),
        *refuse_calls(machine, UNFILTERABLE, errno.ENOSYS),
    ]
    return b"".join(step.packed_bytes for step in [*begin, *rules, Instruction(ANSWER, ALLOW)])


def refuse_calls(machine: str, calls: dict[str, tuple[int, int]], error: int = errno.EPERM) -> Iterator[Instruction]:
    """Refuse calls whatever their arguments."""
    for numbers in calls.values():
        yield Instruction(JUMP_EQUAL, call_number(machine, numbers), 0, 1)
        yield Instruction(ANSWER, ERRNO | error)


def refuse_namespaces(machine: str) -> Iterator[Instruction]:
    """Refuse to make namespaces; threads and processes may be made."""
    for numbers in (CLONE, UNSHARE):
        yield Instruction(JUMP_EQUAL, call_number(machine, numbers), 0, 4)
        yield Instruction(LOAD, ARGUMENTS[0])
        yield Instruction(JUMP_MASKED, NEW_NAMESPACES, 0, 1)
        yield Instruction(ANSWER, ERRNO | errno.EPERM)
        yield Instruction(ANSWER, ALLOW)


def allow_only(
    machine: str, numbers: tuple[int, int], place: int, values: tuple[int, ...], *, mask: int = 0xFFFFFFFF
) -> list[Instruction]:
    """Allow a call only where an argument is one of these values."""
    last = len(values)
    tests = [Instruction(JUMP_EQUAL, value, last - at, 0) for at, value in enumerate(values)]
    checks = [
        Instruction(LOAD, ARGUMENTS[place]),
        Instruction(0x54, mask),
        *tests,
        Instruction(ANSWER, ERRNO | errno.EACCES),
        Instruction(ANSWER, ALLOW),
    ]
    return [Instruction(JUMP_EQUAL, call_number(machine, numbers), 0, len(checks)), *checks]


def call_number(machine: str, numbers: tuple[int, int]) -> int:
    """Return the number of a system call on this machine."""
    return numbers[MACHINES[machine][1]]
