#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Stands between an executor and the real codex and notes when each text delta leaves codex.

    codextap.py CODEX LOG ARGUMENT...

Runs CODEX with the arguments and hands everything on unchanged. LOG gets one line per text delta:
the monotonic clock in nanoseconds, taken just before the line is written on, a blank, and the
delta's text as JSON.
"""

import json
import os
import subprocess
import sys
import threading
import time


def write_all(to, data):
    while data:
        data = data[os.write(to, data):]


def feed(child):
    while data := os.read(0, 65536):
        write_all(child.stdin.fileno(), data)
    child.stdin.close()


def main():
    log = open(sys.argv[2], "a", encoding="utf-8", buffering=1)
    child = subprocess.Popen([sys.argv[1], *sys.argv[3:]], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, bufsize=0)
    threading.Thread(target=feed, args=(child,), daemon=True).start()
    rest = b""
    while data := os.read(child.stdout.fileno(), 1 << 20):
        whole, end, rest = (rest + data).rpartition(b"\n")
        stamp = time.monotonic_ns()
        write_all(1, whole + end)
        # What codex said is on its way; taking it apart now delays nothing.
        for line in whole.split(b"\n"):
            if b'"item/agentMessage/delta"' in line:
                text = json.loads(line)["params"]["delta"]
                log.write(f"{stamp} {json.dumps(text)}\n")
    write_all(1, rest)
    sys.exit(child.wait())


if __name__ == "__main__":
    main()
