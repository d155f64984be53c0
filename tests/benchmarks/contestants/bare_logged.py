"""The floor, which also appends a synced line per step to a file."""

from benchmarks.contestants.bare import main

if __name__ == "__main__":
    main(stream=True, logged=True)
