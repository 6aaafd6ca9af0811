package main

import (
	"io"
	"strings"
	"sync"
)

// oncePerLine writes each line once: what is missing for one engine is for all.
type oncePerLine struct {
	w    io.Writer
	mu   sync.Mutex
	seen map[string]bool
}

func (o *oncePerLine) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	line := strings.TrimSpace(string(p))
	if o.seen[line] {
		return len(p), nil
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[line] = true
	return o.w.Write(p)
}
