package linux

import (
	"encoding/binary"
	"fmt"
	"path"

	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// Guest thread ids. They end up in mutexes (glibc's __owner, musl's lock word),
// so they must be functions of names and must fit futex words (30 bits). Those
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

	// State that others look at.
	alive         effect.Word
	blocked, sent effect.Word // signal sets: masked, and sent while masked
	backlog       *backlog    // of those that were sent: what they carry
	awaited       effect.Word // signals that a sigwait of its sleeps for
	told          effect.Bit  // it takes signals to the process where it goes on (Linux's TIF_SIGPENDING)

	serial effect.Word // which of all threads it is, by creation; a part of the list of threads

	// State that only its own calls use.
	children   effect.Word // created so far
	asleep     effect.Word // since when, in a sleep that lasts; 0: in none
	windows    effect.Word // number of the window that is in use
	mapped     effect.Word // bytes of it given out
	fresh      effect.Word // its latest map, if no thread could use it so far; else 0
	stack      effect.Word // its upper end as its creator gave it
	beginsAt   effect.Word // address to write its number to where it begins, 0 for none
	clearTID   effect.Word // address to clear and wake at exit, 0 for none
	robustList effect.Word

	altStack, altSize            effect.Word
	frame                        effect.Word // 1 + index of its latest signal frame
	savedMask, savedMaskIsWanted effect.Word // sigsuspend, and the like (mask.go): the mask to restore
	sleepCall                    effect.Word // number of the call in which it sleeps
	looks                        effect.Word // how often it read the clock
	busy                         effect.Word // how far it moved the clock by looking at it
	randoms                      effect.Word // words of getrandom so far
	name                         [2]effect.Word

	traits traits

	wait waiting
}

// newThread is a thread with its words in their places.
func newThread(id trace.TID, parent *thread, number uint64) *thread {
	t := &thread{id: id, parent: parent, number: number, traits: newTraits(id)}
	t.wait.interests = new(interests)
	put := func(which uint64, words ...*effect.Word) {
		for _, w := range words {
			*w = effect.At(threadWord(id, which), 0)
		}
	}
	put(wordLife, &t.alive)
	t.backlog = newBacklog(threadWord(id, wordSignals))
	put(wordSignals, &t.blocked, &t.sent, &t.awaited, &t.told.Word)
	put(wordOwn, &t.children, &t.asleep, &t.windows, &t.mapped, &t.fresh, &t.stack, &t.beginsAt, &t.clearTID, &t.robustList, &t.altStack, &t.altSize, &t.frame,
		&t.savedMask, &t.savedMaskIsWanted, &t.sleepCall, &t.looks, &t.busy, &t.randoms, &t.name[0], &t.name[1])
	return t
}

// waiting is the part of a thread that is a futex queue's entry. Its words have
// no record: the call that uses them is an operation on the queue, or sends the
// thread a signal.
type waiting struct {
	kind     effect.Word // waitKind
	addr     effect.Word
	bits     effect.Word
	deadline effect.Word // noDeadline for none
	next     effect.Word // 1 + TID of the next in the queue

	// leaving is the frame of the handler that has interrupted its call, until the thread goes
	// on (lasttry.go); 0 for none.
	leaving effect.Word

	// roused: a signal has ended its wait (retries), and it hasn't looked for what it waits for.
	roused effect.Flag

	// granted is the futex that it slept for and has been given (pi.go), until it goes on; 0 for none.
	granted effect.Word
	// owner is the number of the thread that owns the futex which it sleeps for.
	owner effect.Word

	// Of a sleep for objects (interest.go), and of the call that is made again after it.
	interests  *interests
	ninterests effect.Word
	retried    effect.Flag // its call is one that slept
	held       effect.Word // the use that it is about
	until      effect.Word // when it ends at the latest
	done       effect.Word // bytes that it has moved
}

// roster has the threads, and their names in the guest.
type roster struct {
	now *doing
	log *effect.Log

	threads []*thread            // by TID; grows only
	numbers map[uint64]trace.TID // guest thread ids; grows only
	born    effect.Word          // threads so far, in the order of the list
	live    effect.Word          // threads that haven't exited; see doExit
	list    effect.Word          // of threads: which there are
}

func (r *roster) addFirstThread() {
	t := newThread(0, nil, firstNumber)
	t.alive = effect.At(threadWord(0, wordLife), 1)
	r.threads = append(r.threads, t)
	r.numbers[t.number] = t.id
	for i := range t.name { // as exec names it
		t.name[i] = effect.At(threadWord(0, wordOwn), nameWord(path.Base(exePath), i))
	}
}

// nameWord is the i-th word of a thread's name.
func nameWord(name string, i int) uint64 {
	var b [nameSize]byte
	copy(b[:nameSize-1], name)
	return binary.LittleEndian.Uint64(b[8*i:])
}

// child is the next child of t, as it was at its creation in every execution
// before.
func (r *roster) child(t *thread) (*thread, error) {
	n := r.log.Get(&t.children) + 1
	id, err := r.now.host.Intern(t.id, n)
	if err != nil {
		return nil, err
	}
	if int(id) < len(r.threads) && r.threads[id] != nil {
		return r.threads[id], nil
	}
	c := newThread(id, t, childNumber(t.number, n))
	c.nth, c.hash = n, nameHash(t, n)
	if other, taken := r.numbers[c.number]; taken {
		return nil, fmt.Errorf("threads %s and %s get the same id", r.now.host.Name(other), r.now.host.Name(id))
	}
	r.numbers[c.number] = id
	for int(id) >= len(r.threads) {
		r.threads = append(r.threads, nil)
	}
	r.threads[id] = c
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

// Number is the guest's name for a thread.
func (k *Kernel) Number(id trace.TID) uint64 { return k.roster.threads[id].number }

// numbered is the live thread with a guest's thread id, or nil.
func (r *roster) numbered(number uint64) *thread {
	id, ok := r.numbers[number]
	if !ok || r.log.Get(&r.threads[id].alive) == 0 {
		return nil
	}
	return r.threads[id]
}
