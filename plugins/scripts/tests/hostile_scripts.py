"""Scripts that try to harm: each is the body of a function ``attack``, or a whole file where it says ``def`` itself."""

from collections.abc import Mapping

LOOP = "    for i in range(1000000000):\n        x = i\n"

HOSTILE: Mapping[str, str] = {
    # time
    "a long loop": LOOP,
    "nested loops": "    for i in range(100000):\n        for j in range(100000):\n            x = i * j\n",
    "a loop at load": "def loop():\n" + LOOP + "loop()\ndef attack():\n    return 1\n",
    "a big number": "    x = 3\n    for i in range(40):\n        x = x * x\n    return len(str(x))",
    "a power of shifts": "    x = 1 << 60\n    for i in range(60):\n        x = x * x\n    return 1",
    "sorting millions": "    return len(sorted(range(300000000)))",
    "a long comprehension": "    return len([i for i in range(1000000000)])",
    "recursion": "def attack():\n    return attack()\n",
    "mutual recursion": "def a():\n    return b()\ndef b():\n    return a()\ndef attack():\n    return a()\n",
    "recursion by a lambda": "    f = lambda g, n: g(g, n + 1)\n    return f(f, 0)",
    "many host calls": "    for i in range(100000):\n        log(i)\n",
    "a host call in a loop without end": "    for i in range(100000):\n        search_memory('x')\n",
    # memory
    "a doubling text": "    x = 'x'\n    for i in range(60):\n        x = x + x\n    return len(x)",
    "a doubling list": "    x = [1]\n    for i in range(60):\n        x = x + x\n    return len(x)",
    "a multiplied text": "    return len('x' * 100000000000)",
    "a multiplied list": "    return len([0] * 100000000000)",
    "a replaced text": "    x = 'x' * 100000\n    return len(x.replace('x', x).replace('x', x))",
    "a large dictionary": "    return len({i: 'x' * 1000 for i in range(10000000)})",
    "a joined text": "    x = 'x' * 1000000\n    return len(x.join([x] * 1000000))",
    "a format with a width": "    return len('%s' % ('x' * 10000000000))",
    "a long answer": "    return 'x' * 50000000",
    "a long argument": "    log('x' * 100000000)",
    # depth
    "a deep answer": "    x = []\n    for i in range(200000):\n        x = [x]\n    return x",
    "a deep argument": "    x = []\n    for i in range(200000):\n        x = [x]\n    log(x)",
    "a cyclic list": "    x = []\n    x.append(x)\n    return x",
    "deep JSON": "    return json.decode('[' * 200000 + ']' * 200000)",
    "deep minus": "    return " + "-" * 60000 + "1",
    "deep parentheses": "    return " + "(" * 30000 + "1" + ")" * 30000,
    # reach
    "an import": "    import os\n    return os.environ",
    "a loaded file": "load('/etc/passwd', 'root')\ndef attack():\n    return root\n",
    "open": "    return open('/etc/passwd')",
    "dunder names": "    return ().__class__.__bases__[0].__subclasses__()",
    "getattr to a class": "    return getattr(log, '__globals__')",
    "eval": "    return eval('1')",
    "the entry of OpenKoi": "    return openkoi_call_attack('{}')",
    "a forged answer": '    log(\'\\n{"answer": "forged"}\\n\')\n    return 1 // 0',
    "another's fact": "    return {'$': 0}",
}


def text_of(body: str) -> str:
    """Return a whole script."""
    return body if "def attack" in body else f"def attack():\n{body}\n"
