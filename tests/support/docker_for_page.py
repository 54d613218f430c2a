"""What the browser tests need of Docker: a daemon of their own and a registry that takes its time.

Prints where they are as one line of JSON, and ends everything when its standard input does.
"""
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import sys
import tempfile
import threading
import time

import docker

PIECE = 64 << 10
PAUSE = 0.08  # between two pieces of a layer: a few megabytes take some seconds


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


class SlowRegistry:
    """One image, pulled by the registry API, in pieces."""

    def __init__(self, name, archive):
        layer = gzip.compress(archive, 1)
        config = json.dumps({"architecture": "amd64", "os": "linux", "config": {"Cmd": ["sh"]},
                             "rootfs": {"type": "layers", "diff_ids": [digest(archive)]}}).encode()
        self.blobs = {digest(layer): layer, digest(config): config}
        self.kind = "application/vnd.docker.distribution.manifest.v2+json"
        self.manifest = json.dumps({
            "schemaVersion": 2, "mediaType": self.kind,
            "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": len(config), "digest": digest(config)},
            "layers": [{"mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip", "size": len(layer), "digest": digest(layer)}],
        }).encode()
        self.name = name.partition(":")[0]
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, kind, content, slowly=False, status=200):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Docker-Content-Digest", digest(content))
                self.end_headers()
                if self.command == "HEAD":
                    return
                for at in range(0, len(content), PIECE):
                    self.wfile.write(content[at:at + PIECE])
                    if slowly:
                        time.sleep(PAUSE)

            def do_GET(self):
                last = self.path.rpartition("/")[2]
                if "/manifests/" in self.path and f"/{registry.name}/" not in self.path:
                    self.answer("application/json", b'{"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}', status=404)
                elif "/manifests/" in self.path:
                    self.answer(registry.kind, registry.manifest)
                elif "/blobs/" in self.path and last in registry.blobs:
                    self.answer("application/octet-stream", registry.blobs[last], slowly=True)
                else:
                    self.answer("application/json", b"{}")

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.image = f"127.0.0.1:{self.http.server_address[1]}/{name}"


def main():
    with tempfile.TemporaryDirectory(prefix="trainyard-page-docker-") as folder:
        daemon = docker.Daemon(pathlib.Path(folder) / "dockerd")
        try:
            registry = SlowRegistry("team/slow:1", docker.rootfs(files={"weights": os.urandom(5 << 20)}))
            print(json.dumps({"socket": str(daemon.socket), "image": registry.image}), flush=True)
            sys.stdin.read()
        finally:
            daemon.destroy()


if __name__ == "__main__":
    main()
