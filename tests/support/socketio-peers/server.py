# SPDX-License-Identifier: Apache-2.0
"""The same server as server.js, on python-socketio and aiohttp (no TLS)."""
import asyncio
import json
import sys

import socketio
from aiohttp import web

options = json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}")
sio = socketio.AsyncServer(
    async_mode="aiohttp",
    ping_interval=options.get("pingInterval", 25000) / 1000,
    ping_timeout=options.get("pingTimeout", 20000) / 1000,
    max_http_buffer_size=options.get("maxHttpBufferSize", 1000000),
)
goodbyes = []


def add_namespace(name):
    @sio.on("connect", namespace=name)
    async def connect(sid, environ, auth):
        if name == "/device" and (auth or {}).get("token") != "good":
            raise socketio.exceptions.ConnectionRefusedError(
                "Invalid or expired token", {"code": 7, "hint": "sign in"})
        # Goes out before the answer to CONNECT.
        await sio.emit("welcome", {"namespace": name}, to=sid, namespace=name)

    @sio.on("disconnect", namespace=name)
    async def disconnect(sid):
        goodbyes.append("disconnect")

    @sio.on("echo", namespace=name)
    async def echo(sid, *args):
        return args

    @sio.on("echo-event", namespace=name)
    async def echo_event(sid, *args):
        await sio.emit("echoed", args, to=sid, namespace=name)

    @sio.on("call-me", namespace=name)
    async def call_me(sid, event, *args):
        async def answered(*answer):
            await sio.emit("answered", answer, to=sid, namespace=name)
        await sio.emit(event, args, to=sid, namespace=name, callback=answered)

    @sio.on("burst", namespace=name)
    async def burst(sid, count):
        for i in range(count):
            await sio.emit("tick", i, to=sid, namespace=name)

    @sio.on("never", namespace=name)
    async def never(sid, *args):
        await asyncio.sleep(3600)

    @sio.on("kick", namespace=name)
    async def kick(sid, *args):
        await sio.disconnect(sid, namespace=name)

    @sio.on("goodbyes", namespace=name)
    async def tell_goodbyes(sid):
        return goodbyes


async def main():
    for name in ("/", "/device", "/other"):
        add_namespace(name)
    app = web.Application()
    sio.attach(app)
    runner = web.AppRunner(app)
    await runner.setup()
    listener = await asyncio.get_running_loop().create_server(
        runner.server, "127.0.0.1", options.get("port", 0))
    print("PORT", listener.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(
        0, lambda: sys.stdin.buffer.raw.read(1024) or ended.set())
    await ended.wait()


asyncio.run(main())
