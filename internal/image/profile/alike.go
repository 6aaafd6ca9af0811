package profile

// alikeArgs has the roles whose results tell no threads apart that call the function with
// the same arguments, with how many of these they have. Whether a try succeeds, and which
// thread a barrier tells that it was the last, is settled by the order of the calls alone.
var alikeArgs = map[Role]int{
	MutexLock: 1, MutexTryLock: 1, MutexUnlock: 1,
	CondWait: 2, CondSignal: 1, CondBroadcast: 1,
	SemWait: 1, SemTryWait: 1, SemPost: 1,
	RWReadLock: 1, RWTryReadLock: 1, RWWriteLock: 1, RWTryWriteLock: 1, RWUnlock: 1,
	BarrierWait: 1,
	SpinLock:    1, SpinTryLock: 1, SpinUnlock: 1, SpinInitOrUnlock: 1,
	Yield: 0,
}

// Alike reports whether the function tells no threads apart that call it with the same
// arguments, and how many these are. One that the user's own profile names may.
func (b *Bound) Alike() (alike bool, args int) {
	args, alike = alikeArgs[b.Role]
	return alike && !b.Own && !b.Followed(), args
}
