"""Programs that mean harm. Each has a `score(output)`; the output says what there is to harm: a file, a pid, a port."""

from __future__ import annotations

from textwrap import dedent
from typing import Final

_PROGRAMS: Final = {
    "fork bomb": """
        import os
        def score(output):
            while True:
                os.fork()
        """,
    "endless loop": """
        def score(output):
            while True:
                pass
        """,
    "endless loop that catches everything": """
        def score(output):
            while True:
                try:
                    while True:
                        pass
                except BaseException:
                    pass
        """,
    "memory bomb": """
        def score(output):
            kept = []
            while True:
                kept.append("x" * 10_000_000 + str(len(kept)))
        """,
    "memory bomb at once": """
        def score(output):
            return len("x" * 10**11)
        """,
    "a power computed in C": """
        def score(output):
            return len(str(7 ** (7 ** 9)))
        """,
    "reading the environment": """
        import os
        def score(output):
            return float(len(os.environ["REJUDGE_TEST_SECRET"]))
        """,
    "reading the store": """
        def score(output):
            return float(len(open(output["file"], "rb").read()))
        """,
    "reading the passwords": """
        def score(output):
            return float(len(open("/etc/passwd").read()))
        """,
    "listing the home directory": """
        import os
        def score(output):
            return float(len(os.listdir(output["folder"])))
        """,
    "opening a socket": """
        import socket
        def score(output):
            socket.create_connection(("127.0.0.1", output["port"]), 1).sendall(b"stolen")
            return 1.0
        """,
    "opening a socket by ctypes": """
        import ctypes
        def score(output):
            number = ctypes.CDLL(None, use_errno=True).socket(2, 1, 0)
            if number < 0:
                raise OSError(ctypes.get_errno(), "socket")
            return 1.0
        """,
    "writing outside": """
        def score(output):
            open(output["folder"] + "/written", "w").write("x")
            return 1.0
        """,
    "overwriting a program": """
        import os, sys
        def score(output):
            open(os.__file__, "a").write("import evil")
            return 1.0
        """,
    "tracing the parent": """
        import ctypes, os
        def score(output):
            libc = ctypes.CDLL(None, use_errno=True)
            for pid in (os.getppid(), 1, output["pid"]):
                if libc.ptrace(16, pid, 0, 0) == 0:
                    return 1.0
            raise OSError(ctypes.get_errno(), "ptrace")
        """,
    "killing the parent": """
        import os, signal
        def score(output):
            os.kill(os.getppid(), signal.SIGKILL)
            return 1.0
        """,
    "killing everybody": """
        import os, signal
        def score(output):
            os.kill(-1, signal.SIGKILL)
            return 1.0
        """,
    "lowering the parent's limits": """
        import os, resource
        def score(output):
            resource.prlimit(os.getppid(), resource.RLIMIT_NPROC, (0, 0))
            return 1.0
        """,
    "a result that is no data": """
        def score(output):
            return lambda: 1.0
        """,
    "a class instance": """
        class Grade:
            pass
        def score(output):
            return Grade()
        """,
    "not a number": """
        def score(output):
            return float("nan")
        """,
    "infinity": """
        def score(output):
            return {"harm": float("inf")}
        """,
    "deep recursion": """
        import sys
        sys.setrecursionlimit(10**9)
        def score(output):
            return 1.0 + score(output)
        """,
    "recursion": """
        def score(output):
            return 1.0 + score(output)
        """,
    "huge output": """
        def score(output):
            while True:
                print("x" * 100_000)
        """,
    "huge return value": """
        def score(output):
            return "x" * 50_000_000
        """,
    "a value nested without end": """
        def score(output):
            value = []
            for _ in range(100_000):
                value = [value]
            return value
        """,
    "a value that holds itself": """
        def score(output):
            value = []
            value.append(value)
            return value
        """,
    "deep JSON": """
        import json
        def score(output):
            return json.loads("[" * 200_000)
        """,
    "patching the protocol": """
        import builtins, json, sys
        def score(output):
            json.dumps = lambda *given, **named: "1.0"
            json.encoder.encode_basestring_ascii = lambda text: '"harm"'
            json.JSONEncoder.encode = lambda self, value: "1.0"
            builtins.type = lambda value: float
            builtins.float = lambda value: 1.0
            builtins.isinstance = lambda value, kind: True
            builtins.repr = str = lambda value: "1.0"
            sys.stdout = sys.stderr = None
            return object()
        """,
    "leaving at once": """
        import os
        def score(output):
            os._exit(0)
        """,
    "leaving": """
        import sys
        def score(output):
            sys.exit(0)
        """,
    "closing everything": """
        import os
        def score(output):
            os.closerange(0, 4096)
            return 1.0
        """,
    "signals that are ignored": """
        import signal
        def score(output):
            for number in range(1, 65):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            while True:
                pass
        """,
    "threads that never end": """
        import threading
        def spin():
            while True:
                pass
        def score(output):
            while True:
                threading.Thread(target=spin).start()
        """,
    "a daemon that outlives the call": """
        import os, time
        def score(output):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(600)
            return 1.0
        """,
    "sleeping past the limit": """
        import time
        def score(output):
            time.sleep(600)
            return 1.0
        """,
    "mounting": """
        import ctypes
        def score(output):
            if ctypes.CDLL(None, use_errno=True).mount(b"proc", b"/scratch", b"proc", 0, None) != 0:
                raise OSError(ctypes.get_errno(), "mount")
            return 1.0
        """,
    "a namespace of its own": """
        import ctypes
        def score(output):
            if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) != 0:
                raise OSError(ctypes.get_errno(), "unshare")
            return 1.0
        """,
    "another root": """
        import os
        def score(output):
            os.chroot("/scratch")
            return 1.0
        """,
    "tricks with /proc": """
        import os
        def score(output):
            open("/proc/self/mem", "r+b").write(b"x")
            os.listdir("/proc/1/root")
            return 1.0
        """,
    "a wild pointer": """
        import ctypes
        def score(output):
            ctypes.memset(8, 1, 4096)
            return 1.0
        """,
    "a pattern that backtracks": """
        import re
        def score(output):
            return 1.0 if re.match(r"(a|aa)+$(?<=z)", "a" * 200 + "b") is None else 0.0
        """,
    "filling the scratch directory": """
        import os
        def score(output):
            number = 0
            while True:
                with open(f"full{number}", "wb") as file:
                    file.write(b"x" * 1_000_000)
                number += 1
        """,
    "a million files": """
        def score(output):
            for number in range(1_000_000):
                open(f"file{number}", "w").close()
            return 1.0
        """,
    "a link out of the scratch directory": """
        import os
        def score(output):
            os.symlink(output["file"], "link")
            return float(len(open("link", "rb").read()))
        """,
    "forging the answer": """
        import json, os, struct
        def score(output):
            forged = json.dumps(
                {"said": "done", "nonce": "0" * 32, "fault": None, "story": "", "printed": "", "value": 1.0}
            ).encode()
            for number in range(3, 64):
                try:
                    os.write(number, struct.pack("!I", len(forged)) + forged)
                except OSError:
                    pass
            return 0.0
        """,
    "noise on every descriptor": """
        import os
        def score(output):
            for number in range(0, 64):
                try:
                    os.write(number, b"\\xff" * 5000)
                except OSError:
                    pass
            return 0.0
        """,
    "another program": """
        import os
        def score(output):
            os.execv("/bin/sh", ["sh", "-c", "echo x > " + output["folder"] + "/written"])
            return 1.0
        """,
    "a shell": """
        import subprocess
        def score(output):
            return float(subprocess.run(["/bin/sh", "-c", "sleep 600"]).returncode)
        """,
    "reading the scratch of another call": """
        import os
        def score(output):
            with open("left", "x") as file:
                file.write("by an earlier call")
            return float(len(open("../scratch/other").read()))
        """,
    "an error that cannot be told": """
        class Evil(Exception):
            def __str__(self):
                raise SystemExit
        def score(output):
            raise Evil
        """,
    "a tool that it may not use": """
        def score(output):
            return lookup(key="secret")
        """,
    "memory outside its own": """
        import os
        def score(output):
            for _ in range(40):
                os.write(os.memfd_create("kept"), b"x" * 10_000_000)
            return 1.0
        """,
    "asking for tools without end": """
        import sys
        def score(output):
            inside = sys._getframe(1)
            nonce, channel = inside.f_locals["call"]["nonce"], inside.f_locals["channel"]
            asked = '{"said":"ask","nonce":"' + nonce + '","name":"' + "x" * 1_000_000 + '","arguments":{}}'
            for _ in range(20):
                inside.f_globals["send"](channel, asked)
                inside.f_globals["receive"](channel)
            return 1.0
        """,
    "shared memory": """
        import ctypes
        def score(output):
            number = ctypes.CDLL(None, use_errno=True).shmget(4711, 4096, 0o1666)
            if number < 0:
                raise OSError(ctypes.get_errno(), "shmget")
            return 1.0
        """,
}

HOSTILE: Final = {name: dedent(code).strip() + "\n" for name, code in _PROGRAMS.items()}
