package steer

import (
	"fmt"
	"slices"
)

// No key is ever typed. A kernel whose threads wait for input in the end has nothing more to do,
// and that is no deadlock. A wait for the end of a child that does is none, either. Both
// are known by a waiting thread's *channel*, which the profile has to name. For input that is an
// address or a value, and for children a thread's own structure or a value. All threads that are
// left have to wait so: one that waits for something else makes the end a deadlock, and a report
// says so.

func (k *fixed) hasChannel() bool { return k.profile != nil && k.profile.Channel.Size != 0 }

// channelOf is the channel that a thread waits for.
func (k *reading) channelOf(th *thread) uint64 {
	v, _ := k.memberOf(th.own.Number, k.profile.Channel)
	if k.wordSize == 4 {
		return uint64(uint32(v))
	}
	return uint64(v)
}

func (k *Kernel) channelName(c uint64) string {
	if name := k.VariableName(c); name != "" {
		return name
	}
	return fmt.Sprintf("%#x", c)
}

// awaitsInput reports whether all threads that are left wait for input, or for children
// that do.
func (k *situation) awaitsInput() bool {
	if !k.hasChannel() {
		return false
	}
	any := false
	for i := range k.threads {
		th := &k.threads[i]
		if !k.threads[i].Exists || !th.Live() || th.own.Idle || th.own.Ended {
			continue
		}
		if !k.awaits(th, len(k.threads)) {
			return false
		}
		any = true
	}
	return any
}

// awaits: a thread does. depth bounds parents of parents.
func (k *situation) awaits(th *thread, depth int) bool {
	if th.own.State != ownBlocked || depth == 0 {
		return false
	}
	c := k.channelOf(th)
	if slices.Contains(k.profile.Input, c) {
		return true
	}
	if c != th.own.Number && !slices.Contains(k.profile.Children, c) || k.profile.Parent.Size == 0 {
		return false
	}
	for i := range k.threads {
		child := &k.threads[i]
		if !k.threads[i].Exists || !child.Live() || child.own.Idle || child.own.Ended {
			continue
		}
		if p, ok := k.memberOf(child.own.Number, k.profile.Parent); ok && uint32(p) == uint32(th.own.Number) && k.awaits(child, depth-1) {
			return true
		}
	}
	return false
}
