package library

import (
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// act says how a role is carried out.
type act struct {
	how  how
	op   trace.OpKind
	kind objectKind
	// point is the kind of preemption point before it, and release: one of kind
	// PointUnlock comes after it.
	point   trace.Points
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
	verb, ok := scheduler.Verb(a.op)
	if !ok {
		verb = "uses"
	}
	return verb + " " + objectNames[a.kind]
}

var objectNames = [...]string{
	kindMutex: "a mutex", kindCond: "a condition variable", kindSem: "a semaphore", kindRWLock: "a read-write lock",
	kindBarrier: "a barrier", kindOnce: "a once control", kindSpin: "a spin lock",
}

// acts has the roles with what follows from their operations.
var acts = func() [image.NumRoles]act {
	list := ways
	for r := range list {
		a := &list[r]
		a.op = image.Role(r).Op()
		a.release = scheduler.PointsOf(a.op)&trace.PointUnlock != 0
		if a.op != trace.OpCondWait { // its reacquire is the point
			a.point = scheduler.PointsOf(a.op) & trace.PointLock
		}
	}
	return list
}()

var ways = [image.NumRoles]act{
	image.MutexInit:      {how: operation, kind: kindMutex, attr: true},
	image.MutexDestroy:   {how: operation, kind: kindMutex},
	image.MutexLock:      {how: operation, kind: kindMutex},
	image.MutexTryLock:   {how: operation, kind: kindMutex},
	image.MutexTimedLock: {how: operation, kind: kindMutex, deadline: 1},
	image.MutexClockLock: {how: operation, kind: kindMutex, deadline: 2},
	image.MutexUnlock:    {how: operation, kind: kindMutex},

	image.SpinInit:         {how: operation, kind: kindSpin},
	image.SpinInitOrUnlock: {how: operation, kind: kindSpin},
	image.SpinDestroy:      {how: operation, kind: kindSpin},
	image.SpinLock:         {how: operation, kind: kindSpin},
	image.SpinTryLock:      {how: operation, kind: kindSpin},
	image.SpinUnlock:       {how: operation, kind: kindSpin},

	image.CondInit:      {how: operation, kind: kindCond, attr: true},
	image.CondDestroy:   {how: operation, kind: kindCond},
	image.CondWait:      {how: operation, kind: kindCond},
	image.CondTimedWait: {how: operation, kind: kindCond, deadline: 2},
	image.CondClockWait: {how: operation, kind: kindCond, deadline: 3},
	image.CondSignal:    {how: operation, kind: kindCond},
	image.CondBroadcast: {how: operation, kind: kindCond},

	image.SemInit:      {how: operation, kind: kindSem},
	image.SemDestroy:   {how: operation, kind: kindSem},
	image.SemWait:      {how: operation, kind: kindSem},
	image.SemTryWait:   {how: operation, kind: kindSem},
	image.SemTimedWait: {how: operation, kind: kindSem, deadline: 1},
	image.SemClockWait: {how: operation, kind: kindSem, deadline: 2},
	image.SemPost:      {how: operation, kind: kindSem},
	image.SemGetValue:  {how: operation, kind: kindSem},

	image.SemOpen:   {how: operation},
	image.SemClose:  {how: operation},
	image.SemUnlink: {how: operation},

	image.RWInit:           {how: operation, kind: kindRWLock, attr: true},
	image.RWDestroy:        {how: operation, kind: kindRWLock},
	image.RWReadLock:       {how: operation, kind: kindRWLock},
	image.RWTryReadLock:    {how: operation, kind: kindRWLock},
	image.RWTimedReadLock:  {how: operation, kind: kindRWLock, deadline: 1},
	image.RWClockReadLock:  {how: operation, kind: kindRWLock, deadline: 2},
	image.RWWriteLock:      {how: operation, kind: kindRWLock},
	image.RWTryWriteLock:   {how: operation, kind: kindRWLock},
	image.RWTimedWriteLock: {how: operation, kind: kindRWLock, deadline: 1},
	image.RWClockWriteLock: {how: operation, kind: kindRWLock, deadline: 2},
	image.RWLock:           {how: operation, kind: kindRWLock}, // or a write lock: see atBreak
	image.RWDowngrade:      {how: operation, kind: kindRWLock},
	image.RWUnlock:         {how: operation, kind: kindRWLock},

	image.BarrierInit:    {how: operation, kind: kindBarrier, attr: true},
	image.BarrierDestroy: {how: operation, kind: kindBarrier},
	image.BarrierWait:    {how: operation, kind: kindBarrier},

	image.Once: {how: operation, kind: kindOnce},

	image.Create:    {how: quietly},
	image.Join:      {how: operation},
	image.TryJoin:   {how: operation},
	image.TimedJoin: {how: operation, deadline: 2},
	image.ClockJoin: {how: operation, deadline: 3},
	image.Detach:    {how: operation},

	image.ThreadExit:   {how: operation},
	image.KeyCreate:    {how: noted},
	image.CleanupPush:  {how: noted},
	image.AtExit:       {how: noted},
	image.ThreadAtExit: {how: noted},
	image.Caught:       {how: noted},
	image.ProcessExit:  {how: ending},
	image.QuickExit:    {how: ending},
	image.AssertFail:   {how: ending},
	image.Abort:        {how: ending},
	image.Panic:        {how: ending},
	image.TestReport:   {how: ending},
	image.DebugPrint:   {how: noted},

	image.Yield: {how: operation},
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

// isQuiet reports whether the guest's own code carries a role out. A student's allocator is; the
// C library's is landgo's (malloc.go).
func (s *guest) isQuiet(r image.Role) bool {
	return acts[r].how == quietly || acts[r].how == watched || acts[r].how == allocator && s.cfg.Tested
}
