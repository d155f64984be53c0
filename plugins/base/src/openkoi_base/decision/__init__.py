"""Decide what happens after an iteration: whether the work is accepted, continues or ends. Pure."""
