package library

import (
	"bytes"
	"strings"

	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// A libc's string functions read whole words, up to beyond the end of what they
// were given (emu.Config.Ahead), so the machine can't tell whether they read too
// far. The bytes that such a function has to read by its meaning are looked at when
// it is called. So it is within a trusted function, which is one event, and where
// no other thread uses the memory. Elsewhere another thread may end the block, or
// write the byte that ends the string, between the call and the read, and what
// tells then is the read alone.

func (l *textCalls) breakStrings() {
	l.strings = map[uint64]*stringReading{}
	for _, r := range static.ReadsAhead(l.image.Info) {
		f, _ := l.image.SymbolAt(r.Lo)
		name := strings.TrimLeft(f.Name, "_")
		for i := range stringReads {
			if is := &stringReads[i]; strings.HasPrefix(name, is.name) {
				l.strings[r.Lo] = is
				l.breakAt(r.Lo, breakString)
				break
			}
		}
	}
}

// reading is the part of an argument that a string function reads.
type reading uint8

const (
	first    reading = iota // a byte at least
	text                    // to its 0
	textFor                 // to its 0, or to the character that is the second argument
	textN                   // to its 0, or as many as the length says
	findN                   // to the character, or as many
	find                    // to the character
	wholeN                  // as many
	textIf                  // to its 0, or to where the other argument differs
	textIfN                 // the same, or as many
	wholeIfN                // as many, or to where the other differs
)

// stringReading has the parts that the string functions whose names begin so read of their
// first arguments; length is the place of the length, from 0.
type stringReading struct {
	name   string
	args   []reading
	length int
}

var stringReads = []stringReading{
	{"strlen", []reading{text}, 0}, {"strnlen", []reading{textN}, 1}, {"strchr", []reading{textFor}, 0}, {"strrchr", []reading{text}, 0},
	{"rawmemchr", []reading{find}, 0}, {"memchr", []reading{findN}, 2}, {"memrchr", []reading{first}, 2},
	{"strcpy", []reading{first, text}, 0}, {"stpcpy", []reading{first, text}, 0}, {"strcat", []reading{text, text}, 0},
	{"strcmp", []reading{textIf, textIf}, 0}, {"strstr", []reading{first, text}, 0},
	{"strncpy", []reading{first, textN}, 2}, {"strncmp", []reading{textIfN, textIfN}, 2}, {"strncat", []reading{text, textN}, 2},
	{"memcpy", []reading{first, wholeN}, 2}, {"memmove", []reading{first, wholeN}, 2}, {"mempcpy", []reading{first, wholeN}, 2},
	{"memcmp", []reading{wholeIfN, wholeIfN}, 2},
}

// atString looks at the arguments of a string function.
func (l *textCalls) atString(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	th.string = stringCall{}
	if th.alloc != nil || len(th.inside) > 0 || th.Starting || !l.core.Entered() { // before main: what chooses between a function's versions has its name
		return scheduler.Step, nil
	}
	l.takeArgs(th, nil)
	is, n := l.strings[th.Regs.RIP], ^uint64(0)
	if is.length > 0 {
		if n = th.arg(is.length); n == 0 {
			return scheduler.Step, nil
		}
	}
	call := l.stringCall(th.thread, is)
	for i, r := range is.args {
		p := th.arg(i)
		end, dead := l.reads(r, p, th.arg(1-i), n)
		call.reads(r, p, end, n, l.machine.Read8(end) == 0)
		if !dead && (r != text && r != textFor || l.cfg.Fill == nil || end == 0) || !th.quiet.on && !l.core.Alone(th.ID) && l.machine.SharedHull(p, end+1).Hi != 0 {
			continue
		}
		if r == text || r == textFor {
			th.texts = texts{p, (th.texts.ends + end) * 0x9e3779b97f4a7c15}
		}
		if !dead {
			continue
		}
		call.lo = call.hi
		if out := l.core.Blocks.DeadAccess(th.ID, th.Regs.RIP, end, 1, is.name+" reads 1 byte", true); out != nil {
			l.core.Sharing.Touch(th.ID, tr, th.Regs.RIP, end, 1, 0)
			th.Insns++ // the failure is a place of its own
			return scheduler.Stay, l.core.Fail(th.ID, out)
		}
	}
	th.string = call
	return scheduler.Step, nil
}

// texts says how far a thread's string functions have read texts. With --check uninit, bytes that
// were never written may end a text or not. Only texts to their 0 count: one with a length may go
// on to it.
type texts struct {
	last uint64 // where the latest one begins
	ends uint64 // a hash of where all ended
}

// reads follows a reading from p on to its end, or to the first byte that is in no
// live block, if it reaches one. 0 is an end that isn't known. The other one of
// two arguments is other: a pointer, or the character that is looked for.
func (l *textCalls) reads(r reading, p, other, n uint64) (at uint64, dead bool) {
	const chunk = 64
	for done := uint64(0); done < n; {
		k := min(chunk, n-done)
		if !l.machine.Dead(p+done, k) && r == wholeN {
			done += k
			continue
		}
		b := l.machine.Bytes(p+done, k)
		if b == nil {
			return 0, false
		}
		var c []byte
		if r == textIf || r == textIfN || r == wholeIfN {
			if c = l.machine.Bytes(other+done, k); c == nil {
				return 0, false
			}
		}
		bad := l.machine.Dead(p+done, k)
		if !bad && (r == text || r == textN) && bytes.IndexByte(b, 0) < 0 {
			done += k
			continue
		}
		for i := range b {
			if bad && l.machine.Dead(p+done+uint64(i), 1) {
				return p + done + uint64(i), true
			}
			ends := false
			switch r {
			case first:
				ends = true
			case text, textN:
				ends = b[i] == 0
			case textFor:
				ends = b[i] == 0 || b[i] == byte(other)
			case find, findN:
				ends = b[i] == byte(other)
			case textIf, textIfN:
				ends = b[i] == 0 || b[i] != c[i]
			case wholeIfN:
				ends = b[i] != c[i]
			}
			if ends {
				return p + done + uint64(i), false
			}
		}
		done += k
	}
	return 0, false
}
