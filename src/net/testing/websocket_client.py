"""Somebody else's WebSocket client (python3-websockets) against the server of websocket_test.cc: URL and, over TLS, the root."""
import asyncio
import os
import ssl
import sys

import websockets


async def main(url, root):
    context = ssl.create_default_context(cafile=root) if url.startswith("wss:") else None
    origin = url.replace("ws", "http", 1).rsplit("/", 1)[0]
    async with websockets.connect(url, ssl=context, origin=origin, max_size=None) as socket:
        for message in ("hello", "你好", b"", os.urandom(100), os.urandom(70_000), "x" * 900_000):
            await socket.send(message)
            assert await socket.recv() == message, len(message)
        await asyncio.wait_for(await socket.ping(b"are you there"), 30)
        await socket.send(["frag", "ment", "ed"])
        assert await socket.recv() == "fragmented"
    assert socket.close_code == 1000, socket.close_code
    try:
        async with websockets.connect(url, ssl=context, origin="https://evil.example"):
            raise AssertionError("another site's page got in")
    except websockets.InvalidStatusCode as refused:
        assert refused.status_code == 403, refused.status_code


asyncio.run(main(*sys.argv[1:]))
