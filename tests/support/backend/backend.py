#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A loopback stand-in for a Wegent backend, as far as a device sees it.

A real Socket.IO server (python3-socketio, which the backend uses too) with the namespace
/local-executor: authentication and its refusals, registration, heartbeats, device rooms, task
dispatch, and the reading of response.* events into the text, blocks and state of each subtask.
Behaviour follows the device protocol (sections 1 to 6 and 8). Data lives in memory and survives
the `restart` command.

Starting:   backend.py [--port N] [--token T]... [--ping-interval MS] [--ping-timeout MS]
            [--grace MS] [--ttl MS] [--rate-limit N]
            Tokens name users; default tokens: "wg-test" and "jwt-test", both of user 1. `T=USER`
            makes T a token of user number USER.
Speaks JSON lines. First line on stdout: {"type":"listening","port":N}. Ends when stdin ends.

Commands on stdin ({"cmd":…}; an "id" is echoed in the answering line, if the command has one):
  execute      {"data":{task:execute payload},"event"?}  marks the subtask RUNNING, sends to the room
  cancel       {"task_id","subtask_id"?}                 task:cancel to the room
  close        {"task_id"}                               task:close-session to the room
  emit         {"event","data"}                          any event to the room, no ack
  call         {"event","data","timeout"?,"id"}          any event to the newest socket, waits for
                                                         the ack -> {"type":"call_result",…}
  tokens       {"accept":{"token":user,…}}               replaces the accepted tokens
  refuse       {"message":text|null,"plain"?,"count"?}   refuses every CONNECT with that message
                                                         (`plain`: the bare string), null ends it
  ack          {"event":name|"*","mode":…}               how acks of an event are given: "normal",
                  "delay" with "ms", "none" (never), "error" with "error":text, "value" with
                  "value":any; "count":n limits it to the next n
  drop         {}                                        cuts every TCP connection
  cut_at       {"after":n,"processed":bool,"times"?}     cuts the link at the n-th response event
                                                         from now, before or after reading it, in
                                                         both cases without an ack
  disconnect   {}                                        namespace DISCONNECT to every socket
  freeze       {"on":bool}                               keeps TCP open, reads and sends nothing
  restart      {"downtime"?:ms}                          stops the server, starts it on the same port
  set          {"grace"?,"ttl"?,"ping_interval"?,"ping_timeout"?,"jitter"?,"rate_limit"?}  all in ms
                                                         (pings apply after the next restart)
  report       {"events":bool}                           whether each received event is reported
  state        {"subtask_id"?,"id"}                      -> {"type":"state",…}

Lines on stdout ({"type":…}):
  listening, connect {sid,user}, refused {message}, disconnect {sid}, event {sid,name,data,ack,t},
  online {device_id,sid}, offline {device_id,failed:[subtask ids]}, ended {subtask…}, frozen,
  restarted {port}, dropped {sockets}, cut {event}, call_result {id,result|error}, state, fault
  {text}, error {text}. `t` is this program's monotonic clock in milliseconds.
