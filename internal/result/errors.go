package result

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"landgo/internal/host"
)

// ErrorKind names a kind of error. It is an error itself, so that
// errors.Is(err, result.NotELF) asks for the kind.
type ErrorKind string

func (k ErrorKind) Error() string { return string(k) }

// Error is an error that landgo can explain: its kind has an entry in the
// table of "landgo help errors".
type Error struct {
	Kind ErrorKind
	err  error
}

// Errorf makes an error of a kind; %w wraps as in fmt.Errorf. The message says
// the fault and its place; the table has the cause and the cure.
func Errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, err: fmt.Errorf(format, args...)}
}

func (e *Error) Error() string { return e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// Is makes errors.Is(err, kind) work.
func (e *Error) Is(target error) bool {
	kind, ok := target.(ErrorKind)
	return ok && kind == e.Kind
}

// FileError is the error for a file that can't be opened or read.
func FileError(err error) *Error {
	path, cause := "file", err
	var p *fs.PathError
	if errors.As(err, &p) {
		path, cause = p.Path, p.Err
	}
	if errors.Is(err, os.ErrNotExist) {
		return Errorf(NoFile, "%s: no such file", path)
	}
	return Errorf(Unreadable, "%s: can't be read: %w", path, cause)
}

// ReadFile reads a file that the user named, of at most limit bytes. It takes
// no pipe and no device, which may have no end or no writer, except the null
// device, which is empty.
func ReadFile(path string, limit int64) ([]byte, error) {
	// Asked before it is opened, for opening a pipe waits for its writer.
	info, err := host.Stat(path)
	if err != nil {
		return nil, FileError(err)
	}
	if info.Null {
		return nil, nil
	}
	if !info.Mode.IsRegular() {
		return nil, Errorf(Unreadable, "%s: not a regular file", path)
	}
	f, err := host.Open(path)
	if err != nil {
		return nil, FileError(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, FileError(err)
	}
	if int64(len(text)) > limit {
		return nil, Errorf(Unreadable, "%s: larger than %d MiB", path, limit>>20)
	}
	return text, nil
}

// KindOf is the kind of an error, or Fault for one that has none: an error that
// landgo can't explain is landgo's own.
func KindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Fault
}

// Line is the one line that the user gets for an error: the fault, what to
// do, and the name under which "landgo help errors" explains it. Control
// characters, which a hostile file's names may have, don't reach the terminal.
func Line(err error) string {
	p := Explain(KindOf(err))
	message := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.Join(strings.Fields(err.Error()), " "))
	return fmt.Sprintf("%s; %s [%s]", message, p.Cure, p.Kind)
}

// Printable makes text harmless that comes from a guest or a file: characters
// that a terminal might obey are shown as Go escapes.
func Printable(s string) string {
	printable := func(r rune) bool { return unicode.IsPrint(r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !printable(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1: // not UTF-8: some terminals obey bytes too
			fmt.Fprintf(&b, "\\x%02x", s[i])
		case printable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, "\\x%02x", r)
		case r < 0x10000:
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			fmt.Fprintf(&b, "\\U%08x", r)
		}
		i += n
	}
	return b.String()
}

// Explain is the table's entry for a kind.
func Explain(kind ErrorKind) Problem {
	for _, p := range Problems {
		if p.Kind == kind {
			return p
		}
	}
	return Explain(Fault)
}
