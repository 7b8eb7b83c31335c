#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One whole task without account, display or network: a loopback stand-in for a Wegent backend
sends a task, Deskhand runs it through the real Codex in its sandbox, a scripted loopback stand-in
plays the model, one permission is asked and answered on the command line, and the work streams back.

    demo.py --executor PROGRAM --peers FOLDER [--keep]

Exit status 0 when everything that is claimed was seen, 1 with the reason when not.
"""

import argparse
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SUPPORT = HERE.parent
DEADLINE_S = 120
TOKEN = "wg-demo-token-of-the-stand-in"
KEY = "sk-demo-key-of-the-stand-in-provider"
PROMPT = "Add a greeting in Chinese to greeting.txt and commit it."
PATCH = """*** Begin Patch
*** Update File: greeting.txt
@@
 Hello!
+你好！
*** End Patch
"""
COMMIT = "git -c user.name=Demo -c user.email=demo@localhost commit -q -am 'Greet in Chinese'"
SCRIPT = {
    "steps": [
        {"text": "I will look at the file first.", "phase": "commentary",
         "calls": [{"name": "exec_command", "arguments": {"cmd": "cat greeting.txt"}}]},
        {"calls": [{"custom": "apply_patch", "input": PATCH}]},
        {"calls": [{"name": "exec_command", "arguments": {
            "cmd": COMMIT, "sandbox_permissions": "require_escalated",
            "justification": "The repository's .git folder is read-only in the sandbox."}}]},
        {"text": "greeting.txt now greets in Chinese too, and the change is committed.",
         "phase": "final_answer"},
    ]
}


class Failure(Exception):
    """Something that the demo claims did not happen."""


class Transcript:
    def __init__(self):
        self.start = time.monotonic()

    def say(self, who, text):
        seconds = time.monotonic() - self.start
        for line in text.rstrip("\n").split("\n"):
            print(f"{seconds:7.2f} s  {who:<9} {line}", flush=True)


class Peer:
    """A test peer that speaks JSON lines and ends with its standard input."""

    def __init__(self, arguments):
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, encoding="utf-8")
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def next(self, until):
        try:
            message = self.lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return None
        if message is None:
            raise Failure("a stand-in ended early")
        return message

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=30,
                          check=False, **options)


def make_repository(folder, env):
    folder.mkdir()
    (folder / "greeting.txt").write_text("Hello!\n", encoding="utf-8")
    identity = ["-c", "user.name=Demo", "-c", "user.email=demo@localhost"]
    for command in (["init", "-q"], ["add", "."], identity + ["commit", "-q", "-m", "A greeting"]):
        done = run(["git", *command], cwd=folder, env=env)
        if done.returncode != 0:
            raise Failure(f"git {command[0]} failed: {done.stderr.strip()}")


def places_with(secret, folders, pids):
    """Files below the folders, and environments and arguments of the processes, that hold it."""
    found = []
    needle = secret.encode()
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and needle in path.read_bytes():
                found.append(str(path))
    for pid in pids:
        for name in ("environ", "cmdline"):
            try:
                if needle in pathlib.Path(f"/proc/{pid}/{name}").read_bytes():
                    found.append(f"process {pid} ({name})")
            except OSError:
                pass
    return found


def descendants(pid):
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, left = [], [pid]
    while left:
        for child in children.get(left.pop(), []):
            found.append(child)
            left.append(child)
    return found


class Demo:
    def __init__(self, options, folder, transcript):
        self.options = options
        self.folder = folder
        self.say = transcript.say
        self.until = time.monotonic() + DEADLINE_S
        self.home = folder / "deskhand"
        self.repository = folder / "repository"
        self.env = dict(os.environ, HOME=str(folder / "home"), WEGENT_EXECUTOR_HOME=str(self.home),
                        WEGENT_AUTH_TOKEN=TOKEN, DEVICE_NAME="Demo computer",
                        NO_PROXY="127.0.0.1,localhost,::1")
        for name in ("CODEX_HOME", "WEGENT_SOCKET_URL", "DEVICE_ID"):
            self.env.pop(name, None)
        if "CODEX_BINARY_PATH" not in self.env:
            self.env["PATH"] += os.pathsep + str(options.peers / "node_modules" / ".bin")
        (folder / "home").mkdir()
        self.text = ""
        self.counts = {}
        self.answered = False
        self.executor = None

    def command(self, *arguments):
        return run([str(self.options.executor), *arguments], env=self.env)

    def start(self):
        script = self.folder / "model.json"
        script.write_text(json.dumps(SCRIPT), encoding="utf-8")
        self.model = Peer([sys.executable, str(SUPPORT / "codex" / "modelserver.py"), "--script",
                           str(script), "--log", str(self.folder / "model.log")])
        self.model_port = self.model.next(self.until)["port"]
        self.backend = Peer(["/usr/bin/python3", str(SUPPORT / "backend" / "backend.py"),
                             "--token", TOKEN])
        backend_port = self.backend.next(self.until)["port"]
        self.env["WEGENT_BACKEND_URL"] = f"http://127.0.0.1:{backend_port}"
        self.say("stand-in", f"a Wegent-like backend listens on 127.0.0.1:{backend_port}")
        self.say("stand-in", f"a scripted model listens on 127.0.0.1:{self.model_port}")
        make_repository(self.repository, self.env)
        self.say("demo", f"scratch repository: {self.repository}")
        started = time.monotonic()
        self.log = open(self.folder / "executor.stderr", "w", encoding="utf-8")
        self.executor = subprocess.Popen([str(self.options.executor), "run"], env=self.env,
                                         stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.wait_for(lambda m: m["type"] == "online", "the device to register")
        self.say("backend", f"device registered {(time.monotonic() - started) * 1000:.0f} ms after start")

    def wait_for(self, wanted, what):
        while True:
            message = self.backend.next(self.until)
            if message is None:
                raise Failure(f"waited in vain for {what}")
            if wanted(message):
                return message

    def send_task(self):
        self.sent = time.monotonic()
        self.say("backend", f"sends a task: {PROMPT}")
        self.backend.send({"cmd": "execute", "data": {
            "task_id": 1, "subtask_id": 1, "prompt": PROMPT, "system_prompt": "",
            "bot": [{"id": 1, "name": "demo", "shell_type": "Codex"}],
            "project_workspace_path": str(self.repository),
            "model_config": {"protocol": "openai-responses", "model_id": "demo-model", "api_key": KEY,
                             "base_url": f"http://127.0.0.1:{self.model_port}/v1"}}})

    def follow(self):
        while True:
            message = self.backend.next(min(self.until, time.monotonic() + 0.2))
            self.answer_requests()
            if message is None:
                if time.monotonic() >= self.until:
                    raise Failure("the task did not end in time")
                continue
            if message["type"] != "event":
                continue
            name, payload = message["name"], message["data"]
            data = payload.get("data", {}) if isinstance(payload, dict) else {}
            self.counts[name] = self.counts.get(name, 0) + 1
            if name == "response.created":
                self.say("stream", f"turn started ({(time.monotonic() - self.sent) * 1000:.0f} ms "
                                   "after the task was sent)")
            elif name == "response.output_text.delta":
                self.text += data["delta"]
                self.say("stream", "text: " + json.dumps(data["delta"], ensure_ascii=False))
            elif name == "response.block.created":
                block = data["block"]
                self.say("stream", f"{block.get('tool_name', block.get('type'))}: "
                                   f"{describe(block)}")
            elif name == "response.block.updated" and data["updates"].get("status") in ("done", "error"):
                output = (data["updates"].get("tool_output") or "").strip()
                self.say("stream", f"  -> {data['updates']['status']}"
                                   + (f": {output.splitlines()[0]}" if output else ""))
            elif name == "response.completed":
                self.final = data["response"]["output"][0]["content"][0]["text"]
                self.usage = data["response"].get("usage")
                return
            elif name in ("error", "response.incomplete"):
                raise Failure(f"the task ended with {name}: {json.dumps(data)}")

    def answer_requests(self):
        if self.answered:
            return
        listed = self.command("requests", "list", "--json")
        if listed.returncode != 0:
            raise Failure(f"requests list failed: {listed.stderr.strip()}")
        for request in json.loads(listed.stdout):
            self.say("asks", f"{request['summary']}: {request.get('command', '')}")
            self.say("asks", f"  in {request.get('cwd')}; the model's reason: {request.get('reason')}")
            self.leaks = places_with(KEY, [self.home], descendants(self.executor.pid))
            before = time.monotonic()
            answer = self.command("requests", "answer", request["id"], "--once")
            if answer.returncode != 0:
                raise Failure(f"the answer was not taken: {answer.stderr.strip()}")
            self.say("demo", "answers: deskhand-executor requests answer "
                             f"{request['id']} --once ({(time.monotonic() - before) * 1000:.0f} ms)")
            self.answered = True

    def check(self):
        if not self.answered:
            raise Failure("no permission was asked")
        if not self.text.endswith(self.final):
            raise Failure("the streamed text does not end with the answer")
        content = (self.repository / "greeting.txt").read_text(encoding="utf-8")
        if content != "Hello!\n你好！\n":
            raise Failure(f"greeting.txt holds {content!r}")
        commits = run(["git", "log", "--oneline"], cwd=self.repository, env=self.env).stdout
        if "Greet in Chinese" not in commits:
            raise Failure(f"the commit is missing: {commits!r}")
        log = (self.folder / "model.log").read_text(encoding="utf-8")
        if KEY not in log:
            raise Failure("the provider did not get its key")
        self.leaks += places_with(KEY, [self.home], descendants(self.executor.pid))
        if self.leaks:
            raise Failure("the provider's key was found in " + ", ".join(self.leaks))

    def finish(self):
        before = time.monotonic()
        processes = descendants(self.executor.pid)
        self.executor.terminate()
        status = self.executor.wait(10)
        took = time.monotonic() - before
        left = [pid for pid in processes if alive(pid)]
        if status != 0:
            raise Failure(f"the executor ended with status {status}")
        if left:
            raise Failure(f"processes were left behind: {left}")
        self.say("demo", f"SIGTERM: ended in {took:.2f} s, no process left of {1 + len(processes)}")

    def end(self):
        if self.executor and self.executor.poll() is None:
            self.executor.kill()
            self.executor.wait()
        for peer in (getattr(self, "model", None), getattr(self, "backend", None)):
            if peer:
                peer.end()


def describe(block):
    given = block.get("tool_input") or {}
    return given.get("command") or json.dumps(given, ensure_ascii=False)[:100]


def alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--executor", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True)
    parser.add_argument("--keep", action="store_true", help="keep the folder of the demo")
    options = parser.parse_args()
    options.executor = options.executor.resolve()
    options.peers = options.peers.resolve()
    transcript = Transcript()
    # Codex refuses helpers below the temporary folder, so the scratch place is elsewhere.
    base = pathlib.Path("/var/tmp")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="deskhand-demo-", dir=base))
    demo = Demo(options, folder, transcript)
    try:
        demo.start()
        demo.send_task()
        demo.follow()
        demo.check()
        total = time.monotonic() - demo.sent
        demo.say("git", run(["git", "show", "--stat", "--format=%s", "HEAD"], cwd=demo.repository,
                            env=demo.env).stdout.strip())
        demo.say("answer", demo.final)
        demo.say("demo", f"{total:.2f} s from task to answer; "
                 + ", ".join(f"{count} {name}" for name, count in demo.counts.items()))
        if demo.usage:
            demo.say("demo", f"tokens as the model reported them: {demo.usage.get('total_tokens')}")
        demo.say("demo", "the provider's key reached the model and was found nowhere else "
                         "(files of Deskhand, environments and arguments of its processes)")
        demo.finish()
        demo.say("demo", "real here: Deskhand, Codex, its sandbox, git. Stand-ins: the backend and the "
                         "model (scripted, on 127.0.0.1)")
        outcome = 0
    except Failure as failure:
        demo.say("FAILED", str(failure))
        errors = folder / "executor.stderr"
        if errors.exists():
            print("".join(errors.read_text(encoding="utf-8").splitlines(keepends=True)[-20:]))
        outcome = 1
    finally:
        demo.end()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
