#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted container engine: no container, the helper and its command run as they are.

"mode", "calls" (one JSON list of arguments a line) and "containers" (names, one a line) lie beside a
link to this file. What is mounted below /run/deskhand is found through the arguments.
"""
import json
import os
import signal
import sys

folder = os.path.dirname(os.path.abspath(sys.argv[0]))
with open(folder + "/mode") as file:
    mode = file.read().strip()
with open(folder + "/calls", "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\n")
names = folder + "/containers"


def known():
    return open(names).read().split() if os.path.exists(names) else []


verb = sys.argv[1]
if mode == "broken":
    sys.exit("cannot connect to the daemon")
if verb == "ps":
    print("\n".join(known()))
elif verb == "rm":
    left = [name for name in known() if name != sys.argv[3]]
    with open(names, "w") as file:
        file.write("\n".join(left))
elif verb == "run":
    arguments = sys.argv[2:]
    name = arguments[arguments.index("--name") + 1]
    with open(names, "a") as file:
        file.write("\n" + name)
    if mode == "no-image":
        sys.stderr.write("Error: image not known\n")
        sys.exit(125)
    if mode == "hangs":
        while True:
            signal.pause()
    mounts = {}
    for position, argument in enumerate(arguments):
        if argument == "--mount":
            fields = dict(f.split("=", 1) for f in arguments[position + 1].split(",") if "=" in f)
            mounts[fields["destination"]] = fields["source"]
    environment = {}
    with open(arguments[arguments.index("--env-file") + 1]) as file:
        for line in file.read().splitlines():
            key, value = line.split("=", 1)
            environment[key] = value
    entry = arguments.index("--entrypoint")
    command = [mounts[arguments[entry + 1]]] + arguments[entry + 3:]
    at = command.index("--control-path") + 1
    command[at] = command[at].replace("/run/deskhand/run", mounts["/run/deskhand/run"])
    # An engine of its own passes no descriptors, and removes the container afterwards.
    child = os.fork()
    if child == 0:
        os.chdir(arguments[arguments.index("--workdir") + 1])
        os.execve(command[0], command, environment)
    status = os.waitpid(child, 0)[1]
    with open(names) as file:
        left = [other for other in file.read().split() if other != name]
    with open(names, "w") as file:
        file.write("\n".join(left))
    sys.exit(os.waitstatus_to_exitcode(status) % 256)
