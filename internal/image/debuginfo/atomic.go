package debuginfo

import (
	"debug/dwarf"
	"path"
	"slices"
	"strings"
)

// The accesses that a program means as atomic. A compiler makes plain
// instructions of most atomic loads and of some stores. So landgo goes by the
// type of the object: a variable, another thread's local one, or a block of the
// heap. C++'s and Rust's atomic operations are the library's functions, known by
// the origin of their code. C's __atomic_load_n of a plain variable can't be
// recognised.

// Atomic reports whether the instruction at pc accesses, at addr, an object
// that is declared as atomic (C's _Atomic, C++'s std::atomic, Rust's AtomicBool). It goes by the
// instruction or a static variable. known: there is such a variable.
func (d *Info) Atomic(pc, addr uint64) (atomic, known bool) {
	n := d.named(addr)
	return n.atomic || d.atomicCode(pc) || mangled(n.symbol, "_Z") && d.ofRuntime(pc) || d.insideRuntime(pc, addr), n.name != ""
}

// insideRuntime reports whether an access is to data of a compiler's library, by the library's code
// or by that of its headers. The file of such a library, as systems have it, doesn't name its objects.
func (d *Info) insideRuntime(pc, addr uint64) bool {
	p := d.PartAt(addr)
	return p != nil && d.OfRuntime(addr) && !d.OfLibc(addr) && (d.PartAt(pc) == p || d.ofRuntime(pc))
}

// DeclaresAtomic reports whether the program has a type that is _Atomic.
func (d *Info) DeclaresAtomic() bool {
	d.named(0)
	return d.vars.declares || slices.ContainsFunc(d.parts, (*Info).DeclaresAtomic)
}

// typeUses finds out whether a program uses a type that is _Atomic: stdatomic.h
// alone has names for many.
type typeUses struct {
	atomic map[dwarf.Offset]bool
	names  map[dwarf.Offset]dwarf.Offset // typedefs, and their types
	used   map[dwarf.Offset]bool         // by something that is no typedef
}

func (u *typeUses) add(d *Info, e *dwarf.Entry) {
	if e.Tag == dwarf.TagAtomicType {
		u.atomic[e.Offset] = true
	}
	switch typ, ok := e.Val(dwarf.AttrType).(dwarf.Offset); {
	case !ok || e.Tag == dwarf.TagVariable && ofMacro(d.name(e)):
	case e.Tag == dwarf.TagTypedef:
		u.names[e.Offset] = typ
	default:
		u.used[typ] = true
	}
}

func (u *typeUses) ofAtomic() bool {
	for typ := range u.used {
		for range maxTypeDepth {
			if u.atomic[typ] {
				return true
			}
			if typ = u.names[typ]; typ == 0 {
				break
			}
		}
	}
	return false
}

// ofMacro: the variable is one of stdatomic.h's macros.
func ofMacro(variable string) bool { return strings.HasPrefix(variable, "__atomic_") }

// hiddenObjects begin the symbols of objects that C++ makes itself. These are
// the library's objects (std::cout, which threads may share), and the guards of
// static variables, which a program's code reads by a plain load.
var hiddenObjects = []string{"_ZS", "_ZNS", "_ZGV"}

// mangled reports whether a symbol begins with one of these.
func mangled(symbol string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(symbol, p) })
}

// atomicHeaders are those of the GNU C++ library that have the code of its atomic
// operations; counterFunctions, of its reference counts, are beside the pointers'
// own, which aren't atomic.
var (
	atomicHeaders    = []string{"atomic", "atomic_base.h", "atomic_wait.h", "atomic_timed_wait.h", "atomic_futex.h", "atomicity.h", "shared_ptr_atomic.h"}
	counterFunctions = []string{"_M_add_ref", "_M_release", "_M_weak_", "_M_get_use_count"}
)

