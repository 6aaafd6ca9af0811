package profile

import (
	"fmt"
	"slices"

	"landgo/internal/yaml"
)

// The kernel section of a user's profile: the places where a kernel without
// annotations keeps its scheduler's data. Each thread's structure says whether
// it can run, so nothing depends on which functions the compiler put into
// others.

// KernelProfile is the content of that section.
type KernelProfile struct {
	Line   int
	Booted Named
	Thread ThreadProfile
	// Current is the variable that points to the thread that runs; "": a thread is
	// found by its stack.
	Current Named
	Idle    []Named
	Created []Binding
	// Sleep has functions in which threads wait for time. Args says which argument is the number
	// of ticks, if one is. Size is how many bytes it has, 0 for a register's.
	Sleep     []Binding
	Scroll    []Named
	Ready     []ListProfile
	Sleepers  []ListProfile
	Table     []Named
	Scheduled []Named
	Memory    uint64 // of the machine, in MiB
	// Input and Children are what is in a thread's channel while it waits for input, or
	// for a child's end: numbers, or variables, whose addresses are meant.
	Input, Children []Named
	Ends            []Named // texts of panics by which it ends in order
	Loader          *LoaderProfile
}

// ThreadProfile is the structure of a thread. Its fields are paths in its type, or
// offsets.
type ThreadProfile struct {
	Type            Named
	State, Priority Named
	Channel, Parent Named   // "": it has none
	Resched         Named   // by which ticks ask a thread to give way; "": they switch threads
	Ready, Ended    []Named // values of State
	// Stack is the size of the block that a thread's structure begins and its stack
	// is in; 0: it is elsewhere.
	Stack uint64
	// Size is that of the structure where the debug information doesn't say it.
	Size uint64
}

// ListProfile is a list of threads. First is where the variable points to its first element, and
// Next where an element points to the next. Link is where in a thread an element is.
type ListProfile struct{ Variable, First, Next, Link Named }

// kernelKeys are the keys of the section.
var kernelKeys = []struct {
	name string
	read func(*KernelProfile, *field) error
}{
	{"booted", func(k *KernelProfile, f *field) (err error) { k.Booted, err = f.named(); return err }},
	{"thread", (*KernelProfile).readThread},
	{"current", func(k *KernelProfile, f *field) (err error) { k.Current, err = f.path(); return err }},
	{"idle", func(k *KernelProfile, f *field) (err error) { k.Idle, err = f.names(); return err }},
	{"created", func(k *KernelProfile, f *field) (err error) { k.Created, err = f.bindings(NoRole, 1); return err }},
	{"sleep", func(k *KernelProfile, f *field) (err error) { k.Sleep, err = f.sleeps(); return err }},
	{"scroll", func(k *KernelProfile, f *field) (err error) { k.Scroll, err = f.names(); return err }},
	{"ready-list", func(k *KernelProfile, f *field) error { return f.lists(&k.Ready) }},
	{"sleepers", func(k *KernelProfile, f *field) error { return f.lists(&k.Sleepers) }},
	{"table", func(k *KernelProfile, f *field) (err error) { k.Table, err = f.names(); return err }},
	{"scheduling", func(k *KernelProfile, f *field) (err error) { k.Scheduled, err = f.names(); return err }},
	{"input", func(k *KernelProfile, f *field) (err error) { k.Input, err = f.texts(); return err }},
	{"children", func(k *KernelProfile, f *field) (err error) { k.Children, err = f.texts(); return err }},
	{"ends", func(k *KernelProfile, f *field) (err error) { k.Ends, err = f.texts(); return err }},
	{"loader", (*KernelProfile).readLoader},
	{"memory", func(k *KernelProfile, f *field) (err error) {
		if k.Memory, err = f.size(); err == nil && (k.Memory < 1 || k.Memory > maxMemory) {
			err = wrong(f.Key.Line, "want the machine's memory in MiB, up to %d, got %d", maxMemory, k.Memory)
		}
		return err
	}},
}

// maxMemory is the most memory that a machine can have, in MiB.
const maxMemory = 512

var (
	threadKeys = []string{"type", "state", "ready", "ended", "priority", "stack", "size", "channel", "parent", "resched"}
	listKeys   = []string{"variable", "first", "next", "link"}
)

