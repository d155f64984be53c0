"""Detect changes by a plugin's code to the process that it shares with all other code.

A library, without entry points.
"""
