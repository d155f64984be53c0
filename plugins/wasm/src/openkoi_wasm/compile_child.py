"""Compile one module, in a process of its own with limits: a small module can take minutes and gigabytes to compile.

Started as a script by a bare interpreter, with the seconds of processor time that it may take. The module is on
standard input, the compiled one goes to standard output.
"""

import sys

ADDRESS_SPACE = 2 << 30  # bytes; the library alone maps several hundred megabytes


def main() -> None:
    """Compile standard input; the last line of standard error is the error, if any."""
    limit_resources(int(sys.argv[1]))
    from wasmtime import WasmtimeError

    from openkoi_wasm.engine import compiled_class, create_engine

    wasm = sys.stdin.buffer.read()
    try:
        compiled = compiled_class(wasm)(create_engine(), wasm).serialize()
    except WasmtimeError as error:
        sys.exit(" ".join(str(error).split())[:500])
    sys.stdout.buffer.write(compiled)


def limit_resources(seconds: int) -> None:
    """Limit processor time, memory and files, if the system supports that."""
    if sys.platform == "win32":
        return
    import resource

    limits = {resource.RLIMIT_CPU: seconds, resource.RLIMIT_AS: ADDRESS_SPACE, resource.RLIMIT_CORE: 0}
    for kind, most in {**limits, resource.RLIMIT_FSIZE: 0}.items():
        resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    main()
