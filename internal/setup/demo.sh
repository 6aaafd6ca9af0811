#!/bin/sh
# The demo: three stories with landgo's real output. It fails where a command
# doesn't end as it should.

set -eu
cd "$(dirname "$0")/../.."

# tell announces the next part.
tell() { printf '\n== %s\n\n' "$*"; }

# show runs a command line and expects its exit status.
show() {
	want=$1
	shift
	printf '$ %s\n' "$*"
	status=0
	"$@" || status=$?
	if [ "$status" != "$want" ]; then
		echo "demo: exit status $status, want $want" >&2
		exit 1
	fi
	echo
}

bug=1 ok=0
linux=bin/guests/glibc-O1
pebbles=bin/guests/pebbles

tell "Two threads add to a variable, in an unmodified static glibc program: an update is lost"
show $bug bin/landgo run $linux/lost_update
show $bug bin/landgo replay lost_update.landgo

tell "The same with a lock around it"
show $ok bin/landgo run $linux/lost_update-fixed

tell "A small thread library whose condition variable loses a wake-up"
show $bug bin/landgo run $pebbles/spin-cond_lost_wakeup-cond
show $bug bin/landgo replay spin-cond_lost_wakeup-cond.landgo

tell "The same library, cured"
show $ok bin/landgo run $pebbles/spin-cond
