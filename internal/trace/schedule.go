package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The text form of a schedule, version 1:
//
//	s1:CHECK:THREAD@UNTIL[+PART][/CHOICE],THREAD@UNTIL...
//
// for example s1:7f03a9c2:0@10412,0.1@35,0.2@61/1,0.1@80+1. It has no character
// that a shell gives a meaning to, and every schedule has exactly one text:
// String returns the text that Parse accepts. CHECK is eight hexadecimal digits
// that bind it to a guest and a configuration. A change of the meaning gets a
// new version, and the old one is refused by name.
const schedulePrefix = "s1:"

// maxSegments bounds the input of Parse, against hostile text.
const maxSegments = 1 << 24

// Segment is one uninterrupted run of one thread. Threads and points are named
// as they are in every process and however much is known of sharing: by path
// name and by the thread's own instruction count.
type Segment struct {
	// Thread is the thread's path name: "0", "0.1", "0.1.2".
	Thread string
	// Until is the number of instructions that the thread has completed in its
	// life when the segment ends.
	Until uint64
	// Part, if not 0, says that the segment ends inside the next instruction:
	// after that many of its accesses (a split instruction).
	Part uint32
	// Choice is the outcome of the segment's first step. A step with another
	// outcome than 0 begins a segment.
	Choice Choice
}

// Schedule says which thread runs when: all that, with the image and the
// configuration, makes an execution.
type Schedule struct {
	// Check is a digest of the image and the configuration that the schedule
	// belongs to.
	Check    uint32
	Segments []Segment
}

// Append adds a run of a thread, to the last segment where it continues it.
func (s *Schedule) Append(g Segment) {
	if n := len(s.Segments); n > 0 && g.Choice == 0 && s.Segments[n-1].Thread == g.Thread {
		s.Segments[n-1].Until, s.Segments[n-1].Part = g.Until, g.Part
		return
	}
	s.Segments = append(s.Segments, g)
}

func (s Schedule) String() string {
	b := make([]byte, 0, len(schedulePrefix)+9+12*len(s.Segments))
	b = append(b, schedulePrefix...)
	b = fmt.Appendf(b, "%08x:", s.Check)
	for i, g := range s.Segments {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, g.Thread...)
		b = append(b, '@')
		b = strconv.AppendUint(b, g.Until, 10)
		if g.Part != 0 {
			b = append(b, '+')
			b = strconv.AppendUint(b, uint64(g.Part), 10)
		}
		if g.Choice != 0 {
			b = append(b, '/')
			b = strconv.AppendUint(b, uint64(g.Choice), 10)
		}
	}
	return string(b)
}

// ParseSchedule reads the text form.
func ParseSchedule(text string) (Schedule, error) {
	rest, ok := strings.CutPrefix(text, schedulePrefix)
	if !ok {
		if v, _, found := strings.Cut(text, ":"); found && isVersion(v) {
			return Schedule{}, fmt.Errorf("schedule of version %s: this landgo reads version s1 only", v)
		}
		return Schedule{}, errors.New(`not a schedule: one begins with "s1:"`)
	}
	check, rest, ok := strings.Cut(rest, ":")
	if !ok || len(check) != 8 || strings.ToLower(check) != check {
		return Schedule{}, errors.New(`schedule without its check field: eight hexadecimal digits after "s1:"`)
	}
	sum, err := strconv.ParseUint(check, 16, 32)
	if err != nil {
		return Schedule{}, fmt.Errorf("schedule's check field %q isn't hexadecimal", check)
	}
	s := Schedule{Check: uint32(sum)}
	if rest == "" {
		return s, nil
	}
	if strings.Count(rest, ",") >= maxSegments {
		return Schedule{}, fmt.Errorf("schedule of more than %d segments", maxSegments)
	}
	for n := 1; ; n++ {
		part, tail, more := strings.Cut(rest, ",")
		g, err := parseSegment(part)
		if err != nil {
			return Schedule{}, fmt.Errorf("schedule's segment %d (%.40q): %w", n, part, err)
		}
		s.Segments = append(s.Segments, g)
		if !more {
			return s, nil
		}
		rest = tail
	}
}

