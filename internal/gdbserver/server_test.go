package gdbserver

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"landgo/internal/debugger"
)

// fake is a run of ten ticks: two threads take turns, thread 1 first. Tick i is at
// 0x1000+i; tick 5 writes to 0x2000.
type fake struct {
	at, current int
	asked       debugger.Order // the last
	interrupted chan bool
	endless     bool // a Go without steps ends by an interrupt only
	wide        bool
}

func newFake() *fake { return &fake{at: 10, current: 1, interrupted: make(chan bool, 1), wide: true} }

func (f *fake) Describe() (*debugger.Description, error) {
	return &debugger.Description{Guest: "/g", Wide: f.wide, Linux: f.wide, Bias: 0x400000, Signal: 6, ThreadLocal: 0x40, Auxv: []byte{9, 0x23}}, nil
}

func (f *fake) Threads() (*debugger.Threads, error) {
	return &debugger.Threads{Current: f.current, Ended: f.at == 10, All: []debugger.Thread{{Number: 1, Name: "0 main", About: "waits for <m>"}, {Number: 2, Name: "0.1 add", About: "runs"}}}, nil
}

func (f *fake) Registers(thread int) (*debugger.Registers, error) {
	if thread != 1 && thread != 2 {
		return nil, errors.New("no such thread")
	}
	r := &debugger.Registers{X87: make([]byte, 80), XMM: make([]byte, 256)}
	r.RIP, r.FSBase = 0x1000+uint64(f.at), 0x7000
	r.RAX = uint64(thread)
	return r, nil
}

func (f *fake) Memory(addr, size uint64) ([]byte, error) {
	if addr < 0x1000 {
		return nil, errors.New("nothing there")
	}
	return bytes.Repeat([]byte{byte(addr)}, int(size)), nil
}

func (f *fake) Go(o debugger.Order) (*debugger.Stop, error) {
	f.asked = o
	if f.endless && o.Step == 0 {
		<-f.interrupted
		return &debugger.Stop{Why: debugger.Interrupted, Thread: 1, Moved: true}, nil
	}
	from := f.at
	for {
		if o.Back {
			f.at--
		}
		if f.at < 0 || f.at > 9 {
			f.at = max(min(f.at, 10), 0)
			return &debugger.Stop{Why: map[bool]debugger.Why{true: debugger.AtBegin, false: debugger.AtEnd}[o.Back], Thread: 1, Moved: f.at != from}, nil
		}
		tick, thread := f.at, f.at%2+1
		if !o.Back {
			f.at++
		}
		for i, w := range o.Watches {
			if tick == 5 && w.Write && w.Addr == 0x2000 {
				return &debugger.Stop{Why: debugger.AtWatch, Thread: thread, Watch: i, Moved: true}, nil
			}
		}
		if o.Step == thread {
			return &debugger.Stop{Why: debugger.AtStep, Thread: thread, Moved: true}, nil
		}
	}
}

func (f *fake) Tell(q debugger.Question) (string, error) {
	return fmt.Sprintf("%q\n", q.Words), nil
}

func (f *fake) Interrupt() {
	select {
	case f.interrupted <- true:
	default:
	}
}

// gdb is the other end of a server's connection.
type gdb struct {
	t    *testing.T
	conn *conn
	raw  net.Conn
	over chan error
}

func connect(t *testing.T, f debugger.Target) *gdb {
	a, b := net.Pipe()
	g := &gdb{t: t, conn: newConn(b), raw: b, over: make(chan error, 1)}
	go func() {
		g.over <- Serve(a, f)
		a.Close()
	}()
	t.Cleanup(func() { b.Close() })
	if got := g.ask("QStartNoAckMode"); got != "OK" {
		t.Fatalf("QStartNoAckMode: %q", got)
	}
	g.conn.quiet()
	return g
}

// ask sends a packet and returns the reply.
func (g *gdb) ask(p string) string {
	g.t.Helper()
	g.raw.SetDeadline(time.Now().Add(20 * time.Second))
	if err := g.conn.write(p); err != nil {
		g.t.Fatal(err)
	}
	return g.hear()
}

func (g *gdb) hear() string {
	g.t.Helper()
	e, err := g.conn.read()
	if err != nil {
		g.t.Fatal(err)
	}
	return e.packet
}

