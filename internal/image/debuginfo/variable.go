package debuginfo

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
	"regexp"
	"sort"

	"landgo/internal/image/elffile"
	"landgo/internal/image/fields"
)

// variables are the program's variables with a fixed address, found when one is
// first asked for.
type variables struct {
	list []variable // by address
	own  []threadLocal
	memo map[uint64]named
	// atomic: the walk to the part under way came through an atomic type.
	atomic bool
	// declares: something of the program's is of a type that C calls atomic.
	declares bool
}

// named is the name of an address.
type named struct {
	name   string
	atomic bool
	symbol string // if there is no debug information of it
}

type variable struct {
	addr uint64 // with the load base
	size uint64
	name string
	typ  dwarf.Offset
}

// Variable names the global or static variable that holds addr, down to the
// element and the field: "counter", "table[3]", "queue.slots[0].owner"; a
// function's static one is "function::name". Objects of the thread library
// (pthread_mutex_t) are named as a whole. Without debug information it is the
// symbol's name, with the distance in bytes, if any: "table+12". A kernel's can be
// asked for by the address in its memory too.
func (d *Info) Variable(addr uint64) (string, bool) {
	n := d.named(addr)
	return n.name, n.name != ""
}

// Declared reports whether a variable at an address has debug information.
func (d *Info) Declared(addr uint64) bool {
	n := d.named(addr)
	return n.name != "" && n.symbol == ""
}

// linked is the address at which a kernel is linked to have the contents at one
// of its memory.
func (d *Info) linked(addr uint64) uint64 {
	if addr < d.Bias && d.File.Holds(addr+d.Bias, 1) && !d.File.Holds(addr, 1) {
		return addr + d.Bias
	}
	return addr
}

func (d *Info) named(addr uint64) named {
	if p := d.of(addr); p != d {
		return p.named(addr)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	if d.vars == nil {
		d.vars = &variables{memo: map[uint64]named{}}
		d.findVariables()
	}
	addr = d.linked(addr)
	n, ok := d.vars.memo[addr]
	if !ok {
		d.vars.atomic = false
		n.name, n.symbol = d.variable(addr)
		n.atomic = d.vars.atomic || mangled(n.symbol, hiddenObjects...)
		d.vars.memo[addr] = n
	}
	return n
}

// variable names the variable that holds addr. symbol is its symbol if only that is
// known of it.
func (d *Info) variable(addr uint64) (name, symbol string) {
	if v := d.vars.at(addr); v != nil {
		part, err := "", error(nil)
		err = d.guard(func() error {
			part = d.part(v.typ, addr-v.addr, maxTypeDepth)
			return nil
		})
		if err != nil {
			part = distance(addr - v.addr)
		}
		return v.name + part, ""
	}
	s, ok := d.ObjectAt(addr)
	if !ok {
		return "", ""
	}
	return Demangled(localSuffix.ReplaceAllString(s.Name, "")) + distance(addr-s.Addr), s.Name
}

// at is the variable that holds an address, or nil.
func (vs *variables) at(addr uint64) *variable {
	list := vs.list
	i := sort.Search(len(list), func(i int) bool { return list[i].addr > addr }) - 1
	if i >= 0 && addr-list[i].addr < list[i].size {
		return &list[i]
	}
	return nil
}

// localSuffix is gcc's suffix of function-static variables' symbols.
var localSuffix = regexp.MustCompile(`\.\d+$`)

func distance(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", n)
}

// findVariables reads all units: a variable's unit isn't known by its address.
func (d *Info) findVariables() {
	if d.data == nil {
		return
	}
	err := d.guard(func() error {
		r := d.reader()
		uses := typeUses{atomic: map[dwarf.Offset]bool{}, names: map[dwarf.Offset]dwarf.Offset{}, used: map[dwarf.Offset]bool{}}
		defer func() { d.vars.declares = uses.ofAtomic() }()
		functions := []string{""} // the function around the entries being read
		for {
			e, err := r.Next()
			if err != nil || e == nil {
				return err
			}
			if e.Tag == 0 {
				functions = functions[:max(len(functions)-1, 1)]
				continue
			}
			around := functions[len(functions)-1]
			uses.add(d, e)
			if e.Tag == dwarf.TagVariable {
				d.addVariable(e, around)
			}
			if e.Tag == dwarf.TagSubprogram {
				around = d.name(e)
			}
			if e.Children {
				functions = append(functions, around)
			}
		}
	})
	list := d.vars.list
	if err != nil {
		list = nil
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].addr < list[j].addr })
	d.vars.list = list
}

// addVariable takes the entries whose location is an address.
func (d *Info) addVariable(e *dwarf.Entry, function string) {
	location, _ := e.Val(dwarf.AttrLocation).([]byte)
	var addr uint64
	switch {
	case len(location) == 9 && location[0] == fields.OpAddr:
		addr = binary.LittleEndian.Uint64(location[1:])
	case len(location) == 5 && location[0] == fields.OpAddr:
		addr = uint64(binary.LittleEndian.Uint32(location[1:]))
	default:
		d.addThreadLocal(e, location, function)
		return
	}
	v := variable{addr: addr + d.Base, name: d.name(e), typ: d.typeOf(e)}
	v.size = d.sizeOf(v.typ, maxTypeDepth)
	if s, ok := d.ObjectAt(v.addr); ok && s.Addr == v.addr {
		v.size = max(v.size, s.Size) // an array without a length in its type
	}
	if v.name == "" || v.size == 0 || v.size > elffile.MaxMemSize || !d.File.Holds(v.addr, 1) {
		return
	}
	if function != "" {
		v.name = function + "::" + v.name
	}
	d.vars.list = append(d.vars.list, v)
}
