"""Run OpenKoi as a module."""

from openkoi import main

if __name__ == "__main__":
    main()