// TestPackets: what gdb asks, and is told.
func TestPackets(t *testing.T) {
	g := connect(t, newFake())
	for _, c := range []struct{ asks, told string }{
		{"vMustReplyEmpty", ""},
		{"?", "T06thread:1;"},
		{"qC", "QC1"},
		{"qAttached", "1"},
		{"qOffsets", "Text=400000;Data=400000;Bss=400000"},
		{"qfThreadInfo", "m1,2"},
		{"qsThreadInfo", "l"},
		{"T2", "OK"},
		{"T3", "E01"},
		{"vCont?", "vCont;c;C;s;S;r"},
		{"m1234,3", "343434"},
		{"m10,3", "E01"},
		{"M2000,1:ff", "E01"},
		{"X2000,0:", "OK"},
		{"X2000,1:a", "E01"},
		{"P0=00", "E01"},
		{"Hg2", "OK"},
		{"p0", "0200000000000000"},
		{"p10", "0a10000000000000"},
		{"qGetTLSAddr:2,8,0", "6fc8"},
		{"Hg9", "OK"},
		{"p0", "E01"},
		{"Hg0", "OK"},
		{"Z9,2000,4", ""},
		{"Z2,2000,4", "OK"},
		{"bc", "T05thread:2;watch:2000;"},
		{"?", "T05thread:2;watch:2000;"},
		{"vCont;c", "T05thread:2;watch:2000;"},
		{"z2,2000,4", "OK"},
		{"bc", "T05thread:1;replaylog:begin;"},
		{"bs", "T05thread:1;replaylog:begin;"},
		{"vCont;s:2;c", "T05thread:2;"},
		{"vCont;C0b:1", "T06thread:1;"},
		{"c", "T05thread:1;replaylog:end;"},
		{"Hc2", "OK"},
		{"bs", "T05thread:2;"},
		{"vCont;x", "E01"},
		{"vCont;s:zz", "E01"},
		{"Z0,1005", "E01"},
		{"Z", "E01"},
		{"qXfer:exec-file:read::0,ff", "l/g"},
		{"qXfer:auxv:read::0,ff", "l\x09\x23"},
		{"qXfer:features:read:target.xml:0,5", "m<?xml"},
		{"qXfer:threads:read::0,3fff", `l<?xml version="1.0"?><threads><thread id="1" name="0 main">waits for &lt;m&gt;</thread><thread id="2" name="0.1 add">runs</thread></threads>`},
		{"qXfer:threads:read::3fff,10", "l"},
		{"qXfer:threads:write::0,10", ""},
		{"qThreadExtraInfo,2", hex.EncodeToString([]byte("0.1 add: runs"))},
		{"qRcmd," + hex.EncodeToString([]byte("at 7")), "O" + hex.EncodeToString([]byte("[\"at\" \"7\"]\n"))},
	} {
		if got := g.ask(c.asks); got != c.told {
			t.Errorf("%s: %q, want %q", c.asks, got, c.told)
		}
	}
	if got := g.hear(); got != "OK" {
		t.Errorf("behind the console's text: %q", got)
	}
	if got := g.ask("D"); got != "OK" {
		t.Errorf("D: %q", got)
	}
	if err := <-g.over; err != nil {
		t.Errorf("a detached server: %v", err)
	}
}

// TestLateTarget: gdb's first questions are answered before there is a target, and the
// others as soon as there is.
func TestLateTarget(t *testing.T) {
	a, b := net.Pipe()
	defer b.Close()
	ready := make(chan debugger.Target, 1)
	over := make(chan error, 1)
	go func() { over <- ServeWhen(a, ready, nil) }()
	g := &gdb{t: t, conn: newConn(b), raw: b}
	for _, p := range []string{"QStartNoAckMode", "qSupported:swbreak+", "vMustReplyEmpty"} {
		g.ask(p)
		g.conn.quiet()
	}
	ready <- newFake()
	if got := g.ask("?"); got != "T06thread:1;" {
		t.Errorf("?: %q", got)
	}
	b.Close()
	if err := <-over; err != nil {
		t.Error(err)
	}
	a, c := net.Pipe()
	defer c.Close()
	none := make(chan debugger.Target)
	close(none)
	go func() { over <- ServeWhen(a, none, nil) }()
	c.Write([]byte("$?#3f"))
	go io.Copy(io.Discard, c)
	if err := <-over; err != nil {
		t.Errorf("without a target: %v", err)
	}
}

// TestRange: a range's step is passed on, with the breakpoints.
func TestRange(t *testing.T) {
	f := newFake()
	g := connect(t, f)
	g.ask("bc")
	for _, p := range []string{"Z0,1004,1", "Z1,1008,1", "Z0,1004,1", "z0,1008,1"} {
		g.ask(p)
	}
	g.ask("vCont;r1000,1010:2;c")
	if o := f.asked; o.Step != 2 || o.Low != 0x1000 || o.High != 0x1010 || len(o.Breaks) != 1 || o.Breaks[0] != 0x1004 {
		t.Errorf("%+v", o)
	}
}

