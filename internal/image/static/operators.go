package static

import (
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// Operators are the functions of a C++ program that give out memory and take it
// back, as the language's runtime defines them.
type Operators struct {
	// New and Delete are their code by its first address; those for arrays are
	// in Arrays too.
	New, Delete map[uint64]elffile.Range
	Arrays      map[uint64]bool
}

// OperatorsOf lists the replaceable operator new and operator delete in all their
// forms. It is empty if the program defines one of them itself, or that isn't
// known: then free may take their blocks too. A function with line information
// is the program's, so the program has to have some; and the runtime's new,
// where there is one, asks for the new-handler.
func OperatorsOf(info *debuginfo.Info) Operators {
	all := Operators{New: map[uint64]elffile.Range{}, Delete: map[uint64]elffile.Range{}, Arrays: map[uint64]bool{}}
	_, handler := info.Symbol("_ZSt15get_new_handlerv")
	if m, ok := info.Symbol("main"); !ok || !hasLine(info, m.Addr) {
		return Operators{}
	}
	for i := range info.Symbols {
		f := &info.Symbols[i]
		array, deletes, ok := operator(f.Name)
		if !ok {
			if looksLikeOperator(f.Name) && f.Global && f.Kind == elffile.Func && !hasLine(info, f.Addr) {
				return Operators{}
			}
			continue
		}
		list := all.New
		if deletes {
			list = all.Delete
		} else if !handler {
			return Operators{}
		}
		_, known := list[f.Addr]
		if f.Size == 0 || hasLine(info, f.Addr) || known && array != all.Arrays[f.Addr] { // the linker folded two that are the same code
			return Operators{}
		}
		list[f.Addr] = elffile.Range{Lo: f.Addr, Hi: f.Addr + f.Size}
		if array {
			all.Arrays[f.Addr] = true
		}
	}
	return all
}

// looksLikeOperator: a form of the runtime's that isn't known here may be a way
// to memory too. Placement forms have line information: they are inline, or the
// program's.
func looksLikeOperator(name string) bool {
	for _, p := range []string{"_Znw", "_Zna", "_Zdl", "_Zda"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// operator classifies a mangled name.
func operator(name string) (array, deletes, ok bool) {
	if !looksLikeOperator(name) {
		return
	}
	rest := name[4:]
	switch name[2:4] {
	case "nw":
	case "na":
		array = true
	case "dl":
		deletes = true
	case "da":
		array, deletes = true, true
	}
	if deletes {
		if rest, ok = strings.CutPrefix(rest, "Pv"); !ok {
			return
		}
	}
	if rest != "" && (rest[0] == 'm' || rest[0] == 'j') { // a size_t
		rest = rest[1:]
	} else if !deletes {
		return array, deletes, false
	}
	switch rest {
	case "", "RKSt9nothrow_t", "St11align_val_t", "St11align_val_tRKSt9nothrow_t":
		return array, deletes, true
	}
	return array, deletes, false
}
