package scheduler

import (
	"landgo/internal/image"
	"landgo/internal/trace"
)

// act says how a role is carried out.
type act struct {
	how  how
	op   trace.OpKind
	kind objectKind
	// point is the kind of preemption point before it.
	point Points
	// release: a point of kind PointUnlock comes after it.
	release bool
	// attr: its second argument points to attributes, or is null (but in C11).
	attr bool
	// deadline is the number of the argument that points to the absolute time
	// at which the operation gives up; 0: it waits for ever.
	deadline uint8
}

type how uint8

const (
	// ordinary code: nothing special.
	ordinary how = iota
	// operation: landgo carries it out as one step, or several.
	operation
	// quietly: the guest's own code runs without interruption.
	quietly
	// watched: the same, and what it touches of the user's memory is recorded.
	watched
	// noted: ordinary code, but landgo remembers that it was called.
	noted
	// allocator: landgo carries it out (malloc.go).
	allocator
	// ending: the guest's end.
	ending
)

// onObject reports whether a role is an operation on a synchronisation object.
func onObject(r image.Role) bool {
	return acts[r].how == operation && acts[r].op >= trace.OpLock && acts[r].op <= trace.OpOnce
}

// does is an operation on an object in words: "locks a mutex".
func (a *act) does() string {
	verb, ok := opVerbs[a.op]
	if !ok {
		verb = "uses"
	}
	return verb + " " + objectNames[a.kind]
}

var objectNames = [...]string{
	kindMutex: "a mutex", kindCond: "a condition variable", kindSem: "a semaphore", kindRWLock: "a read-write lock",
	kindBarrier: "a barrier", kindOnce: "a once control", kindSpin: "a spin lock",
}

