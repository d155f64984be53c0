"""Run plugins that are WebAssembly modules, each with no more than it was granted."""
