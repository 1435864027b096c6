#!/usr/bin/env bash
# sandbox_as_user.sh PROGRAM [ARGUMENT...]: runs a test program as an ordinary user, who makes the cells by user namespaces. Started by
# root it becomes one that nobody else is; an ordinary user runs the test as it is, so there is nothing to add: 77 counts as skipped.
set -eu
[ "$(id -u)" = 0 ] || exit 77
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
user=47391
chown "$user:$user" "$home"
cd "$home"
setpriv --reuid "$user" --regid "$user" --clear-groups env HOME="$home" TMPDIR="$home" KGTRAIN_HOME="$home/kgtrain" "$@"
