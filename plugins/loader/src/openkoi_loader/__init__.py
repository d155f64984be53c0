"""Find, build, enter and call plugins: a library, without entry points. Its modules are imported one by one."""
