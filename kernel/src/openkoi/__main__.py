"""The console entry. Answers ``--version`` before anything is imported."""

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from openkoi import __version__

        print(f"openkoi {__version__}")
        return
    from openkoi.cli import start

    start()


if __name__ == "__main__":
    main()
