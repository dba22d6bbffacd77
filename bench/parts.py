"""The parts of the suite: each starts what it needs, runs a program, and yields its JSON lines."""
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVER_CORE, CLIENT_CORE = "1", "0"


class Setting:
    """Where the programs are, and whether tiny sizes do."""

    def __init__(self, binaries, smoke):
        self.binaries = binaries
        self.smoke = smoke

    def size(self, full, tiny):
        return str(tiny if self.smoke else full)

    def program(self, name):
        return str(self.binaries / f"bench_{name}")


def pinned(core, command):
    """The command on one core, where there are several: server and client must not share one."""
    return ["taskset", "-c", core, *command] if shutil.which("taskset") and (os.cpu_count() or 1) > 1 else command


def lines_of(command, **more):
    """Runs a program and yields its lines, parsed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **more) as running:
        for line in running.stdout:
            yield json.loads(line)
    if running.returncode != 0:
        raise subprocess.CalledProcessError(running.returncode, command)


def skipped(bench, why):
    return {"bench": bench, "skipped": why}


@contextlib.contextmanager
def server(at, *arguments):
    """A bench_server for the length of the block: its port."""
    command = pinned(SERVER_CORE, [at.program("server"), *arguments])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running.stdout.readline().strip()
        finally:
            running.kill()


@contextlib.contextmanager
def certificate():
    """A self-signed certificate for localhost: its file and its key's."""
    with tempfile.TemporaryDirectory() as folder:
        cert, key = f"{folder}/cert.pem", f"{folder}/key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", key, "-out", cert], check=True, capture_output=True)
        yield cert, key


def reconstruct(at):
    # In virtual time: exact, whatever else the machine does.
    for shape in ("store", "fixed", "outliers", "correlated"):
        more = ["--stale"] if shape == "store" else []
        yield from lines_of([at.program("reconstruct"), "--delays", shape, "--reads", at.size(2000, 10),
                             "--depth", at.size(1024, 74), *more])
    # And over sockets, where decoding and the client take their part.
    with server(at) as port:
        for connections in at.size("64 16 4", "64").split():
            yield from lines_of(pinned(CLIENT_CORE, [
                at.program("reconstruct"), "--endpoint", f"http://127.0.0.1:{port}", "--reads", at.size(100, 2),
                "--depth", at.size(1024, 54), "--delays", at.size("store", "base=1"), "--connections", connections]))


def transport(at):
    if not Path(at.program("transport")).exists():
        yield skipped("transport", "bench_transport was not built: libcurl is missing")
        return
    rounds = ["--rounds", at.size(31, 2), "--part", at.size(1, 20)]
    with server(at) as port:
        yield from lines_of(pinned(CLIENT_CORE, [at.program("transport"), "--port", port, *rounds]))
    with certificate() as (cert, key), server(at, "--cert", cert, "--key", key) as port:
        yield from lines_of(pinned(CLIENT_CORE, [at.program("transport"), "--port", port, "--ca", cert, *rounds]))


def publish(at):
    yield from lines_of([at.program("publish"), "--commits", at.size(800, 30)])
    with server(at) as port:
        yield from lines_of(pinned(CLIENT_CORE, [at.program("publish"), "--endpoint", f"http://127.0.0.1:{port}",
                                                 "--delays", at.size("store", "base=1"), "--commits", at.size(200, 4)]))


def fold(at):
    yield from lines_of([at.program("fold"), "--tables", at.size(100_000, 1000), "--work", at.size(1_000_000, 1000)])


PARTS = {"reconstruct": reconstruct, "publish": publish, "transport": transport, "fold": fold}
