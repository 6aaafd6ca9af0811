package elffile

import "fmt"

// An ErrorKind says why a file can't be a guest.
type ErrorKind uint8

const (
	Unreadable   ErrorKind = iota // not a regular file
	NotELF                        // something else
	Broken                        // headers that contradict the file, or each other
	WrongMachine                  // made for another one
	NotProgram                    // an object file, a library, a core dump
	Unlinked                      // a library that it is linked with isn't there, or can't be used
	NoCode                        // nothing to load or to execute
	TooLarge                      // beyond a guest's limits
)

// Error is why a file can't be a guest. Errors of the operating system's are
// returned as they are, wrapped.
type Error struct {
	Kind ErrorKind
	err  error
}

// errorf makes an Error; %w wraps as in fmt.Errorf.
func errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{kind, fmt.Errorf(format, args...)}
}

func (e *Error) Error() string { return e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// Guard runs f, which reads DWARF; a panic inside means that the DWARF is
// damaged, and ends f like an error.
func Guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged debug information: %v", r)
		}
	}()
	return f()
}

// Unlinkable is an Error about what a program is linked with; %w wraps as in fmt.Errorf.
func Unlinkable(format string, args ...any) error { return errorf(Unlinked, format, args...) }
