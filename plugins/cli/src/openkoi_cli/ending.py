"""The last moments of the process. Knows one signal."""

import signal
import threading


def deaf() -> None:
    """From now on nothing interrupts: all that is left is to end."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
