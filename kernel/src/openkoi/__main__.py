"""The console entry. Answers ``--version`` before anything is imported; all else is the face's that is installed."""

import sys

FACE = ("faces", "cli")


def main() -> None:
    """Start the command line; an interruption while it is imported ends it like one later."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from openkoi import __version__

        print(f"openkoi {__version__}")
        return
    try:
        start()
    except KeyboardInterrupt:
        sys.exit(130)
    except RuntimeError as error:  # an interruption while classes are made comes wrapped
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        sys.exit(130)


def start() -> None:
    """Hand over to the command line, which is a distribution of its own."""
    from openkoi_loader.registry import resolve, scan

    found = scan()
    face = next((one for one in found.found if one[:2] == FACE), None)
    if face is None:
        sys.exit("OpenKoi has no command line here. Install it: pip install openkoi-cli")
    begin = resolve(face.target)
    if not callable(begin):
        sys.exit(f"{face.distribution} brings no command line: {face.target} cannot be called.")
    begin(found)


if __name__ == "__main__":
    main()
