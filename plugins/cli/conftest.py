"""Keeps the demo's project, whose tests fail on purpose, out of our own test run."""

collect_ignore = ["src"]
