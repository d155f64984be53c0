"""Hook scripts: Starlark in a child process, or Python files without a package."""
