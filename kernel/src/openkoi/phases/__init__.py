"""The phases of a run: each module has a function of the same name."""
