# The Debian 12 packages, in one place. Sourced by tools/quickstart and tests/run, never run.
# shellcheck shell=bash disable=SC2034

# To build the library and the command line. libboost1.81-dev takes the place of libboost-dev (1.74): the two conflict.
build_packages=(cmake ninja-build clang-19 libboost1.81-dev libssl-dev libexpat1-dev libcurl4-openssl-dev
    nlohmann-json3-dev libcli11-dev)
# To build the tests and run every gate.
gate_packages=(g++ libgtest-dev libgmock-dev libclang-rt-19-dev clang-format-16 clang-tidy-16 python3)
# To build and run the benchmarks: bench/run. Without the last two, the parts that need them are skipped and say so.
bench_packages=(libbenchmark-dev openssl python3 python3-boto3 valgrind)
# To start the real servers.
server_packages=(ceph-mon ceph-osd radosgw ceph-common curl openssl ca-certificates)

is_installed() { [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "needs root or sudo to run: $*" >&2
        return 1
    fi
}

# install_packages NAME...: installs what is missing; without network if nothing is.
install_packages() {
    local name missing=()
    command -v dpkg-query >/dev/null || {
        echo "this is no Debian: not installing $*" >&2
        return 0
    }
    for name in "$@"; do is_installed "$name" || missing+=("$name"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installing ${missing[*]}"
    as_root apt-get update -qq </dev/null &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            -o Acquire::Retries=3 "${missing[@]}" </dev/null
}
