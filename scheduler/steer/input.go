package steer

import (
	"fmt"
	"slices"
)

// No key is ever typed. A kernel whose threads wait for input in the end has nothing more to do,
// and that is no deadlock. Nor is it one if a thread waits for the end of a child that does. Both
// are known by a waiting thread's *channel*, which the profile has to name. For input that is an
// address or a value, and for children a thread's own structure or a value. All threads that are
// left have to wait so: one that waits for something else makes the end a deadlock, and a report
// says so.

func (s *fixed) hasChannel() bool { return s.profile != nil && s.profile.Channel.Size != 0 }

// channelOf is the channel that a thread waits for.
func (s *reading) channelOf(th *thread) uint64 {
	v, _ := s.memberOf(th.own.Number, s.profile.Channel)
	if s.wordSize == 4 {
		return uint64(uint32(v))
	}
	return uint64(v)
}

func (s *Kernel) channelName(c uint64) string {
	if name := s.VariableName(c); name != "" {
		return name
	}
	return fmt.Sprintf("%#x", c)
}

// awaitsInput reports whether all threads that are left wait for input, or for children
// that do.
func (s *situation) awaitsInput() bool {
	if !s.hasChannel() {
		return false
	}
	any := false
	for i := range s.threads {
		th := &s.threads[i]
		if !s.threads[i].Exists || !th.Live() || th.own.Idle || th.own.Ended {
			continue
		}
		if !s.awaits(th, len(s.threads)) {
			return false
		}
		any = true
	}
	return any
}

// awaits: a thread does. depth bounds parents of parents.
func (s *situation) awaits(th *thread, depth int) bool {
	if th.own.State != ownBlocked || depth == 0 {
		return false
	}
	c := s.channelOf(th)
	if slices.Contains(s.profile.Input, c) {
		return true
	}
	if c != th.own.Number && !slices.Contains(s.profile.Children, c) || s.profile.Parent.Size == 0 {
		return false
	}
	for i := range s.threads {
		child := &s.threads[i]
		if !s.threads[i].Exists || !child.Live() || child.own.Idle || child.own.Ended {
			continue
		}
		if p, ok := s.memberOf(child.own.Number, s.profile.Parent); ok && uint32(p) == uint32(th.own.Number) && s.awaits(child, depth-1) {
			return true
		}
	}
	return false
}
