package dap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// GDB is a gdb that speaks its machine interface.
type GDB struct {
	w    io.Writer
	stop func(tuple) // called for each stop, from the goroutine that reads

	mu      sync.Mutex
	token   int
	waiting map[int]chan record
	console strings.Builder // gdb's text for people, since it was taken
	over    bool
}

// newGDB reads what a gdb says from r, and asks it by w.
func newGDB(r io.Reader, w io.Writer, stop func(tuple)) *GDB {
	g := &GDB{w: w, stop: stop, waiting: map[int]chan record{}}
	go g.listen(r)
	return g
}

func (g *GDB) listen(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		record, ok, err := parseRecord(strings.TrimRight(line, "\r\n"))
		if !ok || err != nil {
			continue // the prompt, or a line of the system's about gdb
		}
		g.hear(record)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
	for _, c := range g.waiting {
		close(c)
	}
	clear(g.waiting)
}

func (g *GDB) hear(r record) {
	switch {
	case r.kind == '*' && r.class == "stopped":
		g.stop(r.results)
		return
	case r.kind == '~' || r.kind == '@':
		g.mu.Lock()
		g.console.WriteString(r.text)
		g.mu.Unlock()
		return
	case r.kind != '^':
		return
	}
	g.mu.Lock()
	c := g.waiting[r.token]
	delete(g.waiting, r.token)
	g.mu.Unlock()
	if c != nil {
		c <- r
	}
}

var errOver = errors.New("gdb has ended")

// ask has a command carried out and returns its results.
func (g *GDB) ask(format string, args ...any) (tuple, error) {
	g.mu.Lock()
	if g.over {
		g.mu.Unlock()
		return nil, errOver
	}
	g.token++
	c := make(chan record, 1)
	g.waiting[g.token] = c
	_, err := fmt.Fprintf(g.w, "%d%s\n", g.token, fmt.Sprintf(format, args...))
	g.mu.Unlock()
	if err != nil {
		return nil, err
	}
	r, ok := <-c
	switch {
	case !ok:
		return nil, errOver
	case r.class == "error":
		return nil, errors.New(r.results.text("msg"))
	}
	return r.results, nil
}

// said is gdb's text for people since the last call.
func (g *GDB) said() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	text := g.console.String()
	g.console.Reset()
	return text
}
