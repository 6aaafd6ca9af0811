package story

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler/witness"
)

// A search of a guest that never has a second thread ends at once, without a bug.
// That isn't what the user asked for: warnings say where a verdict is
// empty. They are about all that was run, whichever set of points it was run at.

// Warnings says why a verdict without a bug means less than it seems to.
func Warnings(s *session.Session, r *result.Result) (all []result.Warning) {
	if r.Verdict != result.Verified && r.Verdict != result.Bounded {
		return nil
	}
	warn := func(code result.WarningCode, format string, args ...any) {
		all = append(all, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if len(r.Ignored) > 0 {
		warn(result.IgnoredBugs, "known bugs were ignored: %s", result.IgnoredText(r.Ignored))
	}
	if s.Blind() {
		warn(result.Unseen, "it has no symbols, so conditions and operations that it has by landgo-linux.h weren't seen")
	}
	if r.AssumedAway > 0 && r.AssumedAway == r.Executions {
		warn(result.AssumedAway, "every execution was assumed away: in none did each landgo_assume hold that it reached")
		return all
	}
	met := s.Guest.Seen().Met.Clone()
	kernel := s.Platform.Kernel
	switch {
	case met.GoneOff: // its threads are its own
	case met.Cut && s.Config.MostTicks() == 0 && !met.Ran:
		warn(result.OneThread, "only one thread ever ran, and timers that send signals never went off (--ticks 0)")
		return all
	case r.Threads < 2 && kernel:
		warn(result.OneThread, "there was one thread only: no other was alive when the kernel said that it is up (landgo_booted), and none was created after it")
		return all
	case r.Threads < 2:
		text := "only one thread ever ran"
		if met.Wrote != "" {
			text += fmt.Sprintf("; it wrote %q", met.Wrote)
			if result.MissedFile(met.Wrote) {
				text += " (" + result.FilesAreGiven + ")"
			}
		}
		warn(result.OneThread, "%s", text)
		return all
	case kernel && met.Barred && !met.Ticks:
		warn(result.NoTick, "the timer never interrupted: its line is off, or an interrupt before it was never ended; threads were switched only where they gave the processor up")
	case !kernel && !met.Ran:
		warn(result.IdleThreads, "none of the threads that were created ever ran: every execution ended before")
		return all
	case !kernel && !met.Shared:
		text := "its threads share nothing: none changed what another used while both were there"
		if len(r.Outcomes) > 0 && !s.Config.ObserveStdout {
			text += " (--observe stdout explores the order of what they print)"
		}
		warn(result.NothingShared, "%s", text)
	}
	if kinds := missed(s, &met); len(kinds) > 0 && !barred(s, &met) {
		warn(result.NoPoint, "no run reached a preemption point of %s while there was another thread", strings.Join(kinds, ", "))
	}
	warnOfRules(s, &met, warn)
	warnOfRaces(s, &met, warn)
	if spec, err := por.ParseSpec(r.Search); met.Late && !met.OnTime && err == nil && spec.Kind().Name != config.Stateful {
		warn(result.OnlyTimeouts, "in every execution a timed wait ran out because no thread could go on without that")
	}
	if len(met.Unbroken) > 0 {
		place := result.Innermost(s.Frames(met.Unbroken[:1]))
		warn(result.LateSignal, "a signal's handler runs before or after a call of stdio, and never between that call's own calls of the kernel: %s", place.Where())
	}
	switch {
	case met.Meant != "" && met.Ended:
		warn(result.NeverEnds, "some executions never end, and landgo takes them to be meant so: %s", met.Meant)
	case met.Meant != "":
		warn(result.NeverEnds, "the program never ends, and landgo takes it to be meant so: %s", met.Meant)
	}
	return all
}

// barred: no tick ever came, which is why points of a kernel's threads weren't met.
func barred(s *session.Session, met *witness.Met) bool {
	return s.Platform.Ticks && met.Barred && !met.Ticks
}

// missed lists the kinds of points that were asked for and that no run reached. The
// points of mem in a program are at shared memory: that has a warning of its own.
func missed(s *session.Session, met *witness.Met) (kinds []string) {
	if s.Config.Deepens() {
		return nil // landgo chooses
	}
	kernel := s.Platform.Kernel
	for _, k := range []struct {
		set, met trace.Points
		within   []trace.Points // that these are part of
	}{
		{trace.PointLock, trace.PointLock, []trace.Points{trace.MemPoints, trace.SyncPoints}},
		{trace.PointUnlock, trace.PointUnlock, []trace.Points{trace.MemPoints}},
		{trace.PointAtomic, trace.PointAtomic, []trace.Points{trace.MemPoints, trace.SyncPoints}},
		{trace.SyncPoints, trace.PointSync | trace.PointLock | trace.PointUnlock | trace.PointAtomic, []trace.Points{trace.MemPoints}},
		{trace.PointCLI, trace.PointCLI, nil}, {trace.PointSTI, trace.PointSTI, nil},
		{trace.MemPoints, trace.PointMem | trace.PointCLI, nil},
	} {
		p := s.Config.PP
		finer := slices.ContainsFunc(k.within, p.Has)
		if kernel && k.set&(trace.PointLock|trace.PointUnlock|trace.MemPoints|trace.PointCLI|trace.PointSTI) == 0 || !kernel && k.set == trace.MemPoints {
			continue
		}
		on := k.met
		if s.NoRoles() && !kernel && k.set&(trace.PointLock|trace.PointUnlock) != 0 {
			on |= trace.PointAtomic
		}
		if p.Has(k.set) && !finer && met.Points&on == 0 {
			kinds = append(kinds, k.set.Name())
		}
	}
	return kinds
}

// warnOfRules warns of --within and --without whose function was on the stack at no
// point.
func warnOfRules(s *session.Session, met *witness.Met, warn func(result.WarningCode, string, ...any)) {
	all := s.Config.AllRules()
	for i := len(all) - len(s.Config.Rules); i < min(len(all), 64); i++ {
		if met.Rules>>i&1 == 0 {
			warn(result.NoRule, "no run reached a preemption point with %s on the call stack (--%v)", all[i].Function, all[i])
		}
	}
}

// warnOfRaces warns of instructions that were to be points and weren't reached.
func warnOfRaces(s *session.Session, met *witness.Met, warn func(result.WarningCode, string, ...any)) {
	reached := map[uint64]bool{}
	for _, pc := range met.Races {
		reached[pc] = true
	}
	for i, pc := range s.Racing {
		if !reached[pc] && i < len(s.Config.Races) {
			warn(result.NoRacePoint, "no run reached %s with memory that threads share (--pp race=)", s.Config.Races[i])
		}
	}
}

// FirstLine is the first line of a guest's output that says anything, cut to what a
// report has room for.
func FirstLine(s *session.Session) string {
	const most = 60
	for _, fd := range []int{2, 1} {
		for _, line := range strings.Split(string(s.Console.Output(fd)), "\n") {
			line = strings.TrimSpace(strings.ToValidUTF8(line, "?"))
			if line == "" {
				continue
			}
			if r := []rune(line); len(r) > most {
				line = string(r[:most]) + "..."
			}
			return line
		}
	}
	return ""
}