// atomicFunctions begin the symbols of libraries' functions without debug information that access
// others' memory as atomic alone. They are libatomic's for objects that registers hold, and what
// makes a future ready when its thread ends. libatomic's compare-and-exchange isn't one: the value
// that it expects is in plain memory.
var atomicFunctions = []string{"libat_load_", "libat_store_", "libat_exchange_", "libat_fetch_", "_ZNSt13__future_base"}

// inHeader is the header of the C++ library that the instruction at pc is from; ""
// if it is from none.
func (d *Info) inHeader(pc uint64) string {
	if fs := d.Frames(pc); len(fs) > 0 && strings.Contains(fs[0].Path, "/c++/") {
		return path.Base(fs[0].Path)
	}
	return ""
}

// rustAtomics is the file of Rust's atomic operations. Those on memory begin with atomic_;
// others, such as get_mut, have it to themselves.
const rustAtomics = "library/core/src/sync/atomic.rs"

// isRustAtomic reports whether a structure is one of Rust's atomic types, and no user's of such a
// name.
func (d *Info) isRustAtomic(e *dwarf.Entry, name string) (is bool) {
	if !strings.HasPrefix(name, "Atomic") {
		return false
	}
	d.children(e, func(c *dwarf.Entry) bool {
		if typ, ok := c.Val(dwarf.AttrType).(dwarf.Offset); ok && c.Tag == dwarf.TagMember && d.name(c) == "v" {
			cell := d.typeEntry(typ)
			is = cell != nil && strings.HasPrefix(d.name(cell), "UnsafeCell<")
		}
		return !is
	})
	return is
}

// atomicCode reports whether the instruction at pc is from a function of the C++
// library, or of Rust's, that accesses memory as atomic.
func (d *Info) atomicCode(pc uint64) bool {
	if fs := d.Frames(pc); len(fs) > 0 && strings.HasSuffix(fs[0].Path, rustAtomics) {
		return strings.Contains(fs[0].Function, "atomic_")
	}
	h := d.inHeader(pc)
	if h == "" {
		f, ok := d.SymbolAt(pc)
		return ok && mangled(f.Name, atomicFunctions...) && d.ofRuntime(pc)
	}
	if h == "shared_ptr_base.h" {
		f := d.Frames(pc)[0].Function
		return slices.ContainsFunc(counterFunctions, func(p string) bool { return strings.HasPrefix(f, p) })
	}
	return slices.Contains(atomicHeaders, h)
}

// ofRuntime reports whether the instruction at pc is of a library, in a program with
// debug information. Its accesses to objects of C++ without such information (a
// locale's tables, made when they are first used) are the library's own business.
func (d *Info) ofRuntime(pc uint64) bool {
	main, ok := d.Symbol("main")
	own := func(pc uint64) bool {
		fs := d.Frames(pc)
		return len(fs) > 0 && fs[0].File != "" && d.inHeader(pc) == ""
	}
	return ok && own(main.Addr) && !own(pc)
}

// AtomicIn reports whether the type of a block of memory declares the object at
// an offset as atomic, and whether that is certain. The code at one place asked
// for the block, that at the other uses it; its type is one to which their
// units have pointers, or an array of such.
func (d *Info) AtomicIn(asked, used, size, offset uint64) (atomic, certain bool) {
	d = d.of(asked)
	d.named(0)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.data == nil {
		return false, false
	}
	plain := true
	err := d.guard(func() error {
		at := func(typ dwarf.Offset, offset uint64) bool {
			d.vars.atomic = false
			d.part(typ, offset, maxTypeDepth)
			return d.vars.atomic
		}
		if typ, _ := d.structure(asked-d.Base, size); typ != 0 {
			atomic = at(typ, offset)
		}
		for _, pc := range []uint64{asked, used} {
			d.pointees(pc-d.Base, func(to dwarf.Offset) bool {
				n := d.sizeOf(to, maxTypeDepth)
				fits := n > 0 && n <= size && (size%n == 0 && at(to, offset%n) || offset >= n && at(to, offset))
				plain = plain && !fits
				return plain
			})
		}
		return nil
	})
	return atomic, err == nil && (atomic || plain)
}
