"""OpenKoi's kernel: the loop, and nothing that a plugin can provide.

The console script is here, so that Ctrl-C is handled before any other module of ours is imported. It answers
``--version`` itself; everything else is left to the frontend.
"""

import sys

__version__ = "2026.11.21"
OPEN = "openkoi.open_app:open_app"


def main() -> None:
    """Start a frontend; Ctrl-C while it is imported ends it as at any later time."""
    try:
        if sys.argv[1:] not in (["--version"], ["-V"]):
            start()
        print(f"openkoi {__version__}", flush=True)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError:  # standard output cannot be written: the frontend reports that
        start()


def start() -> None:
    """Start the installed frontend and exit with its status."""
    from openkoi_loader import end_start_quietly

    end_start_quietly()
    from openkoi_loader.launcher import Launcher
    from openkoi_loader.plugin_discovery import scan

    sys.exit(Launcher(scan(), sys.argv[1:], __version__, OPEN).main())
