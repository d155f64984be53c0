"""OpenKoi's kernel: the loop, and nothing that a plugin can provide.

The console script is here, so that Ctrl-C is handled before any other module of ours is looked for. It answers
``--version`` itself; all else is a frontend's.
"""

import sys

__version__ = "2026.11.21"
OPEN = "openkoi.open_app:open_app"


def main() -> None:
    """Start a frontend; an interruption while it is imported ends it like one later."""
    try:
        if sys.argv[1:] not in (["--version"], ["-V"]):
            start()
        print(f"openkoi {__version__}", flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError:  # standard output cannot be written: the frontend reports that
        start()


def start() -> None:
    """Hand over to the frontend that is installed, and end with its status."""
    from openkoi_loader import end_start_quietly

    end_start_quietly()
    from openkoi_loader.launcher import Launcher
    from openkoi_loader.plugin_discovery import scan

    sys.exit(Launcher(scan(), sys.argv[1:], __version__, OPEN).main())
