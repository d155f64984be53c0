"""Detect coroutines that a plugin's code creates but never awaits, so that their work is never done."""

import sys
import threading
import warnings
from pathlib import Path
from typing import Any


class UnawaitedWatch:
    """Records the coroutines that this thread creates and drops until ``finish``.

    Python calls an internal function for each dropped one; there is no public way to learn which one it was.
    """

    def __init__(self) -> None:
        self.found: list[str] = []
        self.thread = threading.current_thread()
        self.depth = sys.get_coroutine_origin_tracking_depth()
        self.tracked = max(1, self.depth)
        sys.set_coroutine_origin_tracking_depth(self.tracked)  # only those made from now on have an origin
        self.warn_before: Any = warnings._warn_unawaited_coroutine  # type: ignore[attr-defined]  # see above
        warnings._warn_unawaited_coroutine = self.note  # type: ignore[attr-defined]  # see above

    def note(self, coroutine: Any) -> None:
        """Record a dropped coroutine; let Python warn about those of other code."""
        if threading.current_thread() is not self.thread or not coroutine.cr_origin:
            self.warn_before(coroutine)
            return
        path, line, _ = coroutine.cr_origin[0]
        self.found.append(f"called {coroutine.__qualname__}() without await ({Path(path).name}:{line})")

    def finish(self) -> list[str]:
        """Return the coroutines that were never awaited."""
        warnings._warn_unawaited_coroutine = self.warn_before  # type: ignore[attr-defined]  # see above
        if sys.get_coroutine_origin_tracking_depth() == self.tracked:  # else a plugin has set it, which is named
            sys.set_coroutine_origin_tracking_depth(self.depth)
        return self.found
