package pebbles

import (
	"bytes"
	"fmt"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// maxLine bounds a print or readline.
const maxLine = 64 << 10

// printable reports whether the arguments of print(length, buffer) are good,
// and which result they give if not.
func (c *call) printable() (int64, bool) {
	switch n := c.int(0); {
	case n < 0 || n > maxLine:
		return badArgument, false
	case n > 0 && !c.k.canRead(c.a[1], uint64(n)):
		return badPointer, false
	}
	return 0, true
}

func planPrint(c *call, p *kernel.Plan) {
	if result, ok := c.printable(); !ok {
		if result == badPointer {
			c.misses(p, c.a[1], uint64(c.int(0)), emu.ProtRead)
		}
		return
	}
	c.touch(c.a[1], uint64(c.int(0)), 0)
	if c.k.cfg.ObserveOutput {
		c.event(p, trace.Op{Kind: trace.OpSyscall, Obj: outputWord, Size: wordSize, Arg: 1})
	}
}

func doPrint(c *call, o *kernel.Outcome) int64 {
	k := c.k
	result, ok := c.printable()
	if !ok {
		return result
	}
	n := uint64(c.int(0))
	c.touch(c.a[1], n, 0)
	text := make([]byte, n)
	k.mem.Read(c.a[1], text)
	if o.Invalid = k.Print(text); o.Invalid != "" {
		o.Gap = kernel.GapOutput
		return noMemory
	}
	return 0
}

// Print puts text on the console, by a call or without one: a program's
// messages to the course's simulator are kept as well. It returns why it can't.
func (k *Kernel) Print(text []byte) string {
	n := uint64(len(text))
	if k.printed+n > k.cfg.OutputLimit {
		return fmt.Sprintf("the guest prints more than %d bytes in one execution", k.cfg.OutputLimit)
	}
	// Bytes behind the printed ones were rewound.
	k.output = append(k.output[:k.printed], text...)
	k.set(&k.printed, k.printed+n)
	return ""
}

// Colours and cursor positions that exist (80 columns, 25 lines); nothing of
// it is shown.
const (
	maxColor = 0x8f
	rows     = 25
	columns  = 80
)

func doSetTermColor(c *call, _ *kernel.Outcome) int64 {
	if n := c.int(0); n < 0 || n > maxColor {
		return badArgument
	}
	return 0
}

func doSetCursorPos(c *call, _ *kernel.Outcome) int64 {
	if row, col := c.int(0), c.int(1); row < 0 || row >= rows || col < 0 || col >= columns {
		return badArgument
	}
	return 0
}

// planInput is the plan of a call that takes from the input. On the real
// machine it waits for the keyboard, which has no user here.
func (c *call) planInput(p *kernel.Plan) {
	if c.k.consumed == uint64(len(c.k.cfg.Stdin)) {
		p.Effect, p.Gap = kernel.Invalid, kernel.GapInput
		p.Reason = c.row.name + " at the end of the input"
		return
	}
	c.event(p, trace.Op{Kind: trace.OpSyscall, Obj: inputWord, Size: wordSize, Arg: 1})
}

// take is the next n bytes of the input.
func (c *call) take(n uint64) []byte {
	k := c.k
	from := k.consumed
	k.set(&k.consumed, from+n)
	return k.cfg.Stdin[from : from+n]
}

func planGetchar(c *call, p *kernel.Plan) { c.planInput(p) }

func doGetchar(c *call, _ *kernel.Outcome) int64 {
	return int64(c.take(1)[0])
}

// readable is printable's like for readline(length, buffer).
func (c *call) readable() (int64, bool) {
	switch n := c.int(0); {
	case n < 0 || n > maxLine:
		return badArgument, false
	case n > 0 && !c.k.canWrite(c.a[1], uint64(n)):
		return badPointer, false
	}
	return 0, true
}

func planReadline(c *call, p *kernel.Plan) {
	switch result, ok := c.readable(); {
	case ok && c.int(0) > 0:
		c.planInput(p)
		c.touch(c.a[1], uint64(c.int(0)), trace.Write)
	case result == badPointer:
		c.misses(p, c.a[1], uint64(c.int(0)), emu.ProtWrite)
	}
}

// doReadline copies a line with its newline, or as much of it as there is room
// for; the rest of it comes next.
func doReadline(c *call, _ *kernel.Outcome) int64 {
	k := c.k
	result, ok := c.readable()
	if !ok || c.int(0) == 0 {
		return result
	}
	left := k.cfg.Stdin[k.consumed:]
	n := min(uint64(c.int(0)), uint64(len(left)))
	if i := bytes.IndexByte(left[:n], '\n'); i >= 0 {
		n = uint64(i) + 1
	}
	k.mem.Write(c.a[1], c.take(n))
	c.touch(c.a[1], n, trace.Write)
	return int64(n)
}
