package gdbserver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxPacket bounds a packet of gdb's, and ours, in bytes of text. It is in hexadecimal
// among what qSupported says.
const maxPacket = 0x4000

// conn is a connection to gdb.
type conn struct {
	r *bufio.Reader

	mu    sync.Mutex // of writing
	w     io.Writer
	last  []byte
	noAck bool
}

func newConn(rw io.ReadWriter) *conn { return &conn{r: bufio.NewReader(rw), w: rw} }

// interrupt is the byte that gdb sends, outside of packets, to stop a run.
const interrupt = 0x03

// event is a packet, or an interrupt.
type event struct {
	packet    string
	interrupt bool
}

// read waits for what comes next, and acknowledges it.
func (c *conn) read() (event, error) {
	for {
		b, err := c.r.ReadByte()
		if err != nil {
			return event{}, err
		}
		switch b {
		case interrupt:
			return event{interrupt: true}, nil
		case '-':
			if err := c.again(); err != nil {
				return event{}, err
			}
		case '$':
			text, ok, err := c.body()
			if err != nil {
				return event{}, err
			}
			if err := c.acknowledge(ok); err != nil {
				return event{}, err
			}
			if ok {
				return event{packet: text}, nil
			}
		}
	}
}

// body reads a packet after its dollar sign, and reports whether its checksum is right.
func (c *conn) body() (text string, ok bool, err error) {
	var b bytes.Buffer
	sum, escaped := byte(0), false
	for {
		x, err := c.r.ReadByte()
		if err != nil {
			return "", false, err
		}
		if x == '#' {
			break
		}
		if b.Len() > maxPacket {
			return "", false, fmt.Errorf("gdb sent a packet of more than %d bytes", maxPacket)
		}
		sum += x
		switch {
		case escaped:
			b.WriteByte(x ^ 0x20)
			escaped = false
		case x == '}':
			escaped = true
		default:
			b.WriteByte(x)
		}
	}
	var given [2]byte
	if _, err := io.ReadFull(c.r, given[:]); err != nil {
		return "", false, err
	}
	return b.String(), string(given[:]) == fmt.Sprintf("%02x", sum), nil
}

func (c *conn) acknowledge(ok bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.noAck {
		return nil
	}
	b := []byte{'+'}
	if !ok {
		b[0] = '-'
	}
	_, err := c.w.Write(b)
	return err
}

// write sends a packet.
func (c *conn) write(text string) error {
	var b bytes.Buffer
	b.WriteByte('$')
	sum := byte(0)
	put := func(x byte) { b.WriteByte(x); sum += x }
	for i := range len(text) {
		switch x := text[i]; x {
		case '$', '#', '}', '*':
			put('}')
			put(x ^ 0x20)
		default:
			put(x)
		}
	}
	fmt.Fprintf(&b, "#%02x", sum)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = b.Bytes()
	_, err := c.w.Write(c.last)
	return err
}

// again sends the last packet once more, which gdb has got damaged.
func (c *conn) again() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.w.Write(c.last)
	return err
}

// quiet ends the acknowledging.
func (c *conn) quiet() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noAck = true
}
