"""The same loop over whole answers, which is how peers ask."""

from benchmarks.contestants.bare import main

if __name__ == "__main__":
    main(stream=False)
