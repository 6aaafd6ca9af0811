package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Socket is the descriptor over which a started process talks: the first beside the standard ones.
const Socket = 3

// maxMessage bounds a message, in bytes: a result with a story of many thousand steps
// is smaller.
const maxMessage = 256 << 20

// maxValues bounds the values in a message: each takes memory beside its text.
const maxValues = 4 << 20

// values is how many values a message has, at the most.
func values(text []byte) (n int) {
	for _, mark := range []string{",", "[", "{"} {
		n += bytes.Count(text, []byte(mark))
	}
	return n
}

// Conn is one end of the socket. Send may be called from any goroutine, Receive from
// one.
type Conn struct {
	fd int

	life   sync.Mutex
	users  int  // calls under way
	closed bool // the last of them gives the descriptor back: a number that is free may be another socket's

	mu     sync.Mutex // of Send
	parked []*os.File // descriptors that came with the bytes read last
}

// Pair makes a front's end, and the other as a file, for a child.
func Pair() (front *Conn, engine *os.File, err error) {
	fds, err := sockets()
	if err != nil {
		return nil, nil, err
	}
	return &Conn{fd: fds[0]}, os.NewFile(uintptr(fds[1]), "engine"), nil
}

// Sockets are both ends as files, for two children.
func Sockets() (one, other *os.File, err error) {
	fds, err := sockets()
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "one"), os.NewFile(uintptr(fds[1]), "other"), nil
}

func sockets() (fds [2]int, err error) {
	fds, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		err = fmt.Errorf("no socket for the engine: %w", err)
	}
	return fds, err
}

// Open makes an end of a descriptor that the process was started with.
func Open(fd int) *Conn {
	unix.CloseOnExec(fd)
	return &Conn{fd: fd}
}

// Close ends both directions: the other end reads io.EOF.
func (c *Conn) Close() (err error) {
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	unix.Shutdown(c.fd, unix.SHUT_RDWR) // a Receive in another goroutine returns
	if c.users == 0 {
		err = unix.Close(c.fd)
	}
	return err
}

// enter begins a call that uses the descriptor, unless it is closed.
func (c *Conn) enter() bool {
	c.life.Lock()
	defer c.life.Unlock()
	if !c.closed {
		c.users++
	}
	return !c.closed
}

func (c *Conn) leave() {
	c.life.Lock()
	defer c.life.Unlock()
	if c.users--; c.closed && c.users == 0 {
		unix.Close(c.fd)
	}
}

// Send sends a message, and the files' descriptors beside it.
func (c *Conn) Send(message any, files ...*os.File) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if len(text) > maxMessage {
		return fmt.Errorf("a message of %d MiB", len(text)>>20)
	}
	whole := append(binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(text)), uint32(len(text))), text...)
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	if !c.enter() {
		return io.ErrClosedPipe
	}
	defer c.leave()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(whole) > 0 {
		n, err := unix.SendmsgN(c.fd, whole, rights, nil, unix.MSG_NOSIGNAL)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		whole, rights = whole[n:], nil
	}
	return nil
}

// Receive waits for the next message and returns the files that came with it, which
// are the caller's. The error is io.EOF where the other end is closed or gone.
func (c *Conn) Receive(message any) ([]*os.File, error) {
	if !c.enter() {
		return nil, io.EOF
	}
	defer c.leave()
	var head [4]byte
	if err := c.fill(head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxMessage {
		return nil, fmt.Errorf("a message of %d MiB", n>>20)
	}
	text := make([]byte, n)
	if err := c.fill(text); err != nil {
		return nil, err
	}
	files := c.parked
	c.parked = nil
	if values(text) > maxValues {
		closeAll(files)
		return nil, errMuch
	}
	if err := json.Unmarshal(text, message); err != nil {
		closeAll(files)
		return nil, fmt.Errorf("a message that can't be read: %w", err)
	}
	return files, nil
}

// fill reads all of buf, and parks the descriptors that come with it.
func (c *Conn) fill(buf []byte) error {
	rights := make([]byte, unix.CmsgSpace(4*maxFiles))
	for len(buf) > 0 {
		n, oob, _, _, err := unix.Recvmsg(c.fd, buf, rights, unix.MSG_CMSG_CLOEXEC)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.ECONNRESET: // it died
			return io.EOF
		case err != nil:
			return err
		case n == 0:
			return io.EOF
		}
		c.park(rights[:oob])
		buf = buf[n:]
	}
	return nil
}

// maxFiles is how many descriptors come with a message.
const maxFiles = 4

func (c *Conn) park(rights []byte) {
	if len(rights) == 0 {
		return
	}
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			c.parked = append(c.parked, os.NewFile(uintptr(fd), "passed"))
		}
	}
	if len(c.parked) > maxFiles { // the engine may be hostile
		closeAll(c.parked[maxFiles:])
		c.parked = c.parked[:maxFiles]
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
