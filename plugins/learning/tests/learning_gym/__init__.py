"""Measure what only developers of the learner need: causes, planted advice, curves, whole runs, other worlds."""
