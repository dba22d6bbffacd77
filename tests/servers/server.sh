# What the server scripts share: daemons by pid file, free ports, a certificate. Sourced, never run.
# The caller has set `set -euo pipefail`, DIR, the server's folder as an absolute path, and daemons, the names of what
# runs in it.

die() { echo "${0##*/}: $*" >&2; exit 1; }

# need NAME...: every program is there.
need() {
    local name
    for name in "$@"; do
        command -v "$name" >/dev/null || die "$name is missing; tests/run installs what the tests need"
    done
}

# The servers that come from npm, as package-lock.json has them; npm is not asked again while the lock stays the same.
install_npm_packages() {
    local beside lock installed
    beside=$(dirname "${BASH_SOURCE[0]}")
    lock=$beside/package-lock.json installed=$beside/node_modules/.installed-lock.json
    (
        flock 9
        cmp -s "$lock" "$installed" && exit
        npm ci --prefix "$beside" --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >&2 || exit 1
        cp "$lock" "$installed"
    ) 9<"$lock" || die "npm could not install what package-lock.json lists"
}

pid_of() { cat "$DIR/$1.pid" 2>/dev/null || true; }

# Alive, and really our daemon: a pid may be another's by now, so its environment must carry the mark of `launch`.
running() {
    local pid
    pid=$(pid_of "$1")
    [ -n "$pid" ] && grep -qzxF -- "HEADWATER_SERVER=$DIR/$1" "/proc/$pid/environ" 2>/dev/null
}

# launch NAME COMMAND...: starts a daemon that outlives the script. `exec` makes the recorded pid the daemon's own.
launch() {
    local name=$1
    shift
    mkdir -p "$DIR/log"
    HEADWATER_SERVER=$DIR/$name setsid bash -c 'echo $$ >"$1"; shift; exec "$@"' _ "$DIR/$name.pid" "$@" \
        </dev/null >>"$DIR/log/$name.out" 2>&1 &
}

# Asks each daemon to end, in their order, and insists after ten seconds.
halt() {
    local name pid
    for name in $daemons; do
        if running "$name"; then
            pid=$(pid_of "$name")
            kill -TERM "$pid" 2>/dev/null || true
            for _ in $(seq 200); do running "$name" || break; sleep 0.05; done
            ! running "$name" || kill -KILL "$pid"
        fi
        rm -f "$DIR/$name.pid"
    done
}

# Says which daemons do not run.
all_running() {
    local name ok=0
    for name in $daemons; do
        running "$name" || { echo "$name does not run"; ok=1; }
    done
    return $ok
}

# One that wrote its pid runs no more.
any_died() {
    local name
    for name in $daemons; do
        [ -s "$DIR/$name.pid" ] && ! running "$name" && return 0
    done
    return 1
}

# until_ready SECONDS TEST...: waits until the command succeeds; gives up early when a daemon has died.
until_ready() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ! any_died && [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# fetch ARGUMENT...: curl as a test wants it: quiet, bounded, past any proxy.
fetch() { curl --silent --show-error --noproxy '*' --insecure --max-time 30 "$@"; }

answers() { fetch --output /dev/null --max-time 2 "$1" 2>/dev/null; }

# free_ports COUNT: the first of COUNT neighbouring ports on which nobody listens, below the ports of outgoing
# connections.
free_ports() {
    local first port
    for _ in $(seq 100); do
        first=$((20000 + RANDOM % 12000))
        for ((port = first; port < first + $1; port++)); do
            ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || continue 2
        done
        echo "$first"
        return
    done
    die "no $1 free ports side by side"
}

# make_certificate NAME...: a self-signed DIR/tls.crt and DIR/tls.key for 127.0.0.1 and these host names.
make_certificate() {
    local names=IP:127.0.0.1 name
    for name in "$@"; do names+=",DNS:$name"; done
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=headwater-test \
        -addext "subjectAltName=$names" -keyout "$DIR/tls.key" -out "$DIR/tls.crt" 2>/dev/null
}
