"""Make file permissions apply to the tests even where they run as root."""

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

VERSION_3 = 0x20080522  # of linux/capability.h: two words for each set
DAC_OVERRIDE, DAC_READ_SEARCH = 1 << 1, 1 << 2
SETS = struct.Struct("6I")  # effective, permitted, inheritable; low words first
GET_SECUREBITS, SET_SECUREBITS, NO_SETUID_FIXUP = 27, 28, 1 << 2  # without it access(2) takes root's permitted set


@contextmanager
def bound_by_modes() -> Iterator[None]:
    """Remove root's right to ignore modes from this thread and those it starts, temporarily."""
    if os.name != "posix":
        pytest.skip("modes are POSIX's")
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root ignores modes: run the tests as another user")
    bits = call_libc("prctl", GET_SECUREBITS, 0, 0, 0, 0)
    header, before = struct.pack("Ii", VERSION_3, 0), ctypes.create_string_buffer(SETS.size)
    call_libc("capget", header, before)
    effective, *others = SETS.unpack(before.raw)
    call_libc("prctl", SET_SECUREBITS, bits | NO_SETUID_FIXUP, 0, 0, 0)
    call_libc("capset", header, SETS.pack(effective & ~(DAC_OVERRIDE | DAC_READ_SEARCH), *others))
    try:
        yield
    finally:
        call_libc("capset", header, before.raw)
        call_libc("prctl", SET_SECUREBITS, bits, 0, 0, 0)


def call_libc(name: str, *arguments: object) -> int:
    """Call a function of the C library, whose negative answer is an error."""
    answer = int(getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments))
    if answer < 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return answer
