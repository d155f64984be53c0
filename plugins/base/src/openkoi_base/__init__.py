"""Shared code of all plugins: private files, redaction, tool arguments, and safe calls of plugins."""
