package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landgo/internal/confine"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// TestMain is an engine, too: one that does what the guest's name says.
func TestMain(m *testing.M) {
	if os.Args[0] != Name {
		os.Exit(m.Run())
	}
	conn := wire.Open(3)
	conn.Send(wire.FromEngine{Hello: &wire.Hello{Protocol: wire.Protocol, Version: result.Version, Build: "b"}})
	var first wire.ToEngine
	for first.Request == nil { // an interruption may come before it
		if _, err := conn.Receive(&first); err != nil {
			os.Exit(1)
		}
	}
	conn.Send(wire.FromEngine{Confined: &wire.Confined{}})
	conn.Send(wire.FromEngine{SoFar: wire.ResultOf(&result.Result{Verdict: result.Buggy})})
	switch filepath.Base(first.Request.Config.Value.Guest) {
	case "ends":
		conn.Send(wire.FromEngine{End: &wire.End{Result: wire.ResultOf(&result.Result{Verdict: result.Verified})}})
	case "dies":
		fmt.Fprintln(os.Stderr, "the reason")
		os.Exit(9)
	case "late":
		conn.Send(wire.FromEngine{Late: result.OutOfMemory})
		time.Sleep(time.Minute)
	case "hangs":
		time.Sleep(time.Minute)
	}
	os.Exit(0)
}

type heard struct{ soFar int }

func (h *heard) Progress(result.Progress) {}
func (h *heard) SoFar(*result.Result)     { h.soFar++ }
func (h *heard) Late(result.ErrorKind)    {}

// TestKillLate: an engine that goes on after a limit is ended, and what it had found is
// told before; one that dies is a fault, with its last words.
func TestKillLate(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		guest string
		kind  result.ErrorKind
		in    time.Duration
	}{
		{"ends", "", time.Second}, {"dies", result.Fault, 3 * time.Second}, {"late", result.OutOfMemory, 10 * time.Second}, {"hangs", result.OutOfTime, 10 * time.Second}, {"cancelled", result.Interrupted, 10 * time.Second},
	} {
		e := &Engine{Stderr: io.Discard, Build: "b", Program: self, KillLate: true}
		cfg := config.Default()
		cfg.Guest, cfg.Confine, cfg.Time = c.guest, confine.Off, 10*time.Second
		ctx, cancel := context.WithCancel(context.Background())
		switch c.guest {
		case "hangs":
			cfg.Time = 100 * time.Millisecond
		case "cancelled":
			cfg.Guest = "hangs"
			time.AfterFunc(100*time.Millisecond, cancel)
		}
		h := &heard{}
		begin := time.Now()
		r, err := e.Run(ctx, cfg, h)
		cancel()
		if took := time.Since(begin); took > c.in+5*time.Second {
			t.Errorf("%s took %v", c.guest, took)
		}
		if c.kind == "" {
			if err != nil || r.Verdict != result.Verified {
				t.Errorf("%s: %v, %v", c.guest, r, err)
			}
		} else if err == nil || result.KindOf(err) != c.kind {
			t.Errorf("%s: %v, want %s", c.guest, err, c.kind)
		}
		if failed, ok := err.(*wire.Failed); c.guest == "dies" && (!ok || !strings.Contains(failed.Stack, "the reason")) {
			t.Errorf("%s: %v", c.guest, err)
		}
		if h.soFar != 1 {
			t.Errorf("%s: told %d results so far", c.guest, h.soFar)
		}
	}
	e := &Engine{Stderr: io.Discard, Build: "another", Program: self}
	if _, err := e.Run(context.Background(), config.Config{Limits: config.Limits{Confine: confine.Off}}, &heard{}); result.KindOf(err) != result.BadEngine {
		t.Errorf("another build's engine: %v", err)
	}
}

// TestLibraries: a guest's own folder has libraries of its own, unless it has files of
// others.
func TestLibraries(t *testing.T) {
	c := config.Default()
	c.Guest = "/lab/run/guests/1234"
	for _, only := range []bool{false, true} {
		k := keeperOf(&c, only)
		for _, folder := range []string{"/lab/run/guests", "/lab/run"} {
			if slices.Contains(k.Libraries.Folders, folder) == only {
				t.Errorf("system's alone: %v: %q", only, k.Libraries.Folders)
			}
		}
		if !slices.Contains(k.Libraries.Folders, "/usr") {
			t.Errorf("%q", k.Libraries.Folders)
		}
	}
}

// TestAhead: the first call takes the engine that was started ahead, unless it isn't to be
// confined; each later call has one of its own.
func TestAhead(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []confine.Level{confine.Best, confine.Off} {
		e := &Engine{Stderr: io.Discard, Build: "b", Program: self}
		e.Ahead()
		<-e.ahead.done
		if e.ahead.err != nil {
			t.Fatal(e.ahead.err)
		}
		early, copied := e.ahead.child, *e
		for i := range 3 {
			by := []*Engine{e, &copied, e}[i]
			c, err := by.engine(level)
			if err != nil {
				t.Fatal(err)
			}
			if took, want := c == early, i == 0 && level != confine.Off; took != want {
				t.Errorf("level %q, call %d: took the one that was started ahead: %v", level, i, took)
			}
			c.end()
		}
		select {
		case <-early.over:
		default:
			t.Errorf("level %q: the engine that was started ahead goes on", level)
		}
	}
}
