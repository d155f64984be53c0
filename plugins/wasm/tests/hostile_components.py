"""Build components that try to harm their host, each with the expected error."""

from collections.abc import Iterator

from components import ANSWER, answering_component, component, data_of, passing_component

LOOP = "(loop $again (br $again))"
LATE = "did not answer in time|exceeded its instruction limit"
HANDLES = "cannot allocate another handle"
OUTSIDE = "was stopped: .*out of bounds"
MEBIBYTE = "passed [0-9,]+ bytes to OpenKoi; the limit is 1,048,576"
FLOODING = f"(memory.fill (i32.const 65536) (i32.const 200) (i32.const 12000000)) {{0}} (i32.const {ANSWER})"
BIG = "(call $log (i32.const 65536) (i32.const {0}) (i32.const 16))"
RESOURCE = "(type $r (resource (rep i32))) (core func $new (canon resource.new $r))"
STREAM = "(type $s (stream u8)) (core func $new (canon stream.new $s))"
WAIT = """(core func $new (canon waitable-set.new))
    (core func $wait (canon waitable-set.wait (memory (core memory $libc "memory"))))"""
NEW = '(export "new" (func $new))'


def using(name: str, kind: str) -> str:
    """Return the import of a function of the component model."""
    return f'(import "host" "{name}" (func ${name} {kind}))'


def hostile_components() -> Iterator[tuple[str, bytes, str]]:
    """Yield the name of each, the component, and a pattern of the expected error."""
    end = f"(i32.const {ANSWER})"
    yield "a harmless component", answering_component(1), ""
    yield "an endless loop", component(body=f"{LOOP} {end}"), LATE
    yield "an endless loop at start", component(more=f"(func $s {LOOP})", start="(start $s)"), LATE
    yield "an endless loop where room is found", component(realloc=f"{LOOP} (i32.const 0)"), LATE
    yield (
        "endless recursion",
        component(more="(func $f (call $f) (call $f))", body=f"(call $f) {end}"),
        "overflowed its call stack",
    )
    yield "ending itself", component(body="unreachable"), "ended itself"
    yield "memory of 17 MiB", component(memory="272"), "cannot be started: .*memory"
    yield (
        "growing its memory",
        component(body=f"(if (i32.eq (memory.grow (i32.const 600)) (i32.const -1)) (then unreachable)) {end}"),
        "ended itself",
    )
    yield (
        "a second memory",
        component(functions="(core module $m (memory 1)) (core instance (instantiate $m))"),
        "memory",
    )
    instances = "(core module $m)" + "(core instance (instantiate $m))" * 20
    yield "twenty instances", component(functions=instances), "instance"
    yield "a table of a million", component(more="(table 1000000 funcref)"), "table"
    yield "an answer outside its memory", component(data=data_of("", 9, 0xFFFFFFF0)), OUTSIDE
    yield "an answer of 4 GiB", component(data=data_of("", 0xFFFFFFFF)), OUTSIDE
    yield "an answer whose place is outside", component(body="(i32.const -16)"), OUTSIDE
    yield "an answer of 2 MiB", component(memory="64", data=data_of("", 2 << 20)), "returned 2,097,152 bytes"
    yield "an answer that is not text", component(data=data_of("\ud800", 3)), "utf-8"
    yield "an answer that is not JSON", component(data=data_of("fish", 4)), "did not return JSON"
    yield "room outside its memory", component(realloc="(i32.const -8)"), "beyond end of memory"
    for encoding, length in (("utf8", 1 << 20), ("latin1+utf16", 12_000_000), ("utf16", 6_000_000)):
        flood = FLOODING.format(BIG.format(length + 1))
        yield (
            f"a long text as {encoding}",
            component(imports=("log",), memory="250", encoding=encoding, body=flood),
            (f"{MEBIBYTE}|utf-8"),
        )
    calls = f"(loop $l (call $log (local.get 0) (local.get 1) (i32.const {ANSWER})) (br $l)) {end}"
    yield (
        "calls without end",
        component(imports=("log",), body=calls),
        f"more than 10,000 times|out of bounds|beyond end of memory|{LATE}",
    )
    early = "(func $s (call $log (i32.const 0) (i32.const 2) (i32.const 16)))"
    yield "a call at start", component(imports=("log",), more=early, start="(start $s)"), "before it was started"
    yield (
        "resources without end",
        component(
            functions=RESOURCE,
            given=NEW,
            more=using("new", "(param i32) (result i32)"),
            body=f"(loop $l (drop (call $new (i32.const 1))) (br $l)) {end}",
        ),
        HANDLES,
    )
    yield (
        "streams without end",
        component(
            functions=STREAM,
            given=NEW,
            more=using("new", "(result i64)"),
            body=f"(loop $l (drop (call $new)) (br $l)) {end}",
        ),
        HANDLES,
    )
    yield (
        "waiting for nothing",
        component(
            functions=WAIT,
            given=f'{NEW} (export "wait" (func $wait))',
            more=using("new", "(result i32)") + using("wait", "(param i32 i32) (result i32)"),
            body=f"(drop (call $wait (call $new) (i32.const 32))) {end}",
        ),
        "cannot block",
    )
    yield "a function without a grant", passing_component("read-file"), "needs .capabilities. filesystem"
    yield "an unknown function", passing_component("run-command"), "it imports run-command of openkoi:plugin/host"
    yield "no function call", component(export="cool"), "does not export a function call"
    yield (
        "a function of another type",
        component(kind='(param "request" u32) (result string)', core="(param i32) (result i32)"),
        "does not export a function call",
    )
    yield "half a component", answering_component(1)[:-40], "is not valid"
    yield "WASI", with_wasi(), "it imports wasi:cli/environment@0.2.0, which OpenKoi does not provide"


def with_wasi() -> bytes:
    """Return a component that imports the variables of the process."""
    wanted = """(import "wasi:cli/environment@0.2.0" (instance
        (export "get-environment" (func (result (list (tuple string string)))))))"""
    return component(functions=wanted)