// parseSegment reads THREAD@UNTIL[+PART][/CHOICE].
func parseSegment(text string) (Segment, error) {
	thread, rest, ok := strings.Cut(text, "@")
	if !ok {
		return Segment{}, errors.New("no @ between the thread and its instruction number")
	}
	if !IsThreadName(thread) {
		return Segment{}, fmt.Errorf("%q isn't a thread's name", thread)
	}
	g := Segment{Thread: thread}
	rest, choice, hasChoice := strings.Cut(rest, "/")
	until, part, hasPart := strings.Cut(rest, "+")
	var err error
	if g.Until, err = parseNumber(until, 64); err != nil {
		return Segment{}, err
	}
	if hasPart {
		v, err := parsePositive(part)
		if err != nil {
			return Segment{}, err
		}
		g.Part = v
	}
	if hasChoice {
		v, err := parsePositive(choice)
		if err != nil {
			return Segment{}, err
		}
		g.Choice = Choice(v)
	}
	return g, nil
}

// BufferMark is behind a thread's name in that of its store buffer. A step that finds the buffer of
// 0.1 empty for a call by 0.2 (membarrier) is of "0.1b0.2b".
const BufferMark = "b"

// ArrivalMark is behind a thread's name in that of the signals on their way to it.
const ArrivalMark = "s"

// IsArrivalName reports whether s is the name of signals on their way to a thread.
func IsArrivalName(s string) bool { return strings.HasSuffix(s, ArrivalMark) }

// TimerMark begins the last part of a timer's name: "0.t1" is the first.
const TimerMark = "t"

// IsTimerName reports whether a thread is a timer.
func IsTimerName(s string) bool { return strings.Contains(s, "."+TimerMark) }

// IsBufferName reports whether s is a store buffer's name.
func IsBufferName(s string) bool { return strings.HasSuffix(s, BufferMark) }

// IsDrainName reports whether s is the name of what finds a store buffer empty for a call.
func IsDrainName(s string) bool {
	return IsThreadName(s) && strings.Count(s, BufferMark) > 1
}

// OwnerName is the name of the thread that a store buffer belongs to, or that signals are on
// their way to; a thread's name is its own.
func OwnerName(s string) string {
	s, _, _ = strings.Cut(s, BufferMark)
	return strings.TrimSuffix(s, ArrivalMark)
}

// IsThreadName reports whether a string is a thread's path name: 0 for the
// first thread, and a child's ordinal, from 1, for each generation after it.
func IsThreadName(s string) bool {
	s = strings.TrimSuffix(s, BufferMark)
	if owner, caller, drain := strings.Cut(s, BufferMark); drain {
		return IsThreadName(owner) && !strings.Contains(caller, BufferMark) && IsThreadName(caller)
	}
	first, rest, more := strings.Cut(strings.TrimSuffix(s, ArrivalMark), ".")
	if first != "0" {
		return false
	}
	if n, timer := strings.CutPrefix(rest, TimerMark); timer {
		_, err := parsePositive(n)
		return err == nil
	}
	for more {
		first, rest, more = strings.Cut(rest, ".")
		if _, err := parsePositive(first); err != nil {
			return false
		}
	}
	return true
}

// parseNumber reads a decimal number in its only spelling, without sign or
// leading zeros, so that a schedule has one text.
func parseNumber(s string, bits int) (uint64, error) {
	v, err := strconv.ParseUint(s, 10, bits)
	if err != nil || strconv.FormatUint(v, 10) != s {
		return 0, fmt.Errorf("%q isn't a number", s)
	}
	return v, nil
}

func parsePositive(s string) (uint32, error) {
	v, err := parseNumber(s, 32)
	if err == nil && v == 0 {
		err = fmt.Errorf("%q must be 1 or more", s)
	}
	return uint32(v), err
}

// isVersion reports whether s looks like the version of another text form.
func isVersion(s string) bool {
	digits, ok := strings.CutPrefix(s, "s")
	_, err := parseNumber(digits, 32)
	return ok && err == nil
}
