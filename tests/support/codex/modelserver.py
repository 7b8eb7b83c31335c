#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted model on loopback: answers POST …/responses (Responses API, streamed) from a script.

    modelserver.py --script FILE [--log FILE] [--host 127.0.0.1] [--port 0]

Prints {"port": N} on stdout, then serves until its stdin ends. Lines read from stdin are commands:
    release NAME      lets every answer go on that waits for NAME ("wait_for" below)

--log FILE gets one JSON line per request: {"n","time","path","thread","authorization","headers","body"}.

The script is one JSON object:
    {"steps": [STEP, …],                the answers, one per model call, in order, counted per thread
     "routes": [{"contains": "text",    tried first: chosen by the last user message of the request,
                 "steps": [STEP, …]}],  with a counter of its own per thread
     "default": STEP}                   when the steps are used up; without it {"text": "done"}

A step is an object. What the model says, in this order (or free order by "output": [PART, …]):
    "reasoning": "…"                    a reasoning summary
    "text": "…"                         an assistant message; "phase": "commentary"|"final_answer"
    "calls": [{"name": "exec_command", "arguments": {…}}, {"custom": "apply_patch", "input": "…"}]
    "output": [{"reasoning": …}, {"text": …, "phase": …}, {"name": …, "arguments": …}, {"custom": …, "input": …}]
How it says it:
    "chunk": 12                         characters per text delta (default 12)
    "delay_ms": 0                       pause before each delta
    "before_ms": 0                      pause before the first byte
    "wait_for": "NAME"                  waits for "release NAME" before the first byte
    "wait_after_chunks": N              with wait_for: waits after N text deltas instead
    "usage": {"input_tokens": 1200, "output_tokens": 34, …}
    "repeat": N                         serve this step for N calls
What goes wrong:
    "status": 429, "body": {…}|"…", "headers": {…}   an HTTP answer instead of a stream
    "cut_after_chunks": N               the connection breaks after N text deltas
    "end_without_completed": true       the stream ends early but properly
    "failed": {"code": "…", "message": "…"}          response.failed
    "incomplete": "max_output_tokens"   response.incomplete with this reason
    "hang": true                        headers and nothing else, until the client goes away