func (p *FileProfile) readKernel(f *field) error {
	if f.Value.Kind != yaml.Mapping {
		return wrong(f.Key.Line, "%s has to be a mapping; this is %v", f.Key.Text, f.Value.Kind)
	}
	k := &KernelProfile{Line: f.Key.Line}
	var known []string
	for _, key := range kernelKeys {
		known = append(known, key.name)
	}
	for i := range f.Value.Fields {
		g := (*field)(&f.Value.Fields[i])
		at := slices.Index(known, g.Key.Text)
		if at < 0 {
			return unknown(g.Key.Line, fmt.Sprintf("unknown key %q of a kernel", g.Key.Text), g.Key.Text, known)
		}
		if err := kernelKeys[at].read(k, g); err != nil {
			return err
		}
	}
	p.Kernel = k
	return k.complete()
}

// complete names a missing key that is needed to know of threads.
func (k *KernelProfile) complete() error {
	t := &k.Thread
	switch {
	case k.Booted.Name == "":
		return wrong(k.Line, "the kernel has no booted: the function at whose call it is up")
	case t.State.Name == "" || len(t.Ready) == 0 || len(t.Ended) == 0:
		return wrong(k.Line, "the kernel has no thread with state, ready and ended: they say which threads can run")
	case t.Stack == 0 && k.Current.Name == "":
		return wrong(k.Line, "the kernel has neither a thread's stack nor current: nothing names the running thread")
	case t.Stack != 0 && k.Current.Name != "":
		return wrong(k.Current.Line, "the running thread is known by current or by a thread's stack: not by both")
	case len(k.Children) > 0 && (t.Channel.Name == "" || t.Parent.Name == ""):
		return wrong(k.Children[0].Line, "the kernel has children, and its thread no channel or no parent: nothing names the threads that wait for them")
	case len(k.Input) > 0 && t.Channel.Name == "":
		return wrong(k.Input[0].Line, "the kernel has input, and its thread no channel: nothing names the threads that wait for it")
	case len(k.Ready) == 0 && len(k.Created) == 0 && len(k.Table) == 0:
		return wrong(k.Line, "the kernel has no ready-list, created or table: nothing says which threads there are")
	}
	return nil
}

func (k *KernelProfile) readThread(f *field) error {
	if f.Value.Kind != yaml.Mapping {
		return wrong(f.Key.Line, "%s has to be a mapping with the keys %v; this is %v", f.Key.Text, threadKeys, f.Value.Kind)
	}
	t := &k.Thread
	for i := range f.Value.Fields {
		g := (*field)(&f.Value.Fields[i])
		var err error
		switch g.Key.Text {
		case "type":
			t.Type, err = g.named()
		case "state":
			t.State, err = g.path()
		case "priority":
			t.Priority, err = g.path()
		case "channel":
			t.Channel, err = g.path()
		case "parent":
			t.Parent, err = g.path()
		case "resched":
			t.Resched, err = g.path()
		case "ready":
			t.Ready, err = g.values()
		case "ended":
			t.Ended, err = g.values()
		case "size":
			if t.Size, err = g.size(); err == nil && t.Size >= maxObject {
				err = wrong(g.Key.Line, "want the size of a thread's structure, below %d, got %d", maxObject, t.Size)
			}
		case "stack":
			if t.Stack, err = g.size(); err == nil && (t.Stack < 256 || t.Stack&(t.Stack-1) != 0) {
				err = wrong(g.Key.Line, "want the size of a block at a multiple of its size, a power of 2, got %d", t.Stack)
			}
		default:
			err = unknown(g.Key.Line, fmt.Sprintf("unknown key %q of a thread", g.Key.Text), g.Key.Text, threadKeys)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lists is a field's value as lists of threads: one, or several.
func (f *field) lists(to *[]ListProfile) error {
	items := f.Value.Items
	if f.Value.Kind == yaml.Mapping {
		items = []yaml.Node{f.Value}
	}
	if len(items) == 0 {
		return wrong(f.Key.Line, "%s has to be a mapping with the keys %v, or a list of such; this is %v", f.Key.Text, listKeys, f.Value.Kind)
	}
	for i := range items {
		n := &items[i]
		if n.Kind != yaml.Mapping {
			return wrong(n.Line, "want a mapping with the keys %v; this is %v", listKeys, n.Kind)
		}
		var l ListProfile
		for j := range n.Fields {
			g := (*field)(&n.Fields[j])
			var err error
			switch g.Key.Text {
			case "variable":
				l.Variable, err = g.named()
			case "first":
				l.First, err = g.path()
			case "next":
				l.Next, err = g.path()
			case "link":
				l.Link, err = g.path()
			default:
				err = unknown(g.Key.Line, fmt.Sprintf("unknown key %q of a list of threads", g.Key.Text), g.Key.Text, listKeys)
			}
			if err != nil {
				return err
			}
		}
		if l.Variable.Name == "" || l.Next.Name == "" {
			return wrong(n.Line, "a list of threads has a variable and next")
		}
		*to = append(*to, l)
	}
	return nil
}
