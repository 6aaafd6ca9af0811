package profile

import (
	"fmt"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// OwnKernel is a kernel's profile, found in the image: addresses and offsets.
type OwnKernel struct {
	Booted          uint64
	State, Priority debuginfo.Member // Priority.Size is 0 if threads have none
	Channel, Parent debuginfo.Member // Size 0: threads have none
	// Resched is where ticks ask a thread that runs the kernel's code to give way; its
	// Size is 0 where they take the processor from it.
	Resched      debuginfo.Member
	Ready, Ended []int64
	Ends         []string // texts of panics by which the kernel ends in order
	Stack        uint64
	Current      uint64 // 0: none
	Idle         []uint64
	// Created are functions that are called with an existing thread, with the position of that
	// argument.
	Created map[uint64]int
	// Sleep are functions in which threads wait for time. Timed: one of them says how
	// long.
	Sleep map[uint64]SleepTime
	Timed bool
	// Scroll are functions (to, from, size) that copy memory.
	Scroll          []uint64
	Lists, Sleepers []ThreadList
	Tables          []elffile.Range
	Size            uint64 // of a thread's structure; 0: not known
	Scheduling      []elffile.Range
	// Input and Children are what is in the channels of threads that wait for input, or
	// for a child's end, beside their own structures.
	Input, Children []uint64
	Memory          uint64  // the machine's, in bytes; 0: the usual size
	Loader          *Loader // nil: a multiboot loader starts it
}

// ThreadList has the beginning of a list of threads, and its links. A pointer
// points Link bytes into a thread, and the next pointer is at Next bytes into
// it. It ends where a pointer is null, or points into Variable.
type ThreadList struct {
	First      []uint64
	Variable   elffile.Range
	Next, Link uint64
}

const (
	intSize      = 4
	maxHeads     = 1024
	maxTableSize = 4096 // threads
)

// kernelFits: the profile's parts of the kernel exist. On a kernel, functions
// with roles have to be called as such.
func (p *FileProfile) kernelFits(info *debuginfo.Info) error {
	if p.Kernel == nil && info.Kernel != elffile.Bare {
		return p.pointsAfter()
	}
	for _, b := range p.Bindings {
		if b.Role == FreeAll || b.Role == PosixMemalign {
			return p.at(b.Line, fmt.Sprintf("%v isn't known of a kernel's allocators", b.Role))
		}
		if why := info.Unseen(b.Name); why != "" && b.Role != NoRole && b.Point != NoPoint {
			return p.at(b.Line, why)
		}
		if why := returnless(info, &b); why != "" {
			return p.at(b.Line, why)
		}
		if why := info.InRegisters(b.Name); why != "" && (b.Family != 0 || b.Role == TestReport) {
			return p.at(b.Line, why)
		}
	}
	for _, a := range p.Allocators {
		if len(a.Memory) > 0 {
			return p.at(a.Memory[0].Line, "the memory of a kernel's allocator isn't known by variables: leave memory out, blocks are known by calls")
		}
	}
	if p.Kernel == nil {
		return nil
	}
	if info.SaysPebbles() || info.Libc() != elffile.NoLibc {
		return p.at(p.Kernel.Line, "the guest isn't a kernel that owns the machine")
	}
	_, err := p.own(info)
	return err
}

// OwnKernel is the kernel that the profile tells of, which Fits; nil if it tells of
// none. The image is taken for a kernel's from then on.
func (p *FileProfile) OwnKernel(info *debuginfo.Info) *OwnKernel {
	if p == nil || p.Kernel == nil {
		return nil
	}
	if info.Kernel != elffile.Bare {
		info.Kernel = elffile.Bare
		info.NarrowCode()
	}
	k, err := p.own(info)
	if err != nil {
		return nil
	}
	if k.Loader != nil && k.Loader.Above != 0 {
		info.Bias = k.Loader.Above
	}
	return k
}

// own finds the parts that a kernel's profile names. The error is a
// *Error.
func (p *FileProfile) own(info *debuginfo.Info) (*OwnKernel, error) {
	k := p.Kernel
	out := &OwnKernel{Stack: k.Thread.Stack, Memory: k.Memory << 20, Created: map[uint64]int{}, Sleep: map[uint64]SleepTime{}}
	f := finder{p: p, info: info}
	out.Booted = f.function(k.Booted)
	out.State = f.member(k.Thread.Type, k.Thread.State)
	if k.Thread.Priority.Name != "" {
		out.Priority = f.member(k.Thread.Type, k.Thread.Priority)
	}
	if k.Thread.Channel.Name != "" {
		out.Channel = f.member(k.Thread.Type, k.Thread.Channel)
	}
	if k.Thread.Parent.Name != "" {
		out.Parent = f.member(k.Thread.Type, k.Thread.Parent)
	}
	if k.Thread.Resched.Name != "" {
		out.Resched = f.member(k.Thread.Type, k.Thread.Resched)
	}
	for _, t := range k.Ends {
		out.Ends = append(out.Ends, t.Name)
	}
	out.Input, out.Children = f.channels(k.Input), f.channels(k.Children)
	out.Ready, out.Ended = f.values(k.Thread.Ready), f.values(k.Thread.Ended)
	if k.Current.Name != "" {
		out.Current = f.variablePart(k.Current)
	}
	for _, v := range k.Idle {
		out.Idle = append(out.Idle, f.variable(v).Lo)
	}
	for _, b := range k.Created {
		at := 1
		if b.Args != nil {
			at = b.Args[0]
		}
		if why := info.InRegisters(b.Name); why != "" {
			f.fail(Named{Name: b.Name, Line: b.Line}, why)
		}
		out.Created[f.function(Named{Name: b.Name, Line: b.Line})] = at - 1
	}
	f.sleeps(out, k.Sleep)
	for _, s := range k.Scroll {
		if !p.left(info, s.Name) {
			out.Scroll = append(out.Scroll, f.function(s))
		}
	}
	out.Loader = f.loader(k.Loader)
	for _, l := range k.Ready {
		out.Lists = append(out.Lists, f.list(k.Thread.Type, l))
	}
	for _, l := range k.Sleepers {
		out.Sleepers = append(out.Sleepers, f.list(k.Thread.Type, l))
	}
	if out.Size = info.StructSize(k.Thread.Type.Name); out.Size == 0 {
		out.Size = k.Thread.Size
	}
	for _, t := range k.Table {
		out.Tables = append(out.Tables, f.tableOf(t))
		if last := out.Tables[len(out.Tables)-1]; f.err == nil && (out.Size == 0 || (last.Hi-last.Lo)/out.Size > maxTableSize) {
			f.fail(t, fmt.Sprintf("how many threads the table %s has isn't known: a thread's type has no size", t.Name))
		}
	}
	for _, s := range k.Scheduled {
		for _, o := range f.objects(s) {
			out.Scheduling = append(out.Scheduling, elffile.Range{Lo: o.Addr, Hi: o.Addr + o.Size})
		}
	}
	return out, f.err
}
