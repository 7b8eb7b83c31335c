#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted systemd-run beside a scripted user's systemd.

XDG_RUNTIME_DIR holds "mode" (one word), gets "calls" (one JSON list of arguments a line), and has the
groups and processes that the program under test looks at in "groups" and "processes". What a real
systemd does is done by file: a group with its limits, the process in it, the group gone when the
process is. No kernel enforces anything here.
"""
import json
import os
import select
import signal
import sys

if sys.argv[1] == "--watch":  # the part of systemd that notices the end of the process
    watched, group = int(sys.argv[2]), sys.argv[3]
    poller = select.poll()
    poller.register(watched, select.POLLIN)
    poller.poll()
    for name in os.listdir(group):
        os.remove(group + "/" + name)
    os.rmdir(group)
    sys.exit()

runtime = os.environ["XDG_RUNTIME_DIR"]
with open(runtime + "/mode") as file:
    mode = file.read().strip()
with open(runtime + "/calls", "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\n")

if mode == "refuses":
    sys.exit("Failed to start transient scope unit: Access denied")
if mode == "hangs":
    while True:
        signal.pause()
if mode == "dies":
    os.kill(os.getpid(), signal.SIGKILL)
if mode == "gate":  # goes on when the test opens the pipe
    with open(runtime + "/gate") as file:
        file.read()

separator = sys.argv.index("--")
options, command = sys.argv[1:separator], sys.argv[separator + 1:]
unit = next(o.split("=", 1)[1] for o in options if o.startswith("--unit="))
properties = dict(o.split("=", 1) for o in options if "=" in o and not o.startswith("--"))

path = "/user.slice/user-1.service/app.slice/" + unit
group = runtime + "/groups" + path
os.makedirs(group)


def put(name, text):
    with open(group + "/" + name, "w") as target:
        target.write(text + "\n")


put("cgroup.procs", str(os.getpid()))
put("cgroup.events", "populated 1")
put("cgroup.kill", "")
if mode not in ("nothing", "only-processes"):
    put("memory.max", "max" if mode == "unset" else properties["MemoryMax"])
    put("memory.events", "oom_kill 1" if mode == "memory" else "oom_kill 0")
if mode != "nothing":
    put("pids.max", properties["TasksMax"])
    put("pids.events", "max 3" if mode == "forks" else "max 0")
seen = runtime + "/processes/%d" % os.getpid()
os.makedirs(seen)
with open(seen + "/cgroup", "w") as file:
    file.write("1:name=systemd:/elsewhere\n0::%s\n" % ("/elsewhere" if mode == "elsewhere" else path))

watched = os.pidfd_open(os.getpid())
first = os.fork()
if first == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)  # nobody's child: what the command is run by would end it otherwise
    os.set_inheritable(watched, True)
    for number in range(64):
        if number != watched:
            try:
                os.close(number)
            except OSError:
                pass
    # Without the environment, by which the program under test would take it for the command's.
    os.execve("/usr/bin/python3", ["python3", __file__, "--watch", str(watched), group], {})
os.waitpid(first, 0)
os.execv(command[0], command)
