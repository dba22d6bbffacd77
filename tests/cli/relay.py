"""A relay before a store's server, which can keep an answer to itself: what it was asked for happens all the same."""
import http.client
import socket
import threading


def read_message(file, method=None):
    """One HTTP message as it came, or nothing at the end. `method`: of the request that it answers."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = file.readline()
        if not line:
            return b""
        head += line
    fields = http.client.parse_headers(BytesLines(head.split(b"\r\n", 1)[1]))
    if method == "HEAD" or head.split(b" ", 2)[1] in (b"204", b"304"):
        return head
    if fields.get("Transfer-Encoding", "").lower() != "chunked":
        return head + file.read(int(fields.get("Content-Length", 0)))
    body = b""
    while not body.endswith(b"\r\n0\r\n\r\n") and body != b"0\r\n\r\n":
        body += file.readline()
    return head + body


class BytesLines:
    def __init__(self, text):
        self.lines = text.splitlines(keepends=True)

    def readline(self, _limit=-1):
        return self.lines.pop(0) if self.lines else b""


class Relay:
    """Between `with` and its end. From the first request that `swallows(method, path)` on, no answer comes back."""

    def __init__(self, server, swallows):
        host, port = server.removeprefix("http://").split(":")
        self.server = (host, int(port))
        self.swallows = swallows
        self.silent = threading.Event()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listening.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, client.makefile("rb") as requests:
            while request := read_message(requests):
                if self.silent.is_set():
                    continue
                method, path = request.split(b" ", 2)[:2]
                with socket.create_connection(self.server) as server, server.makefile("rb") as answers:
                    server.sendall(request)
                    answer = read_message(answers, method.decode())
                if self.swallows(method.decode(), path.decode()):
                    self.silent.set()
                if not self.silent.is_set():
                    client.sendall(answer)
