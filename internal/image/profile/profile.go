package profile

import (
	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// A Profile gives a guest's functions their meaning, by name. It is plain data:
// the built-in ones are Pthread and P2, and a user's own goes
// over one of them (file.go).
type Profile struct {
	Name     string
	Bindings []Binding
	// Allocators are those whose blocks are followed: a binding's Family is 1 + the
	// index of its own, or 0 for the C library's.
	Allocators []Allocator
	// Sizes are those of a thread library's types (ObjectTypes), in bytes, that the
	// debug information needn't say.
	Sizes map[string]uint64
	// Kernel is, of a kernel that says nothing of its scheduler, where its things
	// are; nil otherwise.
	Kernel *OwnKernel
}

// ObjectTypes are the kinds of objects of a thread library, by the names that
// --trust has for them, and their types.
var ObjectTypes = []struct{ Name, Type string }{
	{"mutex", "mutex_t"}, {"cond", "cond_t"}, {"sem", "sem_t"}, {"rwlock", "rwlock_t"},
}

// ObjectSize is the size of a kind of objects, by the profile or the debug
// information; 0 if neither says.
func ObjectSize(info *debuginfo.Info, p *Profile, name string) uint64 {
	if n := p.Sizes[name]; n > 0 {
		return n
	}
	for _, o := range ObjectTypes {
		if n, ok := info.TypeSize(o.Type); ok && o.Name == name && n > 0 && n < maxObject {
			return n
		}
	}
	return 0
}

// maxObject bounds the size of an object of a thread library.
const maxObject = 1 << 16

// Allocator is an allocator whose code is tested, and whose blocks are followed.
type Allocator struct {
	Name string
	// Memory are the allocator's variables: other code may touch their bytes
	// only in a live block.
	Memory []Named
}

// Binding gives a name its role.
type Binding struct {
	Name string
	Role Role
	// C11: the function returns thrd_success (0), thrd_busy (1), thrd_error
	// (2), thrd_nomem (3), thrd_timedout (4) in place of an errno value.
	C11 bool
	// Only limits the binding to one C library; NoLibc: any.
	Only elffile.Libc
	// Own: the user's own profile has it. Such a function is the program's: its
	// code is tested like any other, and it may be a file's static one.
	Own bool
	// Args says which of the function's arguments, from 1, are the role's; nil:
	// the first ones, in the same order.
	Args []int
	// Family is the allocator to which the function belongs. Size is the size of
	// the blocks that it gives out, if they have all the same one.
	Family uint8
	Size   uint64
	Point  PointPlace
	Line   int // in the user's profile
	// Unless: not where the guest has a function of this name.
	Unless string
}

// Bound is the role of a function of an image.
type Bound struct {
	Role Role
	Name string // the function's best name (see Symbol)
	C11  bool
	Own  bool
	Args []int

	Family uint8
	Size   uint64
	Point  PointPlace
}

// Followed: its calls say which blocks of memory there are, while its code is
// tested like any other.
func (b *Bound) Followed() bool { return b.Family != 0 }

// Results of C11 functions (Binding.C11), the same in glibc and musl.
const (
	ThrdSuccess = iota
	ThrdBusy
	ThrdError
	ThrdNoMem
	ThrdTimedOut
)

// Roles finds the functions of a profile in the image, by entry address. A
// function with several names is one entry. Only global and weak functions
// count. A static function that happens to have a name of the profile is the
// guest's own. So is one that the guest has in place of its C library's (see
// own.go). Where a linker made one code of functions with several roles, the
// first in the profile wins (but see SpinInitOrUnlock).
func Roles(info *debuginfo.Info, p *Profile) map[uint64]Bound {
	roles := map[uint64]Bound{}
	own := ownFunctions(info, p)
	for _, b := range p.Bindings {
		if _, ok := info.Symbol(b.Unless); ok {
			continue
		}
		if b.Own {
			for _, addr := range info.FunctionsNamed(b.Name) {
				roles[addr] = Bound{Role: b.Role, Name: info.BestName(addr, b.Name), Own: true, Args: b.Args, Family: b.Family, Size: b.Size, Point: b.Point}
			}
			continue
		}
		if b.Only != elffile.NoLibc && b.Only != info.Libc() {
			continue
		}
		s, ok := info.Symbol(b.Name)
		if !ok || !s.Global || s.Kind == elffile.Object || s.Kind == elffile.IFunc || !info.IsCode(s.Addr) || own[s.Name] && b.Role < Always { // the program has landgo's header
			continue
		}
		old, taken := roles[s.Addr]
		if taken {
			if !old.Own && old.Role == SpinUnlock && b.Role == SpinInit {
				old.Role = SpinInitOrUnlock
				roles[s.Addr] = old
			}
			continue
		}
		roles[s.Addr] = Bound{Role: b.Role, Name: info.BestName(s.Addr, b.Name), C11: b.C11, Family: b.Family}
	}
	if p.Name == Pthread.Name {
		rustRoles(info, roles)
	}
	for addr, b := range roles {
		if b.Role == NoRole { // the user's profile takes the meaning away
			delete(roles, addr)
		}
	}
	return roles
}

// Default is the profile for the image's kernel.
func Default(info *debuginfo.Info) *Profile {
	switch info.Kernel {
	case elffile.Pebbles:
		return &P2
	case elffile.Bare:
		return &Bare
	}
	return &Pthread
}

// bind makes bindings of one role.
func bind(r Role, names ...string) []Binding {
	var bs []Binding
	for _, n := range names {
		bs = append(bs, Binding{Name: n, Role: r})
	}
	return bs
}

// join makes one list.
func join(lists ...[]Binding) []Binding {
	var bs []Binding
	for _, l := range lists {
		bs = append(bs, l...)
	}
	return bs
}
