"""Detect what a plugin's code changes in the process that it shares with all other code.

A library, without entry points.
"""
