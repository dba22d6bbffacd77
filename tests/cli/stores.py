"""The kinds of store that the command line is tested on: where a fresh graph goes, and the settings that lead there.

Real servers are named by the variables that tests/servers/*/env exports.
"""
import os
import shutil
import tempfile
import uuid


class MissingServer(Exception):
    """Says which variables to set."""


def variables(*names):
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        raise MissingServer("set " + ", ".join(missing) + " (tests/servers starts the servers and writes them)")
    return [os.environ[name] for name in names]


class FileStore:
    name = "file"
    kills = 8

    def __init__(self):
        # Memory rather than disk where there is a choice: a thousand commits are four thousand syncs.
        memory = "/dev/shm"
        fast = memory if os.access(memory, os.W_OK) else None
        self.folder = tempfile.mkdtemp(prefix="headwater-cli-", dir=fast)
        self.settings = {}

    def fresh(self):
        return "file://" + os.path.join(self.folder, uuid.uuid4().hex)

    def close(self):
        shutil.rmtree(self.folder)


class S3Store:
    name = "s3"
    kills = 3

    def __init__(self):
        url, self.bucket, key, self.secret = variables("HEADWATER_TEST_S3_URL", "HEADWATER_TEST_S3_BUCKET",
                                                       "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
        self.settings = {"AWS_ENDPOINT_URL_S3": url, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": key,
                         "AWS_SECRET_ACCESS_KEY": self.secret}
        self.wrong_secret = {"AWS_SECRET_ACCESS_KEY": "c2VjcmV0LXRoYXQtbXVzdC1ub3QtYmUtc2VlbiE="}
        self.missing_place = "s3://no-such-bucket-" + uuid.uuid4().hex[:8] + "/graph"

    def fresh(self):
        return f"s3://{self.bucket}/cli/{uuid.uuid4().hex}"

    def encrypted(self):
        """The settings for the same server behind TLS."""
        url, ca = variables("HEADWATER_TEST_S3_HTTPS_URL", "HEADWATER_TEST_S3_CA")
        return {"AWS_ENDPOINT_URL_S3": url, "AWS_CA_BUNDLE": ca}

    def close(self):
        pass


class AzureStore:
    name = "azure"
    kills = 3

    def __init__(self):
        url, self.account, self.secret, self.container = variables(
            "HEADWATER_TEST_AZURE_URL", "HEADWATER_TEST_AZURE_ACCOUNT", "HEADWATER_TEST_AZURE_KEY",
            "HEADWATER_TEST_AZURE_CONTAINER")
        self.url = url
        self.settings = self.connection(url, self.secret)
        self.wrong_secret = self.connection(url, "c2VjcmV0LXRoYXQtbXVzdC1ub3QtYmUtc2VlbiE=")
        self.missing_place = "az://no-such-container-" + uuid.uuid4().hex[:8] + "/graph"

    def connection(self, url, key):
        text = f"DefaultEndpointsProtocol={url.split(':')[0]};AccountName={self.account};AccountKey={key};"
        return {"AZURE_STORAGE_CONNECTION_STRING": text + f"BlobEndpoint={url}/{self.account};"}

    def fresh(self):
        return f"az://{self.container}/cli/{uuid.uuid4().hex}"

    def encrypted(self):
        url, ca = variables("HEADWATER_TEST_AZURE_HTTPS_URL", "HEADWATER_TEST_AZURE_CA")
        return {**self.connection(url, self.secret), "SSL_CERT_FILE": ca}

    def close(self):
        pass


class S3rverStore:
    """One that ignores If-None-Match: no graph may be kept there."""
    name = "s3rver"

    def __init__(self):
        url, self.bucket, key, secret = variables("HEADWATER_TEST_UNTRUSTED_URL", "HEADWATER_TEST_UNTRUSTED_BUCKET",
                                                  "HEADWATER_TEST_UNTRUSTED_KEY_ID", "HEADWATER_TEST_UNTRUSTED_SECRET")
        self.settings = {"AWS_ENDPOINT_URL_S3": url, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": key,
                         "AWS_SECRET_ACCESS_KEY": secret}

    def fresh(self):
        return f"s3://{self.bucket}/cli/{uuid.uuid4().hex}"

    def close(self):
        pass


kinds = {kind.name: kind for kind in (FileStore, S3Store, AzureStore, S3rverStore)}
