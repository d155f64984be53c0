"""Manage the run log: statistics, audit, archive, export and import.

It reads only the log, so that it works with any memory or none.
"""
