#!/bin/bash
# Gradescope runs this once, when it makes the container of an assignment. The base is
# Debian 12 or 13 (on the page "Configure Autograder": a Docker image of your own).
# source/ has, beside this file, landgo.tar.gz and the teacher's test.c. In landgo's tree:
#	git archive --prefix=landgo/ -o landgo.tar.gz HEAD
set -euo pipefail
AUTOGRADER=${AUTOGRADER:-/autograder}

apt-get update
apt-get install -y --no-install-recommends ca-certificates gcc git libc6-dev make
tar xf "$AUTOGRADER/source/landgo.tar.gz" -C "${BUILD:-/opt}"
make -C "${BUILD:-/opt}/landgo" install
