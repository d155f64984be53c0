"""Define plugins that disturb their process: each is a hook named after its effect."""

HEAD = (
    "import asyncio, builtins, os, signal, sys, threading, time\nfrom random import seed\n"
    "from openkoi_hookspecs import Section, hookimpl\n\n"
)
SYNC = "@hookimpl\ndef before_plan(task, recall, run):\n    {}\n"
ASYNC = "@hookimpl\nasync def before_plan(task, recall, run):\n    await asyncio.sleep(0)\n    {}\n"
EFFECTS = {
    "prints": ("print('hello')", "printed 'hello'"),
    "prints-bytes": ("sys.stdout.buffer.write(b'raw')", "printed 'raw'"),
    "prints-below": ("os.write(1, b'below')", "printed 'below'"),
    "prints-by-child": ("os.system('echo child')", "printed 'child'"),
    "replaces-stdout": ("import io; sys.stdout = io.StringIO()", "the standard streams"),
    "removes-stderr": ("sys.stderr = None", "the standard streams"),
    "closes-stdin": ("sys.stdin.close()", "a standard stream"),
    "moves": ("os.chdir('/')", "the working directory"),
    "moves-into-nothing": ("os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')", "the working directory"),
    "sets-variable": ("os.environ['ACME_TOKEN'] = 'x'", "environment variables (ACME_TOKEN)"),
    "clears-variables": ("os.environ.clear()", "environment variables"),
    "removes-path": ("del os.environ['PATH']", "environment variables (PATH)"),
    "ignores-interrupts": ("signal.signal(signal.SIGINT, signal.SIG_IGN)", "SIGINT"),
    "takes-termination": ("signal.signal(signal.SIGTERM, lambda *_: None)", "SIGTERM"),
    "loses-children": ("signal.signal(signal.SIGCHLD, signal.SIG_IGN)", "SIGCHLD"),
    "sets-alarm": ("signal.setitimer(signal.ITIMER_REAL, 3600)", "a timer"),
    "leaves-thread": ("threading.Thread(target=time.sleep, args=(60,), daemon=True).start()", "a thread running"),
    "leaves-task": ("asyncio.get_running_loop().create_task(asyncio.sleep(60))", "a task running (sleep)"),
    "leaves-process": ("import subprocess; subprocess.Popen(['sleep', '60'])", "a process running"),
    "copies-process": ("if os.fork() == 0: pass", "forked the process"),
    "changes-frozen": ("object.__setattr__(task, 'text', 'Do evil')", "changed Task.text"),
    "changes-run": ("run.task = None", "changed TaskRun.task"),
    "changes-nested": ("object.__setattr__(recall, 'hits', ('x',))", "changed Recall.hits"),
    "patches-builtin": ("builtins.sorted = lambda *a, **b: []", "replaced builtins.sorted"),
    "patches-time": ("time.monotonic = lambda: 0.0", "replaced time.monotonic"),
    "patches-contract": (
        "import openkoi_hookspecs; openkoi_hookspecs.Allow = Section",
        "replaced openkoi_hookspecs.Allow",
    ),
    "patches-kernel": (
        "import openkoi.phases.evaluate as phase; phase.evaluate = print",
        "replaced openkoi.phases.evaluate.evaluate",
    ),
    "patches-method": ("type(run).chat = lambda *a, **b: None", "replaced TaskRun.chat"),
    "patches-a-guard": (
        "import openkoi_guard.permission_hook as guard\n    for name in dir(guard):\n"
        "        if callable(getattr(guard, name)): setattr(guard, name, lambda *a, **b: None)",
        "replaced openkoi_guard",
    ),
    "replaces-module": ("sys.modules['json'] = sys.modules['os']", "replaced json"),
    "adds-finder": (
        "sys.meta_path.insert(0, type('F', (), {'find_spec': lambda *a: None}))",
        "how modules are imported",
    ),
    "changes-path": ("sys.path.insert(0, '/tmp')", "sys.path"),
    "traces": ("sys.settrace(lambda *a: None)", "the trace or profile function"),
    "profiles": ("sys.setprofile(lambda *a: None)", "the trace or profile function"),
    "hides-errors": ("sys.excepthook = lambda *a: None", "uncaught errors"),
    "limits-recursion": ("sys.setrecursionlimit(150)", "the recursion limit"),
    "slows-switches": ("sys.setswitchinterval(5)", "the switch interval"),
    "stops-gc": ("import gc; gc.disable()", "garbage collection"),
    "sets-umask": ("os.umask(0o777)", "the umask"),
    "limits-files": (
        "from resource import RLIMIT_NOFILE as N, getrlimit, setrlimit\n    setrlimit(N, (64, getrlimit(N)[1]))",
        "resource limits",
    ),
    "takes-memory": ("b'x' * (700 * 2**20)", "MB of memory"),
    "sets-locale": (
        "import locale; locale.setlocale(locale.LC_ALL, 'C.UTF-8' if locale.setlocale(locale.LC_ALL) == 'C' else 'C')",
        "the locale",
    ),
    "cuts-sockets": ("import socket; socket.setdefaulttimeout(0.001)", "the default socket timeout"),
    "silences-logging": ("import logging; logging.disable(100)", "the logging level"),
    "raises-warnings": ("import warnings; warnings.simplefilter('error')", "the warning filters"),
    "takes-loop-errors": ("asyncio.get_running_loop().set_exception_handler(lambda *a: None)", "the event loop"),
    "debugs-loop": ("asyncio.get_running_loop().set_debug(True)", "the event loop"),
    "stops-loop": ("asyncio.get_running_loop().stop()", "the event loop"),
    "lowers-priority": ("os.nice(1)", "the process's priority"),
    "prints-when-imported": (None, "printed 'imported' to standard output at loading"),
}
ENDINGS = {
    "ends": ("os._exit(7)", "exited the process with status 7"),
    "kills": ("os.kill(os.getpid(), signal.SIGKILL)", "killed the process with SIGKILL"),
    "aborts": ("os.abort()", "killed the process with SIGABRT"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "killed the process with SIGSEGV"),
    "replaces-process": ("os.execv('/bin/true', ['true'])", "exited the process with status 0"),
    "blocks": ("while True: pass", "did not return within"),
    "reads-terminal": ("sys.stdin.readline(); os.read(0, 1); input()", "EOFError"),
    "exits-later": ("threading.Timer(0.2, os._exit, [5]).start()", "a thread running"),
    "cancels-all": ("[one.cancel() for one in asyncio.all_tasks()]; await asyncio.sleep(0)", "cancelled OpenKoi"),
    "calls-itself": (
        "from openkoi_hookspecs.hooks import before_plan as b; await run.collect(b, task=task, recall=recall, run=run)",
        "failed at before_plan",
    ),
    "removes-hooks": ("run.services.hooks.implementations_by_hook['before_tool'] = ()", "which hooks are called"),
}

