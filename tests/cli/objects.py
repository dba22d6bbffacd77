"""The objects of a graph as they lie in the store, read and changed behind the program's back: `of(store, graph)`."""
import base64
import datetime
import email.utils
import hashlib
import hmac
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request

unsigned = "UNSIGNED-PAYLOAD"


def hashed(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Files:
    def __init__(self, store, graph):
        self.root = graph.removeprefix("file://")

    def path(self, key):
        return os.path.join(self.root, key)

    def get(self, key):
        with open(self.path(key), "rb") as content:
            return content.read()

    def put(self, key, content):
        os.makedirs(os.path.dirname(self.path(key)), exist_ok=True)
        with open(self.path(key), "wb") as out:
            out.write(content)

    def remove(self, key):
        if os.path.exists(self.path(key)):
            os.remove(self.path(key))

    def copy_to(self, graph):
        shutil.copytree(self.root, graph.removeprefix("file://"))


class Requests:
    """`headers(method, path, content)` signs."""

    def send(self, method, key, content=b""):
        path = urllib.parse.quote(f"{self.base}/{key}", safe="/-_.~")
        request = urllib.request.Request(self.url + path, data=content if method == "PUT" else None, method=method,
                                         headers=self.headers(method, path, content))
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def get(self, key):
        return self.send("GET", key)

    def put(self, key, content):
        self.send("PUT", key, content)

    def remove(self, key):
        try:
            self.send("DELETE", key)
        except urllib.error.HTTPError as refused:
            if refused.code != 404:
                raise


class S3Objects(Requests):
    def __init__(self, store, graph):
        self.store = store
        self.url = store.settings["AWS_ENDPOINT_URL_S3"]
        self.base = "/" + graph.removeprefix("s3://")

    def headers(self, method, path, content):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        names = "host;x-amz-content-sha256;x-amz-date"
        host = urllib.parse.urlsplit(self.url).netloc
        signed = f"host:{host}\nx-amz-content-sha256:{unsigned}\nx-amz-date:{now}\n"
        wanted = f"{method}\n{path}\n\n{signed}\n{names}\n{unsigned}"
        scope = f"{now[:8]}/us-east-1/s3/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(wanted.encode()).hexdigest()}"
        key = ("AWS4" + self.store.secret).encode()
        for part in scope.split("/"):
            key = hashed(key, part)
        signature = hashed(key, text).hex()
        return {"x-amz-date": now, "x-amz-content-sha256": unsigned, "Content-Type": "application/json",
                "Authorization": f"AWS4-HMAC-SHA256 Credential={self.store.settings['AWS_ACCESS_KEY_ID']}/{scope}, "
                                 f"SignedHeaders={names}, Signature={signature}"}


class AzureObjects(Requests):
    def __init__(self, store, graph):
        self.store = store
        self.url = store.url
        self.base = f"/{store.account}/" + graph.removeprefix("az://")

    def headers(self, method, path, content):
        kind = "application/json"
        out = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2021-08-06", "Content-Type": kind}
        if method == "PUT":
            out["x-ms-blob-type"] = "BlockBlob"
        named = "".join(f"{name}:{out[name]}\n" for name in sorted(out) if name.startswith("x-ms-"))
        length = str(len(content)) if method == "PUT" and content else ""
        text = f"{method}\n\n\n{length}\n\n{kind}\n\n\n\n\n\n\n{named}/{self.store.account}{path}"
        signature = base64.b64encode(hashed(base64.b64decode(self.store.secret), text)).decode()
        return {**out, "Authorization": f"SharedKey {self.store.account}:{signature}"}


def of(store, graph):
    return {"file": Files, "s3": S3Objects, "azure": AzureObjects}[store.name](store, graph)
