"""Validate tool arguments, defer rarely used tools, and find the paths that a call would write.

A library, without entry points.
"""
