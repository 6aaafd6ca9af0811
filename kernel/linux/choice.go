package linux

import (
	"fmt"

	"landgo/internal/trace"
	"landgo/kernel"
)

// The system calls of guests/landgo-linux.h: Linux hasn't got these, and refuses them.
// So no symbol is needed to know them, and a program with them runs without landgo too.

// Their numbers.
const (
	sysChoice = 0x2c676f00
	sysAssume = 0x2c676f01
)

var (
	choiceRow = row{"landgo_choice", planChoice, doChoice}
	assumeRow = row{"landgo_assume", planAssume, doAssume}
)

// planChoice is landgo_choice(n): one of 0 to n-1.
func planChoice(c *call, p *kernel.Plan) {
	switch n := c.a[0]; {
	case n == 0 || int64(n) < 0:
		invalid(p, fmt.Sprintf("landgo_choice(%d) has no value to return", int64(n)))
	case n > maxOutcomes:
		beyond(p, kernel.GapThreads, fmt.Sprintf("landgo_choice(%d) is of more values than landgo tries at one place, %d", n, maxOutcomes))
	case n > 1:
		c.event(p, trace.Op{Kind: trace.OpChoose, Obj: n})
		p.Outcomes = uint32(n)
	}
}

func doChoice(c *call, _ *kernel.Outcome) uint64 {
	if c.a[0] > 1 {
		c.op(trace.Op{Kind: trace.OpChoose, Obj: c.a[0], Arg: c.choice})
	}
	return c.choice
}

// planAssume is an assumption that doesn't hold: its thread never goes on.
func planAssume(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpAssume})
	p.Blocked = true
}

func doAssume(*call, *kernel.Outcome) uint64 { return 0 }
