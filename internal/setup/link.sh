#!/bin/sh
# The linker of landgo-engine (go build -ldflags -extld=...): the C compiler, but that libunicorn is
# linked statically where its archive lies beside it. Else the loader relocates 80,000
# places of the library at each start, most of them for processors that landgo never asks
# for: 20 ms.
cc=${CC:-gcc}
archive=
for arg; do
	case $arg in
	-L*) [ -n "$archive" ] || [ ! -f "${arg#-L}/libunicorn.a" ] || archive=${arg#-L}/libunicorn.a ;;
	esac
done
[ -n "$archive" ] || archive=$($cc -print-file-name=libunicorn.a)
for arg; do
	shift
	if [ "$arg" = -lunicorn ] && [ -f "$archive" ]; then
		set -- "$@" "$archive" -lm -lpthread
	else
		set -- "$@" "$arg"
	fi
done
exec $cc "$@"
