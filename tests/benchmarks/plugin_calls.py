"""Measure what a plugin call costs by kind: hooks in this process, WASM modules, scripts in a child process.

Each is timed in batches, in turn with its floor, which does no more than the kind of plugin cannot do without, and
with plugin systems of others. The fastest batch counts: all others were slower by what else the machine did. The
sources of modules and scripts are installed beside the default bundle.

Ours also has what they have not: a hook's answer is checked and has a deadline, a module has an instance, fuel and a
deadline for each call, a script a process in a sandbox and a deadline.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from .contest import Contestant, Entry, enlisted, load, met, round_robin, table
from .peers import peers_in

BATCHES = 1_000
PEERS = ("pluggy", "blinker", "extism", "extism:new", "pywasm3", "starlark-pyo3", "lupa", "execnet", "mcp")
HOOKS, WASM, SCRIPTS = PEERS[:2], PEERS[2:5], PEERS[5:]
OWN = tuple(
    Entry(way, "plugin_kinds", way=way, beside=("openkoi-wasm", "openkoi-scripts"))
    for way in ("hooks", "wasm", "scripts")
)
NOTES = {
    "extism": "one instance",
    "extism:new": "an instance a call",
    "pywasm3": "one instance, interpreted",
    "starlark-pyo3": "in process",
    "lupa": "in process, Lua",
    "execnet": "a child, no sandbox",
    "mcp": "a tool of a child, no sandbox",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """A call of a plugin and its floor, with the microseconds that the call may take, and peers that do the same.

    Ours measures several calls, of which this is the one with ``number``.
    """

    name: str
    kind: str
    floor_name: str
    goal: float
    number: int = 0
    floor: int = 1
    peers: tuple[str, ...] = ()


ROWS = (
    Compared("a hook with 20 silent implementations", "hooks", "20 calls of a function", 10, floor=2, peers=HOOKS),
    Compared("an answer of one of them, logged", "hooks", "all 20 silent", 15, number=1, floor=0),
    Compared("a WASM module", "wasm", "wasmtime's own classes", 150, peers=WASM),
    Compared("a script", "scripts", "a line to a child and back", 2_000, peers=SCRIPTS),
)


def show(rounds: int) -> None:
    """Print a table."""
    with TemporaryDirectory() as folder, enlisted([*OWN, *peers_in("calls", *PEERS)], folder) as contestants:
        costs = round_robin(contestants, rounds, batches=BATCHES)
        best = {
            name: [min(times) for times in zip(*(cost.figures for cost in turns), strict=True)]
            for name, turns in costs.items()
        }
        rows = [row(one, best, contestants) for one in ROWS]
    print(table([f"a warm call, microseconds ({load()})", "", "floor", "", "goal", "", "peers"], rows))


def row(one: Compared, best: Mapping[str, Sequence[float]], contestants: Sequence[Contestant]) -> list[str]:
    """Return a line of the table."""
    call, floor = best[one.kind][one.number], best[one.kind][one.floor]
    counts = call - floor if one.number else call
    text = f"+{counts:.1f}" if one.number else f"{counts:.1f}"
    peers = "; ".join(formatted(peer, best) for peer in contestants if peer.entry.name in one.peers)
    return [one.name, text, one.floor_name, f"{floor:.1f}", f"{one.goal:g}", met(counts, one.goal), peers]


def formatted(peer: Contestant, best: Mapping[str, Sequence[float]]) -> str:
    """Return a peer with its version and time, and how it differs."""
    name = peer.entry.name
    note = f" ({NOTES[name]})" if name in NOTES else ""
    return f"{name.partition(':')[0]} {peer.version}{note} {best[name][0]:.1f}"
