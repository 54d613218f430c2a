"""A small object store that speaks S3: buckets in memory, requests whose signature (AWS, version 4) is not right are refused.

    store = Store("AKIATEST", "secret")
    store.buckets["training"]["images/one.txt"] = b"1"
    store.url                         # http://127.0.0.1:PORT
    store.hold = lambda method, key: …   # may wait; called before each request for an object
"""
import hashlib
import hmac
import http.server
import threading
import urllib.parse
from collections import defaultdict
from email.utils import formatdate
from xml.sax.saxutils import escape


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(headers.pop("size", len(body))))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code):
        self.answer(status, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode(), Content_Type="application/xml")

    def is_signed(self, body):
        """Works out the signature the way the store's documentation says, from nothing but the request."""
        store, said = self.server.store, self.headers.get("Authorization", "")
        if not said.startswith("AWS4-HMAC-SHA256 "):
            return False
        parts = dict(part.strip().split("=", 1) for part in said.split(" ", 1)[1].split(","))
        access, *scope = parts["Credential"].split("/")
        path, _, query = self.path.partition("?")
        pairs = sorted((k, v) for k, v in urllib.parse.parse_qsl(query, keep_blank_values=True))
        encode = lambda text: urllib.parse.quote(text, safe="-_.~")  # noqa: E731
        payload = self.headers["X-Amz-Content-Sha256"]
        if len(payload) == 64 and payload != hashlib.sha256(body).hexdigest():
            return False
        signed = parts["SignedHeaders"].split(";")
        request = "\n".join([self.command, path, "&".join(f"{encode(k)}={encode(v)}" for k, v in pairs),
                             *(f"{name}:{' '.join(self.headers[name].split())}" for name in signed), "", ";".join(signed), payload])
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["X-Amz-Date"], "/".join(scope),
                          hashlib.sha256(request.encode()).hexdigest()])
        key = b"AWS4" + store.secret.encode()
        for step in (*scope, ):
            key = hmac.new(key, step.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        return access == store.access and hmac.compare_digest(signature, parts["Signature"])

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.is_signed(body):
            return self.refuse(403, "SignatureDoesNotMatch")
        path, _, query = self.path.partition("?")
        bucket, _, key = urllib.parse.unquote(path).lstrip("/").partition("/")
        store = self.server.store
        if bucket not in store.buckets:
            return self.refuse(404, "NoSuchBucket")
        objects = store.buckets[bucket]
        if not key:
            return self.list(bucket, objects, dict(urllib.parse.parse_qsl(query)))
        store.hold(self.command, key)
        if self.command == "PUT":
            objects[key] = body
            store.times[bucket, key] = self.headers.get("X-Amz-Meta-Mtime")
            return self.answer(200, ETag=f'"{hashlib.md5(body).hexdigest()}"')
        if key not in objects:
            return self.refuse(404, "NoSuchKey")
        found = objects[key]
        mtime = store.times.get((bucket, key))
        return self.answer(200, found, ETag=f'"{hashlib.md5(found).hexdigest()}"', Last_Modified=formatdate(usegmt=True),
                           **({"X_Amz_Meta_Mtime": mtime} if mtime else {}))

    do_GET = do_PUT = do_HEAD = serve

    def list(self, bucket, objects, query):
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        contents, folders = [], set()
        for key in sorted(key for key in objects if key.startswith(prefix)):
            rest = key[len(prefix):]
            if delimiter and delimiter in rest:
                folders.add(prefix + rest.split(delimiter)[0] + delimiter)
                continue
            contents.append(f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                            f"<ETag>&quot;{hashlib.md5(objects[key]).hexdigest()}&quot;</ETag><Size>{len(objects[key])}</Size>"
                            "</Contents>")
        common = "".join(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>" for name in sorted(folders))
        self.answer(200, (f"<ListBucketResult><Name>{bucket}</Name><Prefix>{escape(prefix)}</Prefix><IsTruncated>false</IsTruncated>"
                          f"<KeyCount>{len(contents)}</KeyCount>{''.join(contents)}{common}</ListBucketResult>").encode(),
                    Content_Type="application/xml")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Whoever asked was stopped half-way, as some tests want it."""


class Store:
    def __init__(self, access, secret):
        self.access, self.secret = access, secret
        self.buckets, self.times = defaultdict(dict), {}
        self.hold = lambda method, key: None
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.store = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
