package linux

import (
	"fmt"

	"landgo/trace"
)

// Guest thread ids. They end up in mutexes (glibc's __owner, musl's lock word),
// so they must be functions of names, must fit futex words (30 bits), and those
// of common programs should be readable: the first thread is 1000, its n-th
// child 1000+n. All others are hashed; two that collide are an error, not a
// silent exchange.
const (
	firstNumber  = 1000
	plainNumbers = 60000
	hashedBase   = 0x10000
	hashedMask   = 1<<28 - 1
)

// thread is a thread as the kernel knows it.
type thread struct {
	// Functions of the thread's name.
	id     trace.TID
	parent *thread
	number uint64
	nth    uint64 // which of its parent's children
	hash   uint64 // of the name, see layout.go

	// State.
	alive    uint64
	children uint64 // created so far
	windows  uint64 // number of the window that is in use
	mapped   uint64 // bytes of it given out
	fresh    uint64 // its latest map, if nobody could use it so far; else 0

	stack      uint64 // its upper end as its creator gave it
	clearTID   uint64 // address to clear and wake at exit, 0 for none
	robustList uint64

	blocked, sent                uint64 // signal sets: masked, and sent while masked
	altStack, altSize, altFlags  uint64
	frame                        uint64 // 1 + index of its latest signal frame
	savedMask, savedMaskIsWanted uint64 // sigsuspend: the mask to restore

	wait      waiting
	sleepCall uint64 // number of the call in which it sleeps
	notBefore uint64 // the clock reads at least this for the thread
	looks     uint64 // how often it read the clock
	randoms   uint64 // words of getrandom so far
	name      [2]uint64
}

// waiting is the part of a thread that is a futex queue's entry.
type waiting struct {
	kind     uint64 // waitKind
	addr     uint64
	bits     uint64
	deadline uint64 // noDeadline for none
	next     uint64 // 1 + TID of the next in the queue
}

func (k *Kernel) addFirstThread() {
	t := &thread{number: firstNumber, alive: 1}
	k.threads = append(k.threads, t)
	k.numbers[t.number] = t.id
	k.live = 1
}

// child is the next child of t, as it was at its creation in every execution
// before.
func (k *Kernel) child(t *thread) (*thread, error) {
	n := t.children + 1
	id, err := k.host.Intern(t.id, n)
	if err != nil {
		return nil, err
	}
	if int(id) < len(k.threads) && k.threads[id] != nil {
		return k.threads[id], nil
	}
	c := &thread{id: id, parent: t, number: childNumber(t.number, n), nth: n, hash: nameHash(t, n)}
	if other, taken := k.numbers[c.number]; taken {
		return nil, fmt.Errorf("threads %s and %s get the same id", k.host.Name(other), k.host.Name(id))
	}
	k.numbers[c.number] = id
	for int(id) >= len(k.threads) {
		k.threads = append(k.threads, nil)
	}
	k.threads[id] = c
	return c, nil
}

func childNumber(parent, n uint64) uint64 {
	if parent == firstNumber && n < plainNumbers {
		return firstNumber + n
	}
	return hashedBase + mix(parent<<32^n)&hashedMask
}

// mix is the finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// numbered is the live thread with a guest's thread id, or nil.
func (k *Kernel) numbered(number uint64) *thread {
	id, ok := k.numbers[number]
	if !ok || k.threads[id].alive == 0 {
		return nil
	}
	return k.threads[id]
}

// set assigns a word of the kernel's state.
func (k *Kernel) set(p *uint64, v uint64) {
	if *p != v {
		k.m.Set(p, v)
	}
}
