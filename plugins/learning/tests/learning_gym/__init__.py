"""What only developers of the learner measure in the gym: causes, planted advice, curves, whole runs, other worlds."""
