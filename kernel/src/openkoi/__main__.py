"""The console entry. Answers ``--version`` before anything is imported."""

import sys


def main() -> None:
    """Run the command line; an interruption while it is imported ends it like one later."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from openkoi import __version__

        print(f"openkoi {__version__}")
        return
    try:
        from openkoi.cli import start

        start()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
