"""Versions of a workspace, kept outside it, for OpenKoi."""
