#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a command on a display of its own: an X server on a free number, a session bus, a window
# manager and, unless WITHDISPLAY_TRAY=none, a tray host. Ends only what it started; the exit code
# is the command's.
set -eu
if [ $# -eq 0 ]; then
    echo "usage: withdisplay.sh COMMAND [ARGUMENT...]" >&2
    exit 2
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/display.XXXXXX")
pids=
cleanup() {
    for pid in $pids; do
        kill "$pid" 2>/dev/null || :
    done
    for pid in $pids; do
        wait "$pid" 2>/dev/null || :
    done
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# The server writes its number into the pipe once it accepts connections.
mkfifo "$scratch/number"
Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp -noreset \
    3>"$scratch/number" 2>"$scratch/xvfb.log" >&2 &
pids="$pids $!"
if ! read -r number <"$scratch/number"; then
    echo "withdisplay.sh: the X server did not start" >&2
    cat "$scratch/xvfb.log" >&2
    exit 1
fi
DISPLAY=":$number"
export DISPLAY
unset WAYLAND_DISPLAY
XDG_RUNTIME_DIR="$scratch/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"
export XDG_RUNTIME_DIR
QT_QPA_PLATFORM=xcb
export QT_QPA_PLATFORM

# until_true WHAT COMMAND...: tries the command until it succeeds; on a busy machine a program that
# reads fonts and themes for the first time takes seconds.
until_true() {
    what=$1
    shift
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -gt 1200 ]; then
            echo "withdisplay.sh: $what did not start" >&2
            cat "$scratch"/*.log >&2
            exit 1
        fi
        sleep 0.05
    done
}
manager_is_there() {
    xprop -root _NET_SUPPORTING_WM_CHECK | grep -q '#'
}
openbox --sm-disable 2>"$scratch/openbox.log" >&2 &
pids="$pids $!"
until_true "the window manager" manager_is_there
if [ "${WITHDISPLAY_TRAY:-trayer}" != none ]; then
    trayer --edge bottom --align right --widthtype request --height 26 --distance 0 \
        --SetDockType true --SetPartialStrut true 2>"$scratch/trayer.log" >&2 &
    pids="$pids $!"
    # The panel may stay hidden until the first icon comes; that it exists is enough.
    until_true "the tray host" xdotool search --name '^panel$'
fi
status=0
dbus-run-session -- "$@" || status=$?
exit "$status"
