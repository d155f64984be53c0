"""Measure whether a learner generalises: worlds with randomly drawn structure, reference learners, and a scorer."""
