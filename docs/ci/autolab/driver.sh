#!/bin/bash
# The autograder of a lab with one problem, called Interleavings. Its last line of output
# is the autoresult; so errors go to a file, and the exit status is 0, or make would add
# a line.
problem=Interleavings

if ! gcc -static -pthread -g -O1 -I . -o "$problem" test.c handin.c 2>&1; then
	echo "The submission doesn't build."
	echo "{\"scores\": {\"$problem\": 0}}"
	exit 0
fi
landgo run --quiet --out none --format autolab --points "${POINTS:-100}" --time "${TIME:-5m}" "./$problem" 2>landgo.log
exit 0
