package library

import (
	"landgo/internal/image/profile"
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
	// naming: ordinary code, before which landgo looks at the thread that it names (named.go).
	naming
	// allocator: landgo carries it out (malloc.go).
	allocator
	// ending: the guest's end.
	ending
	// property: of landgo's header (property.go).
	property
	// refused: the machine has no way to do it.
	refused
)

// onObject reports whether a role is an operation on a synchronisation object.
func onObject(r profile.Role) bool {
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
var acts = func() [profile.NumRoles]act {
	list := ways
	for r := range list {
		a := &list[r]
		a.op = profile.Role(r).Op()
		a.release = a.op.Points()&trace.PointUnlock != 0
		if a.op != trace.OpCondWait { // its reacquire is the point
			a.point = a.op.Points() & trace.PointLock
		}
	}
	return list
}()

var ways = [profile.NumRoles]act{
	profile.MutexInit:      {how: operation, kind: kindMutex, attr: true},
	profile.MutexDestroy:   {how: operation, kind: kindMutex},
	profile.MutexLock:      {how: operation, kind: kindMutex},
	profile.MutexTryLock:   {how: operation, kind: kindMutex},
	profile.MutexTimedLock: {how: operation, kind: kindMutex, deadline: 1},
	profile.MutexClockLock: {how: operation, kind: kindMutex, deadline: 2},
	profile.MutexUnlock:    {how: operation, kind: kindMutex},

	profile.SpinInit:         {how: operation, kind: kindSpin},
	profile.SpinInitOrUnlock: {how: operation, kind: kindSpin},
	profile.SpinDestroy:      {how: operation, kind: kindSpin},
	profile.SpinLock:         {how: operation, kind: kindSpin},
	profile.SpinTryLock:      {how: operation, kind: kindSpin},
	profile.SpinUnlock:       {how: operation, kind: kindSpin},

	profile.CondInit:      {how: operation, kind: kindCond, attr: true},
	profile.CondDestroy:   {how: operation, kind: kindCond},
	profile.CondWait:      {how: operation, kind: kindCond},
	profile.CondTimedWait: {how: operation, kind: kindCond, deadline: 2},
	profile.CondClockWait: {how: operation, kind: kindCond, deadline: 3},
	profile.CondSignal:    {how: operation, kind: kindCond},
	profile.CondBroadcast: {how: operation, kind: kindCond},

	profile.SemInit:      {how: operation, kind: kindSem},
	profile.SemDestroy:   {how: operation, kind: kindSem},
	profile.SemWait:      {how: operation, kind: kindSem},
	profile.SemTryWait:   {how: operation, kind: kindSem},
	profile.SemTimedWait: {how: operation, kind: kindSem, deadline: 1},
	profile.SemClockWait: {how: operation, kind: kindSem, deadline: 2},
	profile.SemPost:      {how: operation, kind: kindSem},
	profile.SemGetValue:  {how: operation, kind: kindSem},

	profile.SemOpen:   {how: operation},
	profile.SemClose:  {how: operation},
	profile.SemUnlink: {how: operation},

	profile.RWInit:           {how: operation, kind: kindRWLock, attr: true},
	profile.RWDestroy:        {how: operation, kind: kindRWLock},
	profile.RWReadLock:       {how: operation, kind: kindRWLock},
	profile.RWTryReadLock:    {how: operation, kind: kindRWLock},
	profile.RWTimedReadLock:  {how: operation, kind: kindRWLock, deadline: 1},
	profile.RWClockReadLock:  {how: operation, kind: kindRWLock, deadline: 2},
	profile.RWWriteLock:      {how: operation, kind: kindRWLock},
	profile.RWTryWriteLock:   {how: operation, kind: kindRWLock},
	profile.RWTimedWriteLock: {how: operation, kind: kindRWLock, deadline: 1},
	profile.RWClockWriteLock: {how: operation, kind: kindRWLock, deadline: 2},
	profile.RWLock:           {how: operation, kind: kindRWLock}, // or a write lock: see atBreak
	profile.RWDowngrade:      {how: operation, kind: kindRWLock},
	profile.RWUnlock:         {how: operation, kind: kindRWLock},

	profile.BarrierInit:    {how: operation, kind: kindBarrier, attr: true},
	profile.BarrierDestroy: {how: operation, kind: kindBarrier},
	profile.BarrierWait:    {how: operation, kind: kindBarrier},

	profile.Once: {how: operation, kind: kindOnce},

	profile.Create:      {how: quietly},
	profile.Join:        {how: operation},
	profile.TryJoin:     {how: operation},
	profile.TimedJoin:   {how: operation, deadline: 2},
	profile.ClockJoin:   {how: operation, deadline: 3},
	profile.Detach:      {how: operation},
	profile.NamesThread: {how: naming},
	profile.Cancel:      {how: naming},

	profile.ThreadExit:   {how: operation},
	profile.KeyCreate:    {how: watched},
	profile.KeyDelete:    {how: watched},
	profile.CleanupPush:  {how: noted},
	profile.AtExit:       {how: noted},
	profile.ThreadAtExit: {how: watched},
	profile.LoadFile:     {how: noted},
	profile.Caught:       {how: noted},
	profile.ProcessExit:  {how: ending},
	profile.QuickExit:    {how: ending},
	profile.AssertFail:   {how: ending},
	profile.Abort:        {how: ending},
	profile.Panic:        {how: ending},
	profile.TestReport:   {how: ending},
	profile.DebugPrint:   {how: noted},
	profile.Unwinds:      {how: noted},

	profile.Yield: {how: operation},
	// A sleep is the kernel's business: time passes.
	profile.Sleep: {how: ordinary},

	profile.Malloc:           {how: allocator},
	profile.Calloc:           {how: allocator},
	profile.Realloc:          {how: allocator},
	profile.ReallocArray:     {how: allocator},
	profile.Free:             {how: allocator},
	profile.AlignedAlloc:     {how: allocator},
	profile.PosixMemalign:    {how: allocator},
	profile.Memalign:         {how: allocator},
	profile.Valloc:           {how: allocator},
	profile.Pvalloc:          {how: allocator},
	profile.MallocUsableSize: {how: allocator},
	profile.InsideAllocator:  {how: allocator},

	profile.Stdio:        {how: watched},
	profile.StdioInput:   {how: watched},
	profile.UnwindFind:   {how: watched},
	profile.UnwindTables: {how: watched},
	profile.UnwindLink:   {how: quietly},
	profile.Bookkeeping:  {how: quietly},
	profile.Tabulates:    {how: watched},
	profile.FloatFlags:   {how: refused},

	profile.Always:         {how: property},
	profile.AlwaysWhen:     {how: property},
	profile.Eventually:     {how: property},
	profile.Linearizable:   {how: property},
	profile.LinearizableAs: {how: property},
	profile.CallBegins:     {how: property},
	profile.CallEnds:       {how: property},
}

// isQuiet reports whether the guest's own code carries a role out. A student's allocator is; the
// C library's is landgo's (malloc.go).
func (l *guest) isQuiet(r profile.Role) bool {
	return acts[r].how == quietly || acts[r].how == watched || acts[r].how == allocator && l.cfg.Tested
}