"""

import argparse
import collections
import json
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RELEASED = collections.defaultdict(threading.Event)


class Cut(Exception):
    """The script wants the connection to break here."""


class Script:
    def __init__(self, data):
        self.routes = data.get("routes", [])
        self.steps = data.get("steps", [])
        self.default = data.get("default", {"text": "done"})
        self.counters = collections.Counter()
        self.lock = threading.Lock()

    @staticmethod
    def expanded(steps):
        return [step for step in steps for _ in range(step.get("repeat", 1))]

    def next(self, thread, body):
        prompt = last_user_text(body)
        steps, name = self.steps, "steps"
        for index, route in enumerate(self.routes):
            if route["contains"] in prompt:
                steps, name = route["steps"], f"route{index}"
                break
        steps = self.expanded(steps)
        with self.lock:
            at = self.counters[(name, thread)]
            self.counters[(name, thread)] += 1
        return steps[at] if at < len(steps) else self.default


def last_user_text(body):
    for item in reversed(body.get("input") or []):
        if isinstance(item, dict) and item.get("role") == "user":
            content = item.get("content")
            if isinstance(content, str):
                return content
            return " ".join(part.get("text", "") for part in content or [] if isinstance(part, dict))
    return ""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.plain(404, {"error": {"message": "not here"}}, {})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        thread = self.headers.get("thread-id") or body.get("prompt_cache_key") or ""
        self.server.note(self, thread, body)
        if not self.path.split("?")[0].endswith("/responses"):
            self.plain(404, {"error": {"message": "not here"}}, {})
            return
        step = self.server.script.next(thread, body)
        try:
            self.answer(step, body)
        except (Cut, BrokenPipeError, ConnectionError):
            self.close_connection = True
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def plain(self, status, body, headers):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def event(self, kind, **fields):
        text = json.dumps({"type": kind, **fields}, ensure_ascii=False)
        self.chunk(f"event: {kind}\ndata: {text}\n\n".encode())

    def wait_until_client_leaves(self):
        self.connection.settimeout(None)
        while self.connection.recv(4096):
            pass
        raise Cut

    def answer(self, step, body):
        self.chunks_sent = 0
        self.step = step
        time.sleep(step.get("before_ms", 0) / 1000)
        if "wait_for" in step and "wait_after_chunks" not in step:
            RELEASED[step["wait_for"]].wait()
        if "status" in step:
            self.plain(step["status"], step.get("body", {"error": {"message": "scripted"}}),
                       step.get("headers", {}))
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        if step.get("hang"):
            self.wait_until_client_leaves()
        number = self.server.count()
        head = {"id": f"resp_{number}", "object": "response", "model": body.get("model", "")}
        self.event("response.created", response={**head, "status": "in_progress", "output": []})
        output = self.parts(step, number)
        if step.get("cut_after_chunks") is not None:
            raise Cut
        if step.get("end_without_completed"):
            pass
        elif "failed" in step:
            self.event("response.failed", response={**head, "status": "failed",
                                                    "error": step["failed"], "output": output})
        elif "incomplete" in step:
            self.event("response.incomplete",
                       response={**head, "status": "incomplete", "output": output,
                                 "incomplete_details": {"reason": step["incomplete"]}})
        else:
            self.event("response.completed", response={**head, "status": "completed",
                                                       "output": output, "usage": self.usage(step)})
        self.wfile.write(b"0\r\n\r\n")

    def usage(self, step):
        usage = {"input_tokens": 1200, "output_tokens": 34, "total_tokens": 1234,
                 "input_tokens_details": {"cached_tokens": 200},
                 "output_tokens_details": {"reasoning_tokens": 10}}
        usage.update(step.get("usage", {}))
        usage["total_tokens"] = usage["input_tokens"] + usage["output_tokens"]
        return usage

    def parts(self, step, number):
        wanted = list(step.get("output", []))
        if "reasoning" in step:
            wanted.append({"reasoning": step["reasoning"]})
        if "text" in step:
            wanted.append({key: step[key] for key in ("text", "phase") if key in step})
        wanted += step.get("calls", [])
        output = []
        for index, part in enumerate(wanted):
            if "reasoning" in part:
                output.append(self.reasoning(part, index, number))
            elif "text" in part:
                output.append(self.message(part, index, number))
            else:
                output.append(self.call(part, index, number))
        return output

    def pause(self):
        step = self.step
        if step.get("cut_after_chunks") == self.chunks_sent:
            raise Cut
        if "wait_for" in step and step.get("wait_after_chunks") == self.chunks_sent:
            RELEASED[step["wait_for"]].wait()
        time.sleep(step.get("delay_ms", 0) / 1000)

    def deltas(self, text):
        size = self.step.get("chunk", 12)
        return [text[at:at + size] for at in range(0, len(text), size)]

    def reasoning(self, part, index, number):
        item = {"type": "reasoning", "id": f"rs_{number}_{index}", "summary": []}
        self.event("response.output_item.added", output_index=index, item=item)
        self.event("response.reasoning_summary_part.added", item_id=item["id"], output_index=index,
                   summary_index=0, part={"type": "summary_text", "text": ""})
        for delta in self.deltas(part["reasoning"]):
            self.event("response.reasoning_summary_text.delta", item_id=item["id"],
                       output_index=index, summary_index=0, delta=delta)
        item = {**item, "summary": [{"type": "summary_text", "text": part["reasoning"]}]}
        self.event("response.output_item.done", output_index=index, item=item)
        return item

    def message(self, part, index, number):
        item = {"type": "message", "id": f"msg_{number}_{index}", "role": "assistant",
                "status": "in_progress", "content": []}
        if "phase" in part:
            item["phase"] = part["phase"]
        self.event("response.output_item.added", output_index=index, item=item)
        for delta in self.deltas(part["text"]):
            self.pause()
            self.event("response.output_text.delta", item_id=item["id"], output_index=index,
                       content_index=0, delta=delta)
            self.chunks_sent += 1
        self.pause()
        item = {**item, "status": "completed",
                "content": [{"type": "output_text", "text": part["text"], "annotations": []}]}
        self.event("response.output_item.done", output_index=index, item=item)
        return item

    def call(self, part, index, number):
        call_id = part.get("call_id", f"call_{number}_{index}")
        if "custom" in part:
            item = {"type": "custom_tool_call", "id": f"ctc_{number}_{index}", "call_id": call_id,
                    "name": part["custom"], "input": "", "status": "in_progress"}
            self.event("response.output_item.added", output_index=index, item=item)
            for delta in self.deltas(part["input"]):
                self.event("response.custom_tool_call_input.delta", item_id=item["id"],
                           output_index=index, delta=delta)
            item = {**item, "input": part["input"], "status": "completed"}
        else:
            arguments = part.get("arguments", {})
            item = {"type": "function_call", "id": f"fc_{number}_{index}", "call_id": call_id,
                    "name": part["name"], "status": "completed",
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}
            if "namespace" in part:
                item["namespace"] = part["namespace"]
            self.event("response.output_item.added", output_index=index,
                       item={**item, "arguments": "", "status": "in_progress"})
        self.event("response.output_item.done", output_index=index, item=item)
        return item


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address, script, log):
        super().__init__(address, Handler)
        self.script = script
        self.log = log
        self.lock = threading.Lock()
        self.answers = 0
        self.requests = 0

    def handle_error(self, request, client_address):
        # A client that goes away is part of many scripts; anything else is a fault to show.
        if not isinstance(sys.exc_info()[1], (ConnectionError, BrokenPipeError)):
            super().handle_error(request, client_address)

    def count(self):
        with self.lock:
            self.answers += 1
            return self.answers

    def note(self, handler, thread, body):
        with self.lock:
            self.requests += 1
            if self.log:
                line = {"n": self.requests, "time": time.time(), "path": handler.path,
                        "thread": thread, "authorization": handler.headers.get("Authorization"),
                        "headers": dict(handler.headers.items()), "body": body}
                self.log.write(json.dumps(line) + "\n")
                self.log.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--script", required=True)
    parser.add_argument("--log")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    with open(options.script, encoding="utf-8") as file:
        script = Script(json.load(file))
    log = open(options.log, "a", encoding="utf-8") if options.log else None
    server = Server((options.host, options.port), script, log)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    for line in sys.stdin:
        words = line.split()
        if len(words) == 2 and words[0] == "release":
            RELEASED[words[1]].set()


if __name__ == "__main__":
    main()
