"""The floor that also appends a line a step to a file, and syncs it."""

from benchmarks.contestants.bare import main

if __name__ == "__main__":
    main(stream=True, logged=True)
