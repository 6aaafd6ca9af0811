package linux

import "testing"

// TestOwnMask: a call with a mask sleeps under it, has its thread make it again for a signal, and ends
// with the thread's own mask in the handler's frame.
func TestOwnMask(t *testing.T) {
	c := newCaller(t, Config{})
	id := c.spawn(0, dataPage+8)
	c.stack(id)
	c.handle(sigUsr1, 0, 0)
	c.block(id, bit(sigUsr1))
	at := c.timespec(word, 0, 0) // the empty set
	th := c.k.roster.threads[id]
	if _, o := c.choose1(0, id, sysPpoll, 0, 0, 0, at, 8); !o.Sleep {
		t.Fatalf("%+v", o)
	}
	c.want("the mask in the call", th.blocked.Peek(), 0)
	if _, o := c.choose1(0, 0, sysTkill, firstNumber+1, sigUsr1); len(o.Wakes) != 1 {
		t.Errorf("woke %v", o.Wakes)
	}
	r := &c.threads[id].regs
	c.want("it stands before its call", r.RAX, sysPpoll)
	c.do(id, sysPpoll, 0, 0, 0, at, 8)
	c.want("handler", r.RIP, handlerPC)
	r.RSP += 8
	c.do(id, nrSigreturn)
	c.want("result", r.RAX, eintr)
	c.want("the mask again", th.blocked.Peek(), bit(sigUsr1))
}

// TestWrongMask: what Linux says to masks that it can't read.
func TestWrongMask(t *testing.T) {
	c := newCaller(t, Config{})
	at, none := c.timespec(word, 0, 0), c.timespec(word2, 0, 0)
	bad := c.timespec(word2+16, 0, second)
	c.want("a set of 7 bytes", c.do(0, sysPpoll, 0, 0, none, at, 7), einval)
	c.want("a set nowhere", c.do(0, sysPpoll, 0, 0, none, 8, 8), efault)
	c.want("a wrong time first", c.do(0, sysPpoll, 0, 0, bad, 8, 8), einval)
	c.want("no set", c.do(0, sysPpoll, 0, 0, none, 0, 7), 0)
	c.want("a pair nowhere", c.do(0, sysPselect6, 0, 0, 0, 0, none, 8), efault)
	c.m.Write(dataPage+0x700, pair(at, 7))
	c.want("a pair with a set of 7 bytes", c.do(0, sysPselect6, 0, 0, 0, 0, none, dataPage+0x700), einval)
	c.want("epoll_pwait looks at its set first", c.do(0, sysEpollPwait, 99, 0, 0, 0, at, 7), einval)
	c.want("and at the epoll then", c.do(0, sysEpollPwait, 99, at, 1, 0, at, 8), ebadf)
}
