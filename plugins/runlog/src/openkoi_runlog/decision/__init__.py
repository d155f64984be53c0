"""Decide whether work is accepted, continues or ends. Pure; a library without entry points."""
