"""The parts of the suite: each starts what it needs, runs a program, and yields its JSON lines."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
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


def micro(at):
    if not Path(at.program("micro")).exists():
        yield skipped("micro", "bench_micro was not built: install libbenchmark-dev")
        return
    command = [at.program("micro"), "--benchmark_format=json", "--benchmark_min_time=" + at.size("0.5", "0.001"),
               "--benchmark_repetitions=" + at.size(9, 1)]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    for each in answer["benchmarks"]:
        if each.get("aggregate_name", "median") == "median" and (at.smoke or each["run_type"] == "aggregate"):
            yield {"bench": "micro", "function": each["run_name"], "ns": each["cpu_time"],
                   "mb_per_second": each.get("bytes_per_second", 0) / 1e6}


def stores():
    """The stores that depth reads from: (address, more environment), and those that are not configured."""
    have = os.environ.get
    yield f"{tempfile.gettempdir()}/headwater-bench-{os.getpid()}", {}
    yield "memory:", {}
    if have("HEADWATER_TEST_S3_URL"):
        yield (f"s3://{have('HEADWATER_TEST_S3_BUCKET')}/bench-{os.getpid()}",
               {"AWS_ENDPOINT_URL_S3": have("HEADWATER_TEST_S3_URL")})
    else:
        yield None, "S3: start one with tests/servers/rgw and source its env file"
    if have("HEADWATER_TEST_AZURE_URL"):
        account = have("HEADWATER_TEST_AZURE_ACCOUNT")
        yield (f"az://{have('HEADWATER_TEST_AZURE_CONTAINER')}/bench-{os.getpid()}",
               {"AZURE_STORAGE_CONNECTION_STRING": f"DefaultEndpointsProtocol=http;AccountName={account};AccountKey="
                f"{have('HEADWATER_TEST_AZURE_KEY')};BlobEndpoint={have('HEADWATER_TEST_AZURE_URL')}/{account};"})
    else:
        yield None, "Azure: start one with tests/servers/azurite and source its env file"


def depth(at):
    for address, more in stores():
        if address is None:
            yield skipped("depth", more)
            continue
        near = ":" not in address or address == "memory:"
        command = [at.program("depth"), "--store", address, "--deepest", at.size(100_000 if near else 10_000, 100),
                   "--control-deepest", at.size(10_000 if near else 1_000, 100), "--reads", at.size(21, 3)]
        if address.startswith("az:"):
            command.append("--keep")  # The emulator takes long to remove thousands, and is thrown away.
        yield from lines_of(command, env={**os.environ, **more})
        if near and address != "memory:":
            shutil.rmtree(address, ignore_errors=True)


def prepare_azure_sdk():
    """None when the SDK can be used, else why not. Installs it by its lock file, once."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "node and npm are not installed"
    folder = HERE / "peers"
    lock, installed = folder / "package-lock.json", folder / "node_modules" / ".installed-lock.json"
    if installed.exists() and installed.read_bytes() == lock.read_bytes():
        return None
    command = ["npm", "ci", "--prefix", str(folder), "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
    if subprocess.run(command, capture_output=True).returncode != 0:
        return "npm could not install @azure/storage-blob: " + " ".join(command)
    installed.write_bytes(lock.read_bytes())
    return None


def peer_commands(at, endpoint, reads):
    """(client, why it cannot run or None, command)"""
    curl = at.program("curl_reader")
    yield ("libcurl", None if Path(curl).exists() else "bench_curl_reader was not built: libcurl is missing",
           [curl, "--url", f"{endpoint}/bench/plain", "--reads", reads])
    boto3 = subprocess.run([sys.executable, "-c", "import boto3"], capture_output=True).returncode == 0
    yield ("boto3", None if boto3 else "install python3-boto3",
           [sys.executable, str(HERE / "peers" / "boto3_reader.py"), endpoint, "bench", "plain", reads])
    yield ("@azure/storage-blob", prepare_azure_sdk(),
           ["node", str(HERE / "peers" / "azure_reader.mjs"), f"{endpoint}/bench/plain", reads])


def set_delays(endpoint, shape):
    request = urllib.request.Request(f"{endpoint}/bench/_delays", data=shape.encode(), method="PUT")
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()


def peers(at):
    reads = at.size(60, 2)
    for shape in at.size("none store", "none").split():
        with server(at) as port:
            endpoint = f"http://127.0.0.1:{port}"
            # The library first: it places the graph that all read.
            command = [at.program("reconstruct"), "--endpoint", endpoint, "--reads", reads, "--delays", shape,
                       "--depth", at.size(1024, 74)]
            for line in lines_of(pinned(CLIENT_CORE, command)):
                if line["strategy"] in ("headwater, no carry", "headwater, first use", "headwater, warm poll"):
                    yield {**line, "bench": "peers", "client": "headwater",
                           "plan": line["strategy"].removeprefix("headwater, ")}
            set_delays(endpoint, shape)
            for client, missing, command in peer_commands(at, endpoint, reads):
                if missing:
                    yield skipped("peers", f"{client}: {missing}")
                    continue
                for line in lines_of(pinned(CLIENT_CORE, command)):
                    yield {**line, "delays": shape}


def instructions_of(command):
    """User instructions of a whole run, counted by callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        counted = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command]
        told = subprocess.run(counted, capture_output=True, text=True, check=True).stderr
    return int(re.search(r"Collected : (\d+)", told).group(1))


def compiler_of(at):
    try:
        return (at.binaries / "bench_compiler.txt").read_text().strip()
    except OSError:
        return "unknown"


def instructions(at):
    if not shutil.which("valgrind"):
        yield skipped("instructions", "install valgrind")
        return
    with server(at) as port:
        counted = {
            "GET of 1 KB": lambda count: [at.program("transport"), "--port", port, "--only", "headwater", "--size",
                                          "1024", "--gets", count],
            "GET of 38 KB": lambda count: [at.program("transport"), "--port", port, "--only", "headwater", "--size",
                                           "38000", "--gets", count],
            "fold of 100 tables": lambda count: [at.program("fold"), "--only-tables", "100", "--folds", count],
        }
        for what, command in counted.items():
            if not Path(command("1")[0]).exists():
                continue
            few, many = (4, 24) if what.startswith("fold") else (100, 600)
            less, more = (instructions_of(command(str(count))) for count in (few, many))
            known = BASELINE.get(compiler_of(at), {}).get(what)
            each = (more - less) / (many - few)
            yield {"bench": "instructions", "what": what, "compiler": compiler_of(at), "each": each,
                   **({"baseline": known, "to_baseline": each / known} if known else {})}
            if not known:
                yield skipped("instructions", f"{what}: bench/instructions.json has no count for {compiler_of(at)}")


BASELINE = json.loads((HERE / "instructions.json").read_text())
PARTS = {"reconstruct": reconstruct, "publish": publish, "transport": transport, "fold": fold, "micro": micro,
         "depth": depth, "peers": peers, "instructions": instructions}