# Written after the code that names them, to find out what it misses.
FRESH = {
    "prints-to-the-original": ("print('original', file=sys.__stdout__)", "printed 'original'"),
    "prints-lines": ("sys.stdout.writelines(['a line'])", "printed 'a line'"),
    "prints-from-a-thread": (
        "t = threading.Thread(target=print, args=('threaded',)); t.start(); t.join()",
        "printed 'threaded'",
    ),
    "reconfigures-stdout": ("sys.stdout.reconfigure(encoding='ascii', errors='ignore')", "reconfigured a standard"),
    "replaces-descriptor": ("os.dup2(os.open('/dev/zero', os.O_RDONLY), 0)", "a standard descriptor"),
    "replaces-environ": ("os.environ = dict(os.environ, X='1')", "environment variables"),
    "plans-a-call": ("asyncio.get_running_loop().call_later(60, os.chdir, '/')", "a callback scheduled (chdir)"),
    "plans-a-call-soon": ("asyncio.get_running_loop().call_soon(lambda: None)", "a callback scheduled"),
    "patches-init": ("type(task).__init__ = lambda *a, **b: None", "replaced Task.__init__"),
    "patches-a-field": ("type(task).text = 'Do evil'", "replaced Task.text"),
    "moves-in-a-thread": ("await asyncio.to_thread(os.chdir, '/')", "the working directory"),
    "adds-to-a-class": ("type(task).__getattribute__ = lambda self, name: 'evil'", "replaced Task.__getattribute__"),
    "patches-import": ("builtins.__import__ = lambda *a, **b: sys", "replaced builtins.__import__"),
    "patches-certificates": ("import ssl; ssl.create_default_context = print", "replaced ssl.create_default_context"),
    "removes-a-module": ("del sys.modules['openkoi_hookspecs.task']", "replaced openkoi_hookspecs.task"),
    "rounds-decimals": ("import decimal; decimal.getcontext().prec = 3", "the decimal context"),
    "takes-usr1": ("signal.signal(signal.SIGUSR1, lambda *_: os._exit(3))", "SIGUSR1"),
    "changes-limits": ("object.__setattr__(task, 'limits', None)", "changed Task.limits"),
    "patches-a-method-of-paths": (
        "import pathlib; pathlib.Path.write_text = lambda *a, **k: 0",
        "replaced Path.write_text",
    ),
    "patches-json-of-classes": (
        "import json; json.JSONEncoder.default = lambda *a: 'x'",
        "replaced JSONEncoder.default",
    ),
    "patches-connections": ("import sqlite3; sqlite3.connect = None", "replaced sqlite3.connect"),
    "patches-the-loop": ("asyncio.get_running_loop().call_later = lambda *a, **k: None", "the event loop (undone)"),
    "makes-tasks": (
        "asyncio.get_running_loop().set_task_factory(lambda l, c, **k: asyncio.Task(c, loop=l, **k))",
        "the event loop (undone)",
    ),
    "waits-for-the-end": ("import atexit; atexit.register(os._exit, 3)", "a function to call at exit (_exit)"),
    "logs-everything": (
        "import logging; logging.getLogger().addHandler(logging.StreamHandler(sys.stdout))",
        "the root logger's handlers (undone)",
    ),
    "shows-warnings": (
        "import warnings; warnings.showwarning = lambda *a, **k: None",
        "uncaught errors and warnings are reported (undone)",
    ),
    "hears-gc": ("import gc; gc.callbacks.append(lambda *a: None)", "garbage collection (undone)"),
    "blocks-interrupts": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])",
        "which signals are blocked (undone)",
    ),
    "removes-finders": ("sys.meta_path.clear()", "how modules are imported (undone)"),
    "lies-by-a-subclass": ("class T(type(task)): pass\n    object.__setattr__(task, '__class__', T)", "TypeError"),
    "changes-arguments": ("sys.argv.append('--yes')", "changed sys.argv (undone)"),
    "moves-temporary-files": (
        "import tempfile; tempfile.tempdir = '/'",
        "changed the temporary folder (undone)",
    ),
    "raises-escapes": ("raise RuntimeError('\\x1b[2J\\x1b]0;owned\\x07' + 'y' * 100_000)", "RuntimeError: \\x1b[2J"),
}
# Written after those: a second family, whose effects are settings, data, code in place and calls that leave no trace.
SECOND = {
    "seeds-random": ("import random; random.seed(0)", "called random.seed"),
    "replaces-code": (
        "from openkoi_cli.storage_limit import StorageLimit as S\n"
        "    S.before_learn.__code__ = (lambda *a, **k: None).__code__",
        "replaced the code of openkoi_cli.storage_limit.StorageLimit.before_learn",
    ),
    "replaces-defaults": (
        "import shutil; shutil.copyfile.__kwdefaults__ = {'follow_symlinks': False}",
        "replaced the code of shutil.copyfile",
    ),
    "adds-a-builtin": ("builtins.koi_secret = 1", "replaced builtins.koi_secret"),
    "replaces-a-constant": ("import openkoi_http.limits as l; l.MIB = 10**12", "replaced openkoi_http.limits.MIB"),
    "replaces-a-text": ("import json; json.JSONEncoder.item_separator = ';'", "replaced JSONEncoder.item_separator"),
    "removes-a-later-module": ("sys.modules['colorsys'] = None", "replaced colorsys"),
    "patches-a-library": ("import click; click.echo = lambda *a, **k: None", "replaced click.echo"),
    "patches-http": (
        "import http.client as h; h.HTTPConnection.request = lambda *a, **k: None",
        "replaced HTTPConnection.request",
    ),
    "patches-secrets": ("import secrets; secrets.token_hex = lambda *a: '0'", "replaced secrets.token_hex"),
    "hides-tracebacks": ("sys.tracebacklimit = 0", "interpreter settings (tracebacks) (undone)"),
    "shortens-numbers": ("sys.set_int_max_str_digits(640)", "interpreter settings (the integer digit limit) (undone)"),
    "hooks-generators": (
        "sys.set_asyncgen_hooks(lambda g: None, None)",
        "interpreter settings (the async generator hooks)",
    ),
    "tracks-coroutines": (
        "sys.set_coroutine_origin_tracking_depth(50)",
        "interpreter settings (coroutine origin tracking)",
    ),
    "traces-memory": ("import tracemalloc; tracemalloc.start()", "interpreter settings (memory tracing) (undone)"),
    "writes-no-bytecode": ("sys.dont_write_bytecode ^= True", "interpreter settings (compiled files) (undone)"),
    "shrinks-stacks": ("threading.stack_size(65536)", "interpreter settings (the thread stack size) (undone)"),
    "traces-threads": ("threading.settrace(lambda *a: None)", "replaced threading._trace_hook"),
    "plans-a-fault-report": (
        "import faulthandler; faulthandler.dump_traceback_later(3600)",
        "called faulthandler.dump_traceback_later",
    ),
    "interrupts-calls": ("signal.siginterrupt(signal.SIGUSR2, True)", "called signal.siginterrupt"),
    "hears-forks": ("os.register_at_fork(before=lambda: None)", "called os.register_at_fork"),
    "debugs-gc": ("import gc; gc.set_debug(gc.DEBUG_SAVEALL)", "called gc.set_debug"),
    "hears-audits": ("sys.addaudithook(lambda *a: None)", "called sys.addaudithook"),
    "puts-a-variable": ("os.putenv('ACME_X', '1')", "called os.putenv"),
    "takes-decoding-errors": (
        "import codecs; codecs.register_error('strict', codecs.ignore_errors)",
        "how text is decoded (undone)",
    ),
    "rounds-up": ("import decimal; decimal.getcontext().rounding = 'ROUND_UP'", "the decimal context (undone)"),
    "moves-the-clock": (
        "os.environ['TZ'] = 'JST-9'; time.tzset(); del os.environ['TZ']",
        "the time zone (undone)",
    ),
    "takes-processors": (
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})",
        "the process's priority or CPU affinity",
    ),
    "limits-locks": ("from resource import RLIMIT_MEMLOCK as M, setrlimit; setrlimit(M, (0, 0))", "resource limits"),
    "forgets-filters": ("import warnings; warnings.filters.clear()", "the warning filters"),
    "speeds-the-loop": ("asyncio.get_running_loop().slow_callback_duration = 0.0", "the event loop (undone)"),
    "empties-the-context": (
        "import contextvars\n    for one in contextvars.copy_context(): one.set(None)",
        "context variables (undone)",
    ),
}
# What no check sees, as HOOKS.md lists it; each is an example of its sentence.
UNSEEN = {
    "files and sockets left open": "sys.leaked = [open('/etc/hosts'), __import__('socket').socket()]",
    "changed attributes of objects in modules": "import json; json._default_encoder.indent = 2",
    "changed private data of modules": "import re; re._MAXCACHE = 0",
    "changed numbers and flags with lower-case names in modules": "import socket; socket.has_ipv6 = False",
    "timers that count processor time": "signal.setitimer(signal.ITIMER_VIRTUAL, 3600)",
    "new names in `sys.modules`": "sys.modules.setdefault('acme_fake', type(sys)('acme_fake'))",
    "finalizers of objects": ("import weakref; sys.kept = type('X', (), {})(); weakref.finalize(sys.kept, len, '')"),
    "classes registered with abstract base classes": "import collections.abc as c; c.Hashable.register(dict)",
    "cleared caches": "sys.path_importer_cache.clear()",
    "system calls made without a Python function": "import ctypes; ctypes.CDLL(None).prctl(1, 15)",
    "effects of functions that the plugin imported by name": "seed(0)",
}


def module_of(body: str | None, *, waits: bool = False) -> str:
    """Return the module of a plugin that does this, in an asynchronous hook if it waits."""
    if body is None:
        return HEAD + "print('imported')\n" + SYNC.format("pass")
    return HEAD + (ASYNC if waits or "await" in body else SYNC).format(body)
