package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// People's names for things of C++. DWARF has a function's last name only ("pop",
// "operator()"), and symbols are mangled.

// Demangled is the name behind a symbol of C++, without parameters ("pool::Queue<int>::pop"),
// or of Rust (both forms of its symbols). Any other symbol is its own.
func Demangled(symbol string) string {
	if !strings.HasPrefix(symbol, "_Z") && !strings.HasPrefix(symbol, "_R") || len(symbol) > maxMangled {
		return symbol
	}
	return demangle.Filter(symbol, demangle.NoParams, demangle.NoClones)
}

// maxMangled bounds the symbols that are taken apart.
const maxMangled = 4096

// lambda says where the lambda is whose class an entry is, "" if it isn't one: compilers
// give it no name.
func (d *Info) lambda(u *unit, e *dwarf.Entry) string {
	if e.Tag != dwarf.TagStructType && e.Tag != dwarf.TagClassType {
		return ""
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	line, _ := e.Val(dwarf.AttrDeclLine).(int64)
	file, ok := e.Val(dwarf.AttrDeclFile).(int64)
	if name != "" && !strings.HasPrefix(name, "<lambda") || !ok || file < 0 || file >= int64(len(u.files)) || line <= 0 {
		return ""
	}
	at := u.place(u.files[file], int(line), 0)
	return fmt.Sprintf("lambda at %s:%d", at.File, at.Line)
}

// first is the entry that a function's is an instance of, or itself.
func (d *Info) first(e *dwarf.Entry) (of *dwarf.Entry) {
	const maxHops = 8 // as in name
	of = e
	for hop := 0; hop < maxHops; hop++ {
		next := d.origin(of)
		if next == nil {
			break
		}
		of = next
	}
	return of
}

// linkage is a function's symbol, "" if its entries have none.
func (d *Info) linkage(e *dwarf.Entry) string {
	const maxHops = 8
	for hop := 0; e != nil && hop < maxHops; hop++ {
		if n, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
			return n
		}
		e = d.origin(e)
	}
	return ""
}

// Shown is what people call the function of a frame: with the classes and namespaces
// around it, or where its lambda is.
func (f *Frame) Shown() string {
	if f.shown != "" {
		return f.shown
	}
	return Demangled(f.Function)
}

// rustCrates are Rust's own library in paths of sources: behind /rustc/HASH/, in a toolchain
// with the sources, or alone, as rustc's builders leave them.
var rustCrates = []string{"library/std/", "library/core/", "library/alloc/", "library/panic_unwind/", "library/test/"}

// Library reports whether a frame is of a header of the compiler's or the system's, or of
// Rust's own library.
func (f *Frame) Library() bool {
	for _, crate := range rustCrates {
		if strings.Contains(f.Path, crate) && (strings.HasPrefix(f.Path, crate) || strings.Contains(f.Path, "/rustc/") || strings.Contains(f.Path, "/lib/rustlib/src/")) {
			return true
		}
	}
	return strings.Contains(f.Path, "/c++/") || strings.HasPrefix(f.Path, "/usr/include/") || strings.HasPrefix(f.Path, "/usr/lib/gcc/")
}
