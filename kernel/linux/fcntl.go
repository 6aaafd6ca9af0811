package linux

import "landgo/kernel"

// Commands of fcntl.
const (
	fDupfd        = 0
	fGetfd        = 1
	fSetfd        = 2
	fGetfl        = 3
	fSetfl        = 4
	fGetlk        = 5
	fSetlk        = 6
	fSetlkw       = 7
	fOfdGetlk     = 36
	fOfdSetlk     = 37
	fOfdSetlkw    = 38
	fDupfdCloexec = 1030
	fSetpipeSize  = 1031
	fGetpipeSize  = 1032
	fLast         = 1024 + 20 // Linux 6 has no command behind it

	forcedLargefile = 0x8000 // a status of each file that a program of 64 bits opens
)

var ofdNames = [...]string{"F_OFD_GETLK", "F_OFD_SETLK", "F_OFD_SETLKW"}

func planFcntl(c *call, p *kernel.Plan) {
	switch c.a[1] {
	case fDupfd, fGetfd, fSetfd, fGetfl, fDupfdCloexec, fGetlk, fSetlk, fSetlkw:
		planFiles(c, p)
	case fSetfl:
		if _, o, _ := c.on(c.int32(0)); o == nil && c.k.files.use(c.int32(0)) < useFile && c.k.files.use(c.int32(0)) != useClosed {
			invalid(p, "fcntl(F_SETFL) of a standard descriptor is not modelled")
			return
		}
		planFiles(c, p)
	case fSetpipeSize, fGetpipeSize:
		if _, o, _ := c.on(c.int32(0)); o != nil {
			c.event(p, o.send(0))
			return
		}
		planFiles(c, p)
	default:
		if use := c.k.files.use(c.int32(0)); use == useClosed || c.a[1] > fLast {
			planFiles(c, p)
			return
		}
		if c.a[1] >= fOfdGetlk && c.a[1] <= fOfdSetlkw {
			invalid(p, "a lock of an open file (fcntl with "+ofdNames[c.a[1]-fOfdGetlk]+") is not modelled: "+noFileLock)
			return
		}
		invalid(p, hexReason("fcntl(%d) is not modelled", c.a[1]))
	}
}

func doFcntl(c *call, o *kernel.Outcome) uint64 {
	fd := c.int32(0)
	c.op(onResource(resourceFiles, 1))
	use := c.k.files.use(fd)
	if use == useClosed {
		return ebadf
	}
	slot := c.k.files.slot(int(fd))
	switch c.a[1] {
	case fDupfd, fDupfdCloexec:
		if least := c.int32(2); least >= 0 && uint64(least) < c.get(c.k.files.limit) {
			return c.dup(use, int(least), (c.a[1]/fDupfdCloexec)*oCloexec)
		}
		return einval
	case fGetfd:
		return min(c.get(&slot.cloexec), 1)
	case fSetfd:
		c.set(&slot.cloexec, c.a[2]&1*oCloexec)
		return 0
	case fSetpipeSize, fGetpipeSize:
		return c.pipeSize(use)
	case fGetlk, fSetlk, fSetlkw:
		return c.recordLock(use)
	}
	if c.a[1] > fLast {
		return einval
	}
	switch {
	case use == useStdout || use == useStderr:
		return 1 // O_WRONLY
	case use < useFile:
		return 0
	}
	d := c.k.files.descriptions[use-useFile]
	if o, _ := c.object(use); o == nil && c.a[1] == fGetfl {
		return c.get(&d.status) | forcedLargefile
	}
	if c.a[1] == fSetfl {
		c.k.files.setNonblocking(d, c.a[2]&oNonblock)
		c.set(&d.status, c.get(&d.status)&^oAppend|c.a[2]&oAppend)
		return 0
	}
	return c.get(&d.status)
}

func (f *files) setNonblocking(d *description, on uint64) {
	if on != 0 {
		on = oNonblock
	}
	f.log.Set(&d.status, f.log.Get(&d.status)&^oNonblock|on)
}
