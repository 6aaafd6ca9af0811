package queue

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"landgo/internal/explore/config"
	"landgo/internal/grade"
	"landgo/internal/grade/flags"
	"landgo/internal/wire"
)

// lending is a search that lends parts at a server of this process, and workers.
type lending struct {
	t      *testing.T
	dir    string
	server *Server
	queue  flags.Queue
	lender *wire.Lender
	lent   *Lent
	end    func()
	said   atomic.Value
}

func lend(t *testing.T) *lending {
	t.Helper()
	l := &lending{t: t, dir: t.TempDir()}
	l.queue.DeadAfter = time.Second
	var err error
	if l.server, err = Serve("127.0.0.1:0", filepath.Join(l.dir, "nats"), &l.queue); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.server.Close)
	l.queue.URLs = []string{l.server.URL()}
	guest, in := filepath.Join(l.dir, "guest"), filepath.Join(l.dir, "in")
	for path, text := range map[string]string{guest: "a program", in: "its input"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	q, err := Open(context.Background(), Options{Queue: l.queue, Version: "v", Server: l.server, Say: func(s string) { l.said.Store(s) }})
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Guest, c.Stdin, c.Snapshot, c.LibraryPath = guest, in, "/secret", []string{"/etc"}
	if l.lent, err = q.Lend(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	front, engine, err := wire.Pair()
	if err != nil {
		t.Fatal(err)
	}
	own, err := wire.Of(engine)
	if err != nil {
		t.Fatal(err)
	}
	l.lender = wire.Lend(own)
	over := make(chan bool)
	go func() {
		defer close(over)
		l.lent.Run(context.Background(), front)
	}()
	l.end = func() {
		own.Close()
		<-over
		q.Close()
	}
	return l
}

// helped has a worker whose engines do work, until the returned function is called.
func (l *lending) helped(work func(part []byte) ([]byte, error), dies func() bool) (end func()) {
	q, err := Open(context.Background(), Options{Queue: l.queue, Version: "v"})
	if err != nil {
		l.t.Fatal(err)
	}
	store, err := grade.OpenStore(l.t.TempDir())
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Add(1)
	go func() {
		defer all.Done()
		err := q.Help(ctx, Helping{Store: store, Start: func(_ context.Context, c config.Config) (*wire.Conn, func(), error) {
			guest, err1 := os.ReadFile(c.Guest)
			in, err2 := os.ReadFile(c.Stdin)
			if string(guest) != "a program" || string(in) != "its input" || c.Snapshot != "" || c.LibraryPath != nil {
				l.t.Errorf("%q %q %v %v %+v", guest, in, err1, err2, c)
			}
			near, far, err := wire.Pair()
			if err != nil {
				return nil, nil, err
			}
			conn, err := wire.Of(far)
			go wire.Work(conn, func(part []byte) ([]byte, error) {
				if dies() {
					conn.Close()
				}
				return work(part)
			})
			return near, func() { conn.Close() }, err
		}})
		if err != nil {
			l.t.Error(err)
		}
	}()
	return func() {
		cancel()
		all.Wait()
		q.Close()
		store.Close()
	}
}

// TestParts: parts of a search reach a worker with the program and its input. Their
// results come back, however long they are, also where engines die. Nothing of a batch
// comes back after it is over.
func TestParts(t *testing.T) {
	l := lend(t)
	defer l.end()
	var n atomic.Int64
	twice := func(part []byte) ([]byte, error) { return append(bytes.Clone(part), part...), nil }
	defer l.helped(twice, func() bool { return n.Add(1)%4 == 2 })()
	r := rand.New(rand.NewSource(1))
	long := make([]byte, 2<<20) // no compression helps
	r.Read(long)
	for batch := range 3 {
		parts := [][]byte{[]byte("a"), long, []byte("b"), bytes.Repeat([]byte("c"), 100+batch)}
		var mu sync.Mutex
		got := map[int][]byte{}
		all := make(chan bool)
		l.lender.Offer(parts, func(part int, result []byte) {
			mu.Lock()
			defer mu.Unlock()
			if got[part] != nil {
				t.Errorf("part %d comes twice", part)
			}
			if got[part] = result; len(got) == len(parts) {
				close(all)
			}
		})
		select {
		case <-all:
		case <-time.After(20 * time.Second):
			t.Fatalf("%d parts came back", len(got))
		}
		l.lender.Over()
		for i, p := range parts {
			if want, _ := twice(p); !bytes.Equal(got[i], want) {
				t.Errorf("part %d came to %d bytes", i, len(got[i]))
			}
		}
	}
	if told := l.lent.Told(); told != "another worker did 12 parts of the search" {
		t.Error(told)
	}
}

// TestPartsOver: a part that is worked on when its batch is over is dropped, and those that wait
// aren't begun; what can't be worked on is reported once.
func TestPartsOver(t *testing.T) {
	l := lend(t)
	defer l.end()
	begun := make(chan bool, 10)
	hold := make(chan bool)
	end := l.helped(func(part []byte) ([]byte, error) {
		if string(part) == "new" {
			return nil, errors.New("no such program here")
		}
		begun <- true
		<-hold
		return part, nil
	}, func() bool { return false })
	defer end()
	l.lender.Offer([][]byte{[]byte("a"), []byte("b")}, func(int, []byte) { t.Error("it came back") })
	<-begun
	l.lender.Over()
	time.Sleep(100 * time.Millisecond)
	close(hold)
	l.lender.Offer([][]byte{[]byte("new")}, func(int, []byte) { t.Error("it came back") })
	for begin := time.Now(); l.said.Load() == nil || !strings.Contains(l.said.Load().(string), "no such program"); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("nothing was told")
		}
	}
	if len(begun) > 0 {
		t.Error("a part was begun that the search didn't want")
	}
}
