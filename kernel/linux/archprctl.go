package linux

import "landgo/kernel"

// Codes of arch_prctl.
const (
	archSetGS = 0x1001
	archSetFS = 0x1002
	archGetFS = 0x1003
	archGetGS = 0x1004
	// glibc asks whether shadow stacks are on.
	archCetStatus = 0x3001
)

func planArchPrctl(c *call, p *kernel.Plan) {
	switch c.a[0] {
	case archSetGS, archSetFS, archGetFS, archGetGS, archCetStatus:
	default:
		if c.a[0] < 0x1000 || c.a[0] > 0x5fff { // Linux has none there
			return
		}
		invalid(p, hexReason("arch_prctl(%#x) is not modelled", c.a[0]))
	}
}

func doArchPrctl(c *call, o *kernel.Outcome) uint64 {
	switch c.a[0] {
	case archSetFS, archSetGS:
		if c.a[1] >= 1<<47 {
			return eperm
		}
		if c.a[0] == archSetFS {
			c.regs.FSBase = c.a[1]
		} else {
			c.regs.GSBase = c.a[1]
		}
		return 0
	case archGetFS:
		return c.k.user.copyOut(c.a[1], pair(c.regs.FSBase, 0)[:8])
	case archGetGS:
		return c.k.user.copyOut(c.a[1], pair(c.regs.GSBase, 0)[:8])
	}
	return einval
}
