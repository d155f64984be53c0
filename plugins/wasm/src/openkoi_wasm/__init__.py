"""Run plugins that are WebAssembly modules, each with only what it was granted."""
