#!/usr/bin/env python3
"""boto3_reader.py ENDPOINT BUCKET PREFIX READS: the reconstruction with python3-boto3, plainly and with threads."""
import sys
from concurrent.futures import ThreadPoolExecutor

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import plain

THREADS = 32


def main():
    endpoint, bucket, prefix, reads = sys.argv[1:]
    s3 = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="bench",
                      aws_secret_access_key="bench-secret",
                      config=Config(max_pool_connections=THREADS, s3={"addressing_style": "path"}, proxies={}))
    asked = []

    def get(name):
        asked.append(name)
        try:
            return s3.get_object(Bucket=bucket, Key=f"{prefix}/{name}")["Body"].read()
        except ClientError as why:
            if why.response["Error"]["Code"] == "NoSuchKey":
                return None
            raise

    plain.measure("boto3", "one by one", int(reads), lambda: plain.one_by_one(get), lambda: len(asked))
    with ThreadPoolExecutor(THREADS) as pool:
        plain.measure("boto3", "at once, threads", int(reads),
                      lambda: plain.at_once(get, lambda names: list(pool.map(get, names))), lambda: len(asked))


if __name__ == "__main__":
    main()
