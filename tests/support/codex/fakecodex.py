#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for `codex app-server` that says what a script tells it, for what the real one will not
do on demand. Speaks JSON lines on its standard streams.

FAKE_CODEX_SCRIPT names a JSON file; everything in it is optional:
    {"fixture": "/path/recorded.jsonl",  its lines become steps, in order
     "steps": [STEP, …],                 after those of the fixture
     "drop": ["item/completed", …],      lines of the fixture with these methods are left out
     "stop_before": "turn/completed",    the fixture ends before the first line with this method
     "never_answer": ["turn/start", …],  requests that get no answer
     "refuse": {"turn/start": "why"},    requests that get an error
     "twice": true,                      every line is sent two times
     "chunk": 7,                         output is written in pieces of this size
     "crlf": true,                       lines end with CR LF
     "ignore_eof": true, "ignore_term": true,
     "log": "/path/received.jsonl"}      what the client sent

Steps:
    {"expect": "turn/start"}             waits until the client sends this method
    {"expect_reply": 0}                  waits until the client answers our request with this id
    {"send": {…}}                        one message; an id "@turn/start" stands for the id of the
                                         client's last request with that method
    {"raw": "not json"}  {"giant": 1000000}  {"stderr": "text"}  {"pause_ms": 10}
    {"exit": 3}  {"kill": true}

Client requests that no step waits for are answered plainly. After the last step it goes on so until
its input ends.
"""

import json
import os
import queue
import signal
import sys
import threading
import time


class Fake:
    def __init__(self, script):
        self.script = script
        self.inbox = queue.Queue()
        self.ids = {}
        self.fixture_ids = {}
        self.replies = set()
        self.ended = False
        self.log = open(script["log"], "a", encoding="utf-8") if "log" in script else None
        self.steps = self.fixture_steps() + script.get("steps", [])

    def fixture_steps(self):
        steps = []
        if "fixture" not in self.script:
            return steps
        with open(self.script["fixture"], encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                message = record["msg"]
                method = message.get("method")
                if method is not None and method == self.script.get("stop_before"):
                    break
                if record["dir"].startswith("client"):
                    if method is None:
                        steps.append({"expect_reply": message["id"]})
                    else:
                        steps.append({"expect": method, "fixture_id": message.get("id")})
                elif method not in self.script.get("drop", []) or method is None:
                    steps.append({"send": message})
        return steps

    def read(self):
        for line in sys.stdin.buffer:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if self.log:
                self.log.write(json.dumps(message) + "\n")
                self.log.flush()
            self.inbox.put(message)
        self.inbox.put(None)

    def write(self, data):
        size = self.script.get("chunk") or len(data) or 1
        for at in range(0, len(data), size):
            sys.stdout.buffer.write(data[at:at + size])
            sys.stdout.buffer.flush()

    def line(self, text):
        data = text.encode() + (b"\r\n" if self.script.get("crlf") else b"\n")
        self.write(data)
        if self.script.get("twice"):
            self.write(data)

    def send(self, message):
        message = dict(message)
        identity = message.get("id")
        if "method" not in message and identity is not None:
            if isinstance(identity, str) and identity.startswith("@"):
                message["id"] = self.ids[identity[1:]]
            else:
                message["id"] = self.fixture_ids.get(identity, identity)
        self.line(json.dumps(message))

    def answer_plainly(self, message):
        method, identity = message.get("method"), message.get("id")
        if method is None or identity is None or method in self.script.get("never_answer", []):
            return
        if method in self.script.get("refuse", {}):
            self.line(json.dumps({"id": identity, "error": {
                "code": -32600, "message": self.script["refuse"][method]}}))
            return
        result = {}
        if method == "initialize":
            result = {"userAgent": "deskhand/0.0.1-fake (test)", "codexHome": "", "platformOs": ""}
        elif method in ("thread/start", "thread/resume", "thread/fork"):
            thread = message["params"].get("threadId", "thread-1")
            result = {"thread": {"id": thread}, "model": "m", "modelProvider": "fake"}
        elif method == "turn/start":
            result = {"turn": {"id": "turn-1", "status": "inProgress", "items": []}}
        elif method.endswith("/list"):
            result = {"data": []}
        self.line(json.dumps({"id": identity, "result": result}))

    def take(self):
        message = self.inbox.get()
        if message is None:
            if self.script.get("ignore_eof"):
                while True:
                    time.sleep(3600)
            sys.exit(0)
        if "method" not in message:
            self.replies.add(message.get("id"))
        elif "id" in message:
            self.ids[message["method"]] = message["id"]
        return message

    def expect(self, step):
        while True:
            message = self.take()
            if message.get("method") != step["expect"]:
                self.answer_plainly(message)
                continue
            if step.get("fixture_id") is not None:
                self.fixture_ids[step["fixture_id"]] = message["id"]
            return

    def run(self):
        for step in self.steps:
            if "expect" in step:
                self.expect(step)
            elif "expect_reply" in step:
                while step["expect_reply"] not in self.replies:
                    self.answer_plainly(self.take())
            elif "send" in step:
                self.send(step["send"])
            elif "raw" in step:
                self.line(step["raw"])
            elif "giant" in step:
                self.line("x" * step["giant"])
            elif "stderr" in step:
                print(step["stderr"], file=sys.stderr, flush=True)
            elif "pause_ms" in step:
                time.sleep(step["pause_ms"] / 1000)
            elif "exit" in step:
                sys.stdout.buffer.flush()
                os._exit(step["exit"])
            elif "kill" in step:
                os.kill(os.getpid(), signal.SIGKILL)
        while True:
            self.answer_plainly(self.take())


def main():
    with open(os.environ["FAKE_CODEX_SCRIPT"], encoding="utf-8") as file:
        script = json.load(file)
    if script.get("ignore_term"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    fake = Fake(script)
    threading.Thread(target=fake.read, daemon=True).start()
    fake.run()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)
