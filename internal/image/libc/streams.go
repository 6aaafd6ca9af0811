// Package libc has what landgo knows of glibc and musl by name and layout. That is stdio's
// streams and what its functions do with them, which functions synchronise, and which
// functions a program has in place of the library's own.
package libc

import (
	"slices"
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// Which argument of a function of stdio is the stream that it works on.

// streamArgs are those of the functions that are given one.
var streamArgs = map[string]int{}

func init() {
	for arg, names := range []string{
		`fprintf vfprintf __fprintf_chk __vfprintf_chk fwprintf vfwprintf __fwprintf_chk __vfwprintf_chk
		fflush fflush_unlocked setbuf setvbuf setbuffer setlinebuf feof ferror feof_unlocked ferror_unlocked
		ftell ftello ftello64 fgetpos fclose fwide __overflow getc fgetc _IO_getc getc_unlocked fgetc_unlocked
		fscanf vfscanf __isoc99_fscanf __isoc99_vfscanf __isoc23_fscanf __isoc23_vfscanf
		fwscanf vfwscanf __isoc99_fwscanf __isoc99_vfwscanf __isoc23_fwscanf __isoc23_vfwscanf
		getwc fgetwc getwc_unlocked fgetwc_unlocked clearerr clearerr_unlocked fseek fseeko fseeko64 rewind fsetpos getw`,
		`putc fputc fputs putw putc_unlocked fputc_unlocked fputs_unlocked _IO_putc ungetc ungetwc
		putwc fputwc fputws putwc_unlocked fputwc_unlocked fputws_unlocked`,
		`fgets fgets_unlocked fgetws fgetws_unlocked getline freopen freopen64`,
		`fwrite fwrite_unlocked fread fread_unlocked getdelim __fgets_chk __fgets_unlocked_chk __fgetws_chk __fgetws_unlocked_chk`,
		`__fread_chk __fread_unlocked_chk`,
	} {
		for _, n := range strings.Fields(names) {
			streamArgs[n] = arg
		}
	}
}

// printers work on stdout without being given it.
var printers = map[string]bool{
	"printf": true, "vprintf": true, "__printf_chk": true, "__vprintf_chk": true, "puts": true, "putchar": true, "putchar_unlocked": true,
	"wprintf": true, "vwprintf": true, "__wprintf_chk": true, "__vwprintf_chk": true, "putwchar": true, "putwchar_unlocked": true,
}

// StreamArg is the place of the argument of a function of stdio that is its stream.
func StreamArg(name string) (arg int, ok bool) {
	arg, ok = streamArgs[name]
	return arg, ok
}

// Prints reports whether a function of stdio writes to stdout without being given it.
func Prints(name string) bool { return printers[name] }

// ReadsStdin reports whether a function of stdio reads stdin without being given it.
func ReadsStdin(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__isoc99_"), "__isoc23_")
	switch strings.TrimSuffix(name, "_unlocked") {
	case "scanf", "vscanf", "wscanf", "vwscanf", "getchar", "getwchar", "gets":
		return true
	}
	return false
}

// LooksAtStream reports whether a function of stdio says how far a stream is, or that
// it is at its end.
func LooksAtStream(name string) bool {
	switch strings.TrimSuffix(name, "_unlocked") {
	case "feof", "ferror", "ftell", "ftello", "ftello64", "fgetpos":
		return true
	}
	return false
}

// isOutputBuffer reports whether an address is in the buffer that musl has for stdout
// or stderr.
func isOutputBuffer(info *debuginfo.Info, addr uint64) bool {
	o, ok := info.ObjectAt(addr)
	const kept = 8 // musl leaves room to take characters back
	return ok && o.Name == "buf" && (o.Size == 1024+kept || o.Size == kept)
}

// HasOwnBuffer reports whether the program has given a stream, whose memory read64
// reads, a buffer of its own: what is written to it can be seen there.
func HasOwnBuffer(info *debuginfo.Info, stream uint64, read64 func(uint64) uint64) bool {
	switch info.Libc() {
	case elffile.Glibc:
		const userBuffer, base, size = 1, 0x38, 0xd8
		at := read64(stream + base)
		return read64(stream)&userBuffer != 0 && (at < stream || at >= stream+size)
	case elffile.Musl:
		const buf = 0x58
		at := read64(stream + buf)
		return at != 0 && !isOutputBuffer(info, at) && !Stream(info, at)
	}
	return false
}

// Descriptor is the descriptor to which a stream, whose memory read64 reads, writes.
func Descriptor(info *debuginfo.Info, stream uint64, read64 func(uint64) uint64) int32 {
	switch info.Libc() {
	case elffile.Glibc:
		return int32(read64(stream + 0x70))
	case elffile.Musl:
		return int32(read64(stream + 0x78))
	}
	return -1
}

// StreamList is the variable that points to the first of all open streams (of musl: that aren't the
// standard ones), and where each has the address of the next.
func StreamList(info *debuginfo.Info) (head string, next uint64) {
	if info.Libc() == elffile.Musl {
		return "ofl_head", 0x70
	}
	return "_IO_list_all", 0x68
}

// Unwritten is where the bytes are that were printed to a stream, whose memory read64
// reads, and not written yet. The pointer to their end is at an address of its own: the
// inline functions of glibc's header move it.
func Unwritten(info *debuginfo.Info, stream uint64, read64 func(uint64) uint64) (from, to, pointer uint64) {
	switch info.Libc() {
	case elffile.Glibc:
		const writeBase, writePointer = 0x20, 0x28
		return read64(stream + writeBase), read64(stream + writePointer), stream + writePointer
	case elffile.Musl:
		const writePosition, writeBase = 0x28, 0x38
		return read64(stream + writeBase), read64(stream + writePosition), stream + writePosition
	}
	return 0, 0, 0
}

// givers are those that return a block which their caller is to free.
var givers = []string{"asprintf", "vasprintf", "__asprintf_chk", "__vasprintf_chk", "getline", "getdelim", "open_memstream", "open_wmemstream"}

// Gives reports whether a block that a function of stdio allocates is its caller's.
func Gives(name string) bool { return slices.Contains(givers, name) }

// Stream reports whether an address is in a variable that a C library keeps a
// stream in: the one behind stdin, stdout or stderr, or its lock.
func Stream(info *debuginfo.Info, addr uint64) bool {
	o, ok := info.ObjectAt(addr)
	if !ok && info.OfLibc(addr) { // a lock or a buffer: the library gives it no name to others
		return true
	}
	if !ok || info.Libc() == elffile.NoLibc {
		return false
	}
	switch o.Name {
	case "__stdin_FILE", "__stdout_FILE", "__stderr_FILE":
		return true
	}
	return slices.ContainsFunc([]string{"_IO_2_1_std", "_IO_stdfile_", "_IO_wide_data_"}, func(p string) bool { return strings.HasPrefix(o.Name, p) })
}
