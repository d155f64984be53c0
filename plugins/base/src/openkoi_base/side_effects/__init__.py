"""Notice what a plugin's code changes in the process that it shares with everything else.

A library, without entry points.
"""
