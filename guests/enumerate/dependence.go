package enumerate

// class is a kind of object; objects of different classes never conflict.
type class uint8

const (
	cell class = iota
	mutex
	cond
	sem
	rwlock
	barrier
	once
	threadObj
	process
)

// mode says how an event uses an object, as far as dependence cares.
type mode uint8

const (
	read   mode = iota // a load, a failed compare-and-exchange
	write              // any store, a silent one too
	failed             // a trylock that failed
	post               // sem_post
	share              // rdlock
	order              // creation, exit, join: order between threads, but no race
)

// use is one object that an event touches.
type use struct {
	class class
	obj   int
	mode  mode
}

// dependent is landgo's published relation (the design's section on
// dependence), for two events of different threads:
//   - two accesses to one cell unless both read;
//   - operations on one mutex, but not two failing trylocks;
//   - enqueue, signal and broadcast of one condition variable;
//   - semaphore waits with each other and with posts, but not two posts;
//   - operations on one reader-writer lock, but not two readers' locks and
//     releases;
//   - arrivals at one barrier; operations on one once control;
//   - the process's end with everything.
//
// Creation, exit and join only order: nothing can take their place, so they
// never make two traces of one.
func dependent(a, b use) bool {
	if a.class == process || b.class == process {
		return true
	}
	if a.class != b.class || a.obj != b.obj {
		return false
	}
	switch a.class {
	case threadObj:
		return false
	case cell:
		return a.mode == write || b.mode == write
	case mutex:
		return a.mode != failed || b.mode != failed
	case sem:
		return a.mode != post || b.mode != post
	case rwlock:
		return a.mode != share || b.mode != share
	}
	return true
}

// anyDependent reports whether two events' uses have a dependent pair.
func anyDependent(a, b []use) bool {
	for _, x := range a {
		for _, y := range b {
			if dependent(x, y) {
				return true
			}
		}
	}
	return false
}
