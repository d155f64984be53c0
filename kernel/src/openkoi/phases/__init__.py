"""The phases of a run: each module has one function of its name."""