"""

import argparse
import asyncio
import json
import random
import socket
import sys
import time

from aiohttp import web
import socketio

from wegent import Store, apply_response, validate_heartbeat, validate_register

NAMESPACE = "/local-executor"


def say(kind, **fields):
    sys.stdout.write(json.dumps({"type": kind, **fields}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def now_ms():
    return time.monotonic() * 1000


class Backend:
    """The server with its settings; one object for the whole life of the program."""

    def __init__(self, args):
        self.args = args
        self.store = Store()
        self.tokens = {}
        for token in args.token or ["wg-test", "jwt-test"]:
            name, _, user = token.partition("=")
            self.tokens[name] = int(user or 1)
        self.refusal = None
        self.ack_rules = {}
        self.cut = None
        self.frozen = False
        self.report_events = True
        self.attempts = {}
        self.sessions = {}
        self.transports = {}
        self.port = args.port
        self.jitter = 0.0
        self.runner = None
        self.sio = None
        self.stopping = False
        self.parked = []

    # --- life of the server ---------------------------------------------------------------------

    async def start(self):
        self.sio = socketio.AsyncServer(
            async_mode="aiohttp", cors_allowed_origins="*", max_http_buffer_size=1_000_000,
            ping_interval=self.args.ping_interval / 1000, ping_timeout=self.args.ping_timeout / 1000)
        self.sio.register_namespace(DeviceNamespace(self))
        app = web.Application()
        self.sio.attach(app)
        self.runner = web.AppRunner(app, access_log=None)
        await self.runner.setup()
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        await web.SockSite(self.runner, listener, shutdown_timeout=0.05).start()
        self.stopping = False

    async def stop(self):
        self.stopping = True
        self.drop()
        await self.runner.cleanup()
        self.sessions.clear()
        self.transports.clear()

    def drop(self):
        transports = list(self.transports.values())
        self.transports.clear()
        for transport in transports:
            transport.abort()
        return len(transports)

    def freeze(self, on):
        self.frozen = on
        for transport in self.transports.values():
            if on:
                transport.pause_reading()
            else:
                transport.resume_reading()
        # Pings wait in the queue of the socket; holding them back keeps the link half open.
        for eio in list(self.sio.eio.sockets.values()):
            eio.send = self._swallow if on else type(eio).send.__get__(eio)

    async def _swallow(self, _packet):
        return None

    # --- sessions and devices -------------------------------------------------------------------

    def rate_limited(self, peer):
        recent = [t for t in self.attempts.get(peer, []) if now_ms() - t < 30_000]
        self.attempts[peer] = recent
        if len(recent) >= self.args.rate_limit:
            return True
        recent.append(now_ms())
        return False

    def newest(self):
        records = [r for r in self.store.online.values() if r["sid"] in self.sessions]
        return max(records, key=lambda r: r["seen"])["sid"] if records else None

    async def to_room(self, event, data):
        for user, device in list(self.store.devices):
            await self.sio.emit(event, data, room=f"device:{user}:{device}", namespace=NAMESPACE)

    async def device_gone(self, session, grace=True):
        """What the backend does when a registered socket closes (section 1.6)."""
        key = (session["user"], session["device_id"])
        record = self.store.online.get(key)
        if not record or record["sid"] != session["sid"]:
            return
        if grace:
            await asyncio.sleep(self.args.grace / 1000)
        record = self.store.online.get(key)
        if not record or record["sid"] != session["sid"]:
            return
        del self.store.online[key]
        failed = self.store.fail_running(session["device_id"], "Device disconnected unexpectedly")
        say("offline", device_id=session["device_id"], failed=failed)

    async def expire(self):
        """Online records that are not refreshed vanish, and their subtasks fail."""
        while True:
            await asyncio.sleep(min(1.0, self.args.ttl / 2000))
            for key, record in list(self.store.online.items()):
                if now_ms() - record["seen"] > self.args.ttl:
                    del self.store.online[key]
                    failed = self.store.fail_running(
                        key[1], "Device connection lost (heartbeat timeout)")
                    say("offline", device_id=key[1], failed=failed)

    # --- acknowledgements and cuts --------------------------------------------------------------

    async def never(self):
        """Waits until the program ends: an answer that does not come."""
        forever = asyncio.get_running_loop().create_future()
        self.parked.append(forever)
        await forever

    async def shaped(self, event, answer):
        """The acknowledgement an `ack` command asked for, else the honest one."""
        rule = self.ack_rules.get(event) or self.ack_rules.get("*")
        if not rule:
            return answer
        if rule.get("count") is not None:
            rule["count"] -= 1
            if rule["count"] <= 0:
                self.ack_rules = {k: v for k, v in self.ack_rules.items() if v is not rule}
        mode = rule.get("mode", "normal")
        if mode == "delay":
            await asyncio.sleep(rule.get("ms", 0) / 1000)
        elif mode == "none":
            await self.never()
        elif mode == "error":
            return {"error": rule.get("error", "refused by the test")}
        elif mode == "value":
            return rule.get("value")
        return answer

    def cut_now(self, sid, name, processed):
        if not self.cut or self.cut["processed"] != processed:
            return False
        self.cut["after"] -= 1
        if self.cut["after"] > 0:
            return False
        self.cut["times"] -= 1
        self.cut["after"] = self.cut["every"]
        if self.cut["times"] <= 0:
            self.cut = None
        session = self.sessions.get(sid)
        transport = self.transports.pop(session["eio"], None) if session else None
        if transport:
            transport.abort()
        say("cut", event=name)
        return True


class DeviceNamespace(socketio.AsyncNamespace):
    def __init__(self, backend):
        super().__init__(NAMESPACE)
        self.backend = backend
        self.locks = {}

    async def on_connect(self, sid, environ, auth=None):
        b = self.backend
        request = environ.get("aiohttp.request")
        eio = b.sio.manager.eio_sid_from_sid(sid, NAMESPACE)
        b.transports[eio] = request.transport
        if b.frozen:
            b.freeze(True)

        def refuse(message):
            say("refused", message=message)
            raise socketio.exceptions.ConnectionRefusedError(message)

        if b.stopping:
            refuse("Server is shutting down")
        if b.refusal:
            if b.refusal.get("count") is not None:
                b.refusal["count"] -= 1
            message, plain = b.refusal["message"], b.refusal.get("plain")
            if b.refusal.get("count") == 0:
                b.refusal = None
            if plain:
                say("refused", message=message)
                exception = socketio.exceptions.ConnectionRefusedError(message)
                exception.error_args = message
                raise exception
            refuse(message)
        if b.rate_limited(request.remote):
            refuse("Too many device connection attempts")
        token = auth.get("token") if isinstance(auth, dict) else None
        if not token:
            refuse("Missing authentication token")
        if token not in b.tokens:
            refuse("Invalid or expired API key" if token.startswith("wg-")
                   else "Invalid or expired token")
        user = b.tokens[token]
        b.sessions[sid] = {"sid": sid, "eio": eio, "user": user, "device_id": None,
                           "registered": False, "instance": None}
        b.sio.enter_room(sid, f"user:{user}", namespace=NAMESPACE)
        say("connect", sid=sid, user=user)

    async def on_disconnect(self, sid):
        b = self.backend
        session = b.sessions.pop(sid, None)
        if not session:
            return
        b.transports.pop(session["eio"], None)
        say("disconnect", sid=sid)
        if session["registered"]:
            asyncio.ensure_future(b.device_gone(session))

    async def trigger_event(self, event, *args):
        if event in ("connect", "disconnect"):
            return await super().trigger_event(event, *args)
        sid, data = args[0], args[1] if len(args) > 1 else None
        b = self.backend
        work = event.startswith("response.") or event == "error"
        if work and b.cut_now(sid, event, False):
            return await b.never()
        answer = await self.handle(sid, event, data)
        if b.report_events:
            say("event", sid=sid, name=event, data=data, ack=answer, t=now_ms())
        if work and b.cut_now(sid, event, True):
            return await b.never()
        return await b.shaped(event, answer)

    async def handle(self, sid, event, data):
        b = self.backend
        session = b.sessions.get(sid)
        if event == "device:register":
            return await self.register(sid, session, data)
        if event == "device:heartbeat":
            return self.heartbeat(sid, session, data)
        if event == "device:status":
            return {"success": True} if session and session["registered"] \
                else {"error": "Not authenticated"}
        named = isinstance(data, dict) and isinstance(data.get("data"), dict) \
            and ("task_id" in data or "subtask_id" in data)
        if event.startswith(("response.", "error", "image_generation.")) or named:
            if not session or not session["registered"]:
                return {"error": "Not authenticated or not registered"}
            # The real server awaits other work before it takes the subtask's lock, so events that
            # are sent in a burst may overtake each other.
            if b.jitter:
                await asyncio.sleep(random.random() * b.jitter / 1000)
            key = str(data.get("subtask_id")) if isinstance(data, dict) else ""
            async with self.locks.setdefault(key, asyncio.Lock()):
                return apply_response(b.store, event, data, lambda s: say("ended", **s.view()))
        return {"error": f"Unknown event {event}"}

    async def register(self, sid, session, data):
        b = self.backend
        if not session:
            return {"error": "Not authenticated"}
        problem = validate_register(data)
        if problem:
            return {"error": "Invalid payload: " + problem}
        answer = {"success": True, "device_id": data["device_id"]}
        rule = b.ack_rules.get("device:register")
        if rule and rule.get("mode") in ("error", "value") and rule.get("registers") is not True:
            return answer
        session.update(device_id=data["device_id"], registered=True,
                       instance=data.get("runtime_instance_id") or None)
        key = (session["user"], data["device_id"])
        b.store.devices.setdefault(key, {"name": data["name"]})
        b.sio.enter_room(sid, f"device:{key[0]}:{key[1]}", namespace=NAMESPACE)
        b.store.online[key] = {"sid": sid, "seen": now_ms(), "running": []}
        say("online", device_id=data["device_id"], sid=sid, t=now_ms())
        return answer

    def heartbeat(self, sid, session, data):
        b = self.backend
        if not session or not session["registered"]:
            return {"error": "Not authenticated"}
        problem = validate_heartbeat(data)
        if problem:
            return {"error": "Invalid payload: " + problem}
        if data["device_id"] != session["device_id"]:
            return {"error": "Device ID mismatch"}
        key = (session["user"], session["device_id"])
        record = b.store.online.get(key)
        if record and record["sid"] != sid:
            return {"error": "Stale device connection"}
        if session["instance"] and data.get("runtime_instance_id") != session["instance"]:
            return {"error": "Runtime instance ID mismatch"}
        if not record:
            say("online", device_id=session["device_id"], sid=sid, t=now_ms())
        b.store.online[key] = {"sid": sid, "seen": now_ms(),
                               "running": [int(i) for i in data.get("running_task_ids") or []]}
        return {"success": True}


class Control:
    """The commands on stdin."""

    def __init__(self, backend):
        self.backend = backend

    async def run(self):
        reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            try:
                command = json.loads(line)
                handler = getattr(self, "do_" + command["cmd"])
                await handler(command)
            except Exception as problem:  # a bad command must not end the server
                say("error", text=f"{type(problem).__name__}: {problem}")

    async def do_execute(self, c):
        data = c["data"]
        b = self.backend
        for user, device in b.store.devices:
            b.store.start(data.get("task_id"), data.get("subtask_id"), device)
        await b.to_room(c.get("event", "task:execute"), data)

    async def do_cancel(self, c):
        data = {k: c[k] for k in ("task_id", "subtask_id") if k in c}
        await self.backend.to_room("task:cancel", data)

    async def do_close(self, c):
        await self.backend.to_room("task:close-session", {"task_id": c["task_id"]})

    async def do_emit(self, c):
        await self.backend.to_room(c["event"], c.get("data"))

    async def do_call(self, c):
        async def wait():
            sid = self.backend.newest()
            if not sid:
                say("call_result", id=c.get("id"), error="device_offline")
                return
            try:
                result = await self.backend.sio.call(
                    c["event"], c.get("data"), to=sid, namespace=NAMESPACE,
                    timeout=c.get("timeout", 5000) / 1000)
                say("call_result", id=c.get("id"), result=result)
            except Exception as problem:
                say("call_result", id=c.get("id"), error=type(problem).__name__)
        asyncio.ensure_future(wait())

    async def do_tokens(self, c):
        self.backend.tokens = dict(c["accept"])

    async def do_refuse(self, c):
        self.backend.refusal = c if c.get("message") else None

    async def do_ack(self, c):
        rules = self.backend.ack_rules
        if c.get("mode", "normal") == "normal":
            rules.pop(c.get("event", "*"), None)
        else:
            rules[c.get("event", "*")] = c

    async def do_drop(self, _c):
        say("dropped", sockets=self.backend.drop())

    async def do_cut_at(self, c):
        self.backend.cut = {"after": c["after"], "every": c["after"],
                            "processed": bool(c.get("processed")), "times": c.get("times", 1)}

    async def do_disconnect(self, _c):
        for sid in list(self.backend.sessions):
            await self.backend.sio.disconnect(sid, namespace=NAMESPACE)

    async def do_freeze(self, c):
        self.backend.freeze(bool(c["on"]))
        say("frozen", on=bool(c["on"]))

    async def do_restart(self, c):
        await self.backend.stop()
        await asyncio.sleep(c.get("downtime", 0) / 1000)
        await self.backend.start()
        say("restarted", port=self.backend.port)

    async def do_set(self, c):
        for name in ("grace", "ttl", "ping_interval", "ping_timeout", "rate_limit"):
            if name in c:
                setattr(self.backend.args, name, c[name])
        if "jitter" in c:
            self.backend.jitter = c["jitter"]

    async def do_report(self, c):
        self.backend.report_events = bool(c["events"])

    async def do_state(self, c):
        store = self.backend.store
        if "subtask_id" in c:
            subtask = store.subtasks.get(str(c["subtask_id"]))
            say("state", id=c.get("id"), subtask=subtask.view() if subtask else None)
        else:
            say("state", id=c.get("id"), subtasks=[s.view() for s in store.subtasks.values()],
                online=[{"device_id": k[1], **r} for k, r in store.online.items()])


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--token", action="append")
    parser.add_argument("--ping-interval", type=int, default=25_000)
    parser.add_argument("--ping-timeout", type=int, default=20_000)
    parser.add_argument("--grace", type=int, default=2_000)
    parser.add_argument("--ttl", type=int, default=90_000)
    parser.add_argument("--rate-limit", type=int, default=30)
    backend = Backend(parser.parse_args())
    await backend.start()
    say("listening", port=backend.port)
    asyncio.ensure_future(backend.expire())
    await Control(backend).run()
    await backend.stop()


if __name__ == "__main__":
    asyncio.run(main())
