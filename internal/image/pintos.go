package image

import "debug/dwarf"

// Pintos describes a kernel of the Pintos family, which doesn't describe its
// scheduler itself. Its names, and the places of a thread's fields, are the
// course's. The structure of a thread begins the page that its stack is in.
type Pintos struct {
	// Status and Priority are offsets in struct thread, of an int each.
	Status, Priority uint64
	// Running, Ready and Dying are values of the status. A thread with any other
	// waits: some kernels have one of their own for sleep.
	Running, Ready, Dying uint32
	// Size is that of struct thread, in bytes.
	Size uint64
	// Idle is the address of the variable that points to the idle thread.
	Idle uint64
	// Begin is where the kernel begins once there are page tables. The code
	// before makes them, in the original in real mode, at the loader's address.
	// 0: a multiboot loader can start the kernel, at its entry.
	Begin uint64
	// Tables is where it has room for page tables, 0 if it hasn't.
	Tables uint64
}

// PintosRun is the function that begins a test: everything before it is booting.
const PintosRun = "run_test"

// pintosNames are functions that all of the family have.
var pintosNames = []string{"thread_create", "thread_block", "thread_unblock", "thread_exit", "thread_start", "sema_down", "sema_up", "debug_panic", PintosRun}

// pintosThread is the size of a thread's structure where debug information doesn't
// say it.
const pintosThread = 1024

// i386Bias is by how much the original's addresses are above physical ones.
const i386Bias = 0xc0000000

// pintos looks whether the kernel is one of the family.
func (im *Image) pintos() *Pintos {
	for _, name := range pintosNames {
		if _, ok := im.Symbol(name); !ok {
			return nil
		}
	}
	idle, ok := im.Symbol("idle_thread")
	if !ok {
		return nil
	}
	p := &Pintos{Status: 4, Priority: 28, Size: pintosThread, Idle: idle.Addr}
	p.Running, p.Ready, p.Dying = im.status("RUNNING", 0), im.status("READY", 1), im.status("DYING", 3)
	begin := "main"
	if im.Machine == X86_64 {
		p.Priority, begin = 24, "entry_64"
		if t, ok := im.Symbol("boot_pml4e"); ok {
			p.Tables = t.Addr
		}
	}
	if at, ok := im.field("thread", "status"); ok {
		p.Status = at
	}
	if at, ok := im.field("thread", "priority"); ok {
		p.Priority = at
	}
	if n, ok := im.structure("thread"); ok {
		p.Size = n
	}
	if im.Multiboot() != nil {
		return p
	}
	main, ok := im.Symbol(begin)
	if !ok || !im.IsCode(main.Addr) {
		return nil
	}
	p.Begin = main.Addr
	if im.Machine == I386 && im.Code[0].Lo >= i386Bias {
		im.Bias = i386Bias
	}
	return p
}

// status is the value of one of a thread's statuses: the course's, where debug
// information doesn't say it.
func (im *Image) status(name string, course uint32) uint32 {
	if v, ok := im.enumerator("THREAD_" + name); ok {
		return uint32(v)
	}
	return course
}

// field is the offset of a field in the structure that the sources call name;
// false without debug information for it.
func (im *Image) field(name, field string) (offset uint64, ok bool) {
	d := &im.debug
	err := d.types(im, func(r *dieReader, e *dwarf.Entry) bool {
		if e.Tag == dwarf.TagStructType && d.name(e) == name && e.Children {
			offset, ok = d.fieldAt(r, field)
		}
		return ok
	})
	return offset, ok && err == nil
}

// structure is the size of the structure that the sources call name; false without
// debug information for it.
func (im *Image) structure(name string) (size uint64, ok bool) {
	d := &im.debug
	err := d.types(im, func(_ *dieReader, e *dwarf.Entry) bool {
		if e.Tag == dwarf.TagStructType && d.name(e) == name && e.Children {
			var n int64
			n, ok = e.Val(dwarf.AttrByteSize).(int64)
			size = uint64(n)
		}
		return ok
	})
	return size, ok && err == nil
}

// fieldAt reads the fields of a structure until one is called name.
func (d *debugInfo) fieldAt(r *dieReader, name string) (offset uint64, ok bool) {
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return 0, false
		}
		if e.Tag == dwarf.TagMember && d.name(e) == name {
			at, isInt := e.Val(dwarf.AttrDataMemberLoc).(int64)
			return uint64(at), isInt && at >= 0
		}
		r.SkipChildren()
	}
}

// Returns are the addresses of the instructions by which a function returns; nil
// if its code can't be taken apart.
func (im *Image) Returns(f Symbol) (all []uint64) {
	for at := f.Addr; at < f.Addr+f.Size; {
		inst, _, err := decode(im.Bytes(at, MaxInst), im.Machine)
		if err != nil {
			return nil
		}
		if inst.Op.String() == "RET" {
			all = append(all, at)
		}
		at += uint64(inst.Len)
	}
	return all
}
