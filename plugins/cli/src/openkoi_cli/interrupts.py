"""Ignore interrupts (Ctrl-C) at the end of the process."""

import signal
import threading


def ignore_interrupts() -> None:
    """Ignore Ctrl-C from now on, because only the exit is left to do."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
