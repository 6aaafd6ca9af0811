package linux

import (
	"fmt"

	"landgo/kernel"
)

// membarrier has all threads of the process order their accesses to memory, where one
// thread asks for it. Where memory is sequentially consistent each access is in order
// anyway, and the call does nothing. Where there are store buffers, the scheduler has it wait
// until each was empty once (Plan.Fences).

// Commands of membarrier(2). A process announces itself before it uses the expedited one.
const (
	fenceQuery     = 0
	fenceGlobal    = 1
	fencePrivate   = 1 << 3
	fenceAnnounces = 1 << 4
	fencesModelled = fenceGlobal | fencePrivate | fenceAnnounces
)

func planMembarrier(c *call, p *kernel.Plan) {
	if unknownFence(c.a[0], c.a[1]) {
		return
	}
	if cmd := uint64(uint32(c.a[0])); cmd != fenceQuery && (cmd&^fencesModelled != 0 || cmd&(cmd-1) != 0) || c.a[1]&0xffffffff != 0 {
		invalid(p, fmt.Sprintf("membarrier(%#x) is not modelled", cmd))
	} else {
		p.Fences = cmd == fenceGlobal || cmd == fencePrivate && c.k.fences.Peek() != 0
	}
}

// The last of the commands of Linux 6 is MEMBARRIER_CMD_GET_REGISTRATIONS, and one has a flag
// (MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ).
const fenceLast, fenceRseq = 1 << 9, 1 << 7

// unknownFence reports whether Linux knows no such command, or none with such flags.
func unknownFence(cmd, flags uint64) bool {
	cmd &= 0xffffffff
	return cmd&(cmd-1) != 0 || cmd > fenceLast || cmd != fenceRseq && flags&0xffffffff != 0
}

func doMembarrier(c *call, o *kernel.Outcome) uint64 {
	if unknownFence(c.a[0], c.a[1]) {
		return einval
	}
	switch uint32(c.a[0]) {
	case fenceQuery:
		return fencesModelled
	case fenceAnnounces:
		c.set(&c.k.fences, 1)
	case fencePrivate:
		if c.get(&c.k.fences) == 0 {
			return eperm
		}
	}
	return 0
}
