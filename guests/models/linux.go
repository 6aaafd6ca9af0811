package models

import . "landgo/guests/enumerate" //lint:ignore ST1001 a program reads as one

// Linux has a model for each program of guests/linux, or its FIXED twin.
var Linux = map[string]func(fixed bool) *Program{
	"lost_update": lostUpdate, "increment": increment, "withdraw": withdraw,
	"late_sharing": lateSharing, "two_preemptions": twoPreemptions, "publication": publication,
	"aba": aba, "wrong_lock": wrongLock, "write_under_rdlock": writeUnderRdlock,
	"detached": detached, "stack_argument": stackArgument, "once_each": onceEach,
	"not_concurrent": notConcurrent, "divide": divide, "null_pointer": nullPointer,
	"trap": glimpse(IllegalInsn), "abort_race": glimpse(Assertion), "stack_overflow": stackOverflow,
	"early_exit": earlyExit, "early_return": earlyReturn,

	"deadlock_two": deadlockTwo, "deadlock_three": deadlockThree, "deadlock_partial": deadlockPartial,
	"lost_wakeup": lostWakeup, "signal_first": signalFirst, "missed_broadcast": missedBroadcast,
	"if_not_while": ifNotWhile, "barrier_count": barrierCount, "barrier_phase": barrierPhase,
	"ping_pong": pingPong, "daemon_join": daemonJoin,
	"trylock_backoff": trylockBackoff, "unlock_other": unlockOther, "destroy_held": destroyHeld,
	"lock_twice": lockTwice,

	"handoff": handoff, "peterson_spin": petersonSpin, "ticket": ticket, "ttas": ttas,
	"backout": backout, "livelock": livelock, "trylock_yield": trylockYield,
}

// two is a program with two workers that main creates and joins; after is what
// main does then.
func two(memory []int, first, second []Stmt, after ...Stmt) *Program {
	return &Program{Memory: memory, Mutexes: 2, Conds: 1, RWLocks: 1, Onces: 2,
		Threads: forked([][]Stmt{first, second}, nil, after)}
}

// add is r0 = memory[0]; memory[0] = r0 + 1: two accesses.
func add() Stmt { return Do(Seq(Load(0, N(0)), Store(N(0), Plus(R(0), N(1))))) }

// both is main's last look: memory[0] has both additions.
func both() Stmt { return Do(Seq(Load(0, N(0)), Assert(Eq(R(0), N(2)), "x == 2"))) }

// locked is the body under mutex m if on, else bare.
func locked(on bool, m int, body ...Stmt) Stmt {
	return Do(Seq(When(on, Lock(N(m))), Do(body), When(on, Unlock(N(m)))))
}