// TestWrites: where gdb's user reads what landgo notes, memory that was written is seen as
// long as the run stands, and no longer. Registers can't be written.
func TestWrites(t *testing.T) {
	a, b := net.Pipe()
	defer b.Close()
	f := newFake()
	ready := make(chan debugger.Target, 1)
	ready <- f
	var notes bytes.Buffer
	over := make(chan error, 1)
	go func() { over <- ServeWhen(a, ready, &notes) }()
	g := &gdb{t: t, conn: newConn(b), raw: b}
	g.ask("QStartNoAckMode")
	g.conn.quiet()
	for _, c := range []struct{ asks, told string }{
		{"?", "T06thread:1;"},
		{"M1234,2:beef", "OK"},
		{"m1233,4", "33beef33"},
		{"X1233,1:a", "OK"},
		{"m1233,4", "61beef33"},
		{"M1234,2:be", "E01"}, // too short
		{"M1234,1:xx", "E01"},
		{"M1234", "E01"},
		{"M10,1:00", "E01"}, // nothing is there
		{"P0=00", "E01"},
		{"bs", "T05thread:1;"},
		{"m1233,4", "33333333"},
		{"D", "OK"},
	} {
		if got := g.ask(c.asks); got != c.told {
			t.Errorf("%s: %q, want %q", c.asks, got, c.told)
		}
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
	if want := 2; strings.Count(notes.String(), "the run is recorded") != want || !strings.Contains(notes.String(), "0x1233") {
		t.Errorf("%d notes are due:\n%s", want, &notes)
	}
}

// TestInterrupt: gdb's interrupt ends a run that doesn't end.
func TestInterrupt(t *testing.T) {
	f := newFake()
	f.endless = true
	g := connect(t, f)
	if err := g.conn.write("bc"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.raw.Write([]byte{interrupt}); err != nil {
		t.Fatal(err)
	}
	if got := g.hear(); got != "T02thread:1;" {
		t.Errorf("%q", got)
	}
}

// TestAcknowledged: a damaged packet is asked for again, and a reply that gdb has got
// damaged is sent again.
func TestAcknowledged(t *testing.T) {
	a, b := net.Pipe()
	defer b.Close()
	go func() {
		Serve(a, newFake())
		a.Close()
	}()
	b.SetDeadline(time.Now().Add(20 * time.Second))
	expect := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(b, got); err != nil || string(got) != want {
			t.Fatalf("%q (%v), want %q", got, err, want)
		}
	}
	b.Write([]byte("$qC#00"))
	expect("-")
	b.Write([]byte("$qC#b4"))
	expect("+$QC1#c5")
	b.Write([]byte("-"))
	expect("$QC1#c5")
}

// TestRegisters: the packet g has as many bytes as target.xml says.
func TestRegisters(t *testing.T) {
	for _, wide := range []bool{true, false} {
		f := newFake()
		f.wide = wide
		g := connect(t, f)
		bits := 0
		var xml strings.Builder
		for offset := 0; ; offset += 0x800 {
			part := g.ask(fmt.Sprintf("qXfer:features:read:target.xml:%x,800", offset))
			xml.WriteString(part[1:])
			if part[0] == 'l' {
				break
			}
		}
		for _, f := range strings.Split(xml.String(), `bitsize="`)[1:] {
			n := 0
			fmt.Sscanf(f, "%d", &n)
			bits += n
		}
		if got := g.ask("g"); len(got)*4 != bits || bits == 0 {
			t.Errorf("wide %v: %d bits, target.xml says %d", wide, len(got)*4, bits)
		}
	}
}

// FuzzServer: no bytes of a connection's make the server fail, but for the end.
func FuzzServer(f *testing.F) {
	f.Add([]byte("$qSupported#37$g#67\x03$vCont;s:2;c#c1"))
	f.Add([]byte("$Z0,1005,1#00$bc#c5$bs#d5-+"))
	f.Add([]byte("$qXfer:threads:read::0,fff#00"))
	f.Fuzz(func(t *testing.T, p []byte) {
		ready := make(chan debugger.Target, 1)
		ready <- newFake()
		s := &server{ready: ready, conn: newConn(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(p), io.Discard})}
		if err := s.begin(); err != nil {
			t.Fatal(err)
		}
		for {
			e, err := s.conn.read()
			if err != nil {
				break
			}
			if _, err := s.answer(e.packet); err != nil && !errors.Is(err, errLeft) {
				t.Fatal(err)
			}
		}
		for _, packet := range strings.Split(string(p), "$") { // whatever their checksums
			if _, err := s.answer(packet); err != nil && !errors.Is(err, errLeft) {
				t.Fatal(err)
			}
		}
	})
}