var acts = [image.NumRoles]act{
	image.MutexInit:      {how: operation, op: trace.OpMutexInit, kind: kindMutex, attr: true},
	image.MutexDestroy:   {how: operation, op: trace.OpMutexDestroy, kind: kindMutex},
	image.MutexLock:      {how: operation, op: trace.OpLock, kind: kindMutex, point: PointLock},
	image.MutexTryLock:   {how: operation, op: trace.OpTryLock, kind: kindMutex, point: PointLock},
	image.MutexTimedLock: {how: operation, op: trace.OpLock, kind: kindMutex, point: PointLock, deadline: 1},
	image.MutexClockLock: {how: operation, op: trace.OpLock, kind: kindMutex, point: PointLock, deadline: 2},
	image.MutexUnlock:    {how: operation, op: trace.OpUnlock, kind: kindMutex, release: true},

	image.SpinInit:         {how: operation, op: trace.OpMutexInit, kind: kindSpin},
	image.SpinInitOrUnlock: {how: operation, op: trace.OpUnlock, kind: kindSpin, release: true},
	image.SpinDestroy:      {how: operation, op: trace.OpMutexDestroy, kind: kindSpin},
	image.SpinLock:         {how: operation, op: trace.OpLock, kind: kindSpin, point: PointLock},
	image.SpinTryLock:      {how: operation, op: trace.OpTryLock, kind: kindSpin, point: PointLock},
	image.SpinUnlock:       {how: operation, op: trace.OpUnlock, kind: kindSpin, release: true},

	image.CondInit:      {how: operation, op: trace.OpCondInit, kind: kindCond, attr: true},
	image.CondDestroy:   {how: operation, op: trace.OpCondDestroy, kind: kindCond},
	image.CondWait:      {how: operation, op: trace.OpCondWait, kind: kindCond},
	image.CondTimedWait: {how: operation, op: trace.OpCondWait, kind: kindCond, deadline: 2},
	image.CondClockWait: {how: operation, op: trace.OpCondWait, kind: kindCond, deadline: 3},
	image.CondSignal:    {how: operation, op: trace.OpCondSignal, kind: kindCond, release: true},
	image.CondBroadcast: {how: operation, op: trace.OpCondBroadcast, kind: kindCond, release: true},

	image.SemInit:      {how: operation, op: trace.OpSemInit, kind: kindSem},
	image.SemDestroy:   {how: operation, op: trace.OpSemDestroy, kind: kindSem},
	image.SemWait:      {how: operation, op: trace.OpSemWait, kind: kindSem, point: PointLock},
	image.SemTryWait:   {how: operation, op: trace.OpSemTryWait, kind: kindSem, point: PointLock},
	image.SemTimedWait: {how: operation, op: trace.OpSemWait, kind: kindSem, point: PointLock, deadline: 1},
	image.SemClockWait: {how: operation, op: trace.OpSemWait, kind: kindSem, point: PointLock, deadline: 2},
	image.SemPost:      {how: operation, op: trace.OpSemPost, kind: kindSem, release: true},
	image.SemGetValue:  {how: operation, op: trace.OpSemGet, kind: kindSem},

	image.SemOpen:   {how: operation, op: trace.OpSyscall},
	image.SemClose:  {how: operation, op: trace.OpSyscall},
	image.SemUnlink: {how: operation, op: trace.OpSyscall},

	image.RWInit:           {how: operation, op: trace.OpRWInit, kind: kindRWLock, attr: true},
	image.RWDestroy:        {how: operation, op: trace.OpRWDestroy, kind: kindRWLock},
	image.RWReadLock:       {how: operation, op: trace.OpReadLock, kind: kindRWLock, point: PointLock},
	image.RWTryReadLock:    {how: operation, op: trace.OpTryReadLock, kind: kindRWLock, point: PointLock},
	image.RWTimedReadLock:  {how: operation, op: trace.OpReadLock, kind: kindRWLock, point: PointLock, deadline: 1},
	image.RWClockReadLock:  {how: operation, op: trace.OpReadLock, kind: kindRWLock, point: PointLock, deadline: 2},
	image.RWWriteLock:      {how: operation, op: trace.OpWriteLock, kind: kindRWLock, point: PointLock},
	image.RWTryWriteLock:   {how: operation, op: trace.OpTryWriteLock, kind: kindRWLock, point: PointLock},
	image.RWTimedWriteLock: {how: operation, op: trace.OpWriteLock, kind: kindRWLock, point: PointLock, deadline: 1},
	image.RWClockWriteLock: {how: operation, op: trace.OpWriteLock, kind: kindRWLock, point: PointLock, deadline: 2},
	image.RWLock:           {how: operation, op: trace.OpReadLock, kind: kindRWLock, point: PointLock}, // or a write lock: see atBreak
	image.RWDowngrade:      {how: operation, op: trace.OpWriteUnlock, kind: kindRWLock, release: true},
	image.RWUnlock:         {how: operation, op: trace.OpWriteUnlock, kind: kindRWLock, release: true},

	image.BarrierInit:    {how: operation, op: trace.OpBarrierInit, kind: kindBarrier, attr: true},
	image.BarrierDestroy: {how: operation, op: trace.OpBarrierDestroy, kind: kindBarrier},
	image.BarrierWait:    {how: operation, op: trace.OpBarrierArrive, kind: kindBarrier, point: PointLock},

	image.Once: {how: operation, op: trace.OpOnce, kind: kindOnce, point: PointLock},

	image.Create:    {how: quietly},
	image.Join:      {how: operation, op: trace.OpJoin},
	image.TryJoin:   {how: operation, op: trace.OpTryJoin},
	image.TimedJoin: {how: operation, op: trace.OpJoin, deadline: 2},
	image.ClockJoin: {how: operation, op: trace.OpJoin, deadline: 3},
	image.Detach:    {how: operation, op: trace.OpDetach},

	image.ThreadExit:   {how: operation, op: trace.OpExit},
	image.KeyCreate:    {how: noted},
	image.CleanupPush:  {how: noted},
	image.AtExit:       {how: noted},
	image.ThreadAtExit: {how: noted},
	image.Caught:       {how: noted},
	image.ProcessExit:  {how: ending, op: trace.OpEnd},
	image.AssertFail:   {how: ending, op: trace.OpEnd},
	image.Abort:        {how: ending, op: trace.OpEnd},
	image.Panic:        {how: ending, op: trace.OpEnd},
	image.TestReport:   {how: ending, op: trace.OpEnd},
	image.DebugPrint:   {how: noted},

	image.Yield: {how: operation, op: trace.OpYield},
	// A sleep is the kernel's business: time passes.
	image.Sleep: {how: ordinary},

	image.Malloc:           {how: allocator},
	image.Calloc:           {how: allocator},
	image.Realloc:          {how: allocator},
	image.ReallocArray:     {how: allocator},
	image.Free:             {how: allocator},
	image.AlignedAlloc:     {how: allocator},
	image.PosixMemalign:    {how: allocator},
	image.Memalign:         {how: allocator},
	image.Valloc:           {how: allocator},
	image.MallocUsableSize: {how: allocator},
	image.InsideAllocator:  {how: allocator},

	image.Stdio:      {how: watched},
	image.StdioInput: {how: watched},
}

// PointsAt is the kinds of points that there are before or after a call of a
// function with a role.
func PointsAt(r image.Role) Points {
	a := &acts[r]
	p := a.point
	if a.op == trace.OpCondWait {
		p |= PointLock // its reacquire
	}
	if a.release {
		p |= PointUnlock
	}
	return p
}
