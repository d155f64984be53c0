"""Test that a command waits briefly when the system cannot start another process or thread, then reports that."""

import errno
from collections.abc import Callable

import pytest

from openkoi_hookspecs import KoiError
from openkoi_sandbox.retry_when_full import is_system_full, retry_when_full

pytestmark = pytest.mark.unit

NO_PROCESS, NO_THREAD = BlockingIOError(errno.EAGAIN, "no"), RuntimeError("can't start new thread")


def failing(times: int, error: Exception) -> Callable[[], str]:
    """A start that succeeds after a number of tries."""
    left = [error] * times

    def start() -> str:
        if left:
            raise left.pop()
        return "started"

    return start


@pytest.mark.parametrize("error", [NO_PROCESS, NO_THREAD])
def test_it_is_tried_again(error: Exception) -> None:
    assert "started" == retry_when_full(failing(2, error))


def test_in_the_end_the_reason_is_told() -> None:
    with pytest.raises(KoiError, match="cannot start another process"):
        retry_when_full(failing(9, NO_PROCESS), timeout=0)


@pytest.mark.parametrize("error", [FileNotFoundError(errno.ENOENT, "no"), RuntimeError("something else")])
def test_what_does_not_pass_by_itself_is_not_waited_for(error: OSError | RuntimeError) -> None:
    assert not is_system_full(error)
    with pytest.raises(type(error)):
        retry_when_full(failing(1, error))
