#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the model proxy's fuzz targets out of its test vectors."""
import base64
import json
import pathlib

HERE = pathlib.Path(__file__).parent
VECTORS = HERE.parent.parent / "fixtures" / "model-proxy"
CORPUS = HERE / "corpus"

HTTP = [
    b"POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3;ext=1\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
    b"GET /v1/models?client_version=1 HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n",
    b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n",
    b"POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
]


def main():
    CORPUS.mkdir(exist_ok=True)
    for path in sorted(VECTORS.glob("*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))["input"]
        if "chunks" in vector:
            seed = "".join(vector["chunks"]).encode()
        elif "chunks_base64" in vector:
            seed = b"".join(base64.b64decode(chunk) for chunk in vector["chunks_base64"])
        else:
            (CORPUS / path.stem).write_bytes(json.dumps(vector["request"]).encode())
            continue
        (CORPUS / path.stem).write_bytes(b"\x1f" + seed)  # the first byte chooses the pieces
    for number, request in enumerate(HTTP):
        (CORPUS / f"http-{number}").write_bytes(request)


main()
