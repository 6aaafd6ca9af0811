package main

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"landgo/internal/result"
)

// sink is standard output, and remembers whether all that was written got
// there: help and completions are written by code that doesn't ask.
type sink struct {
	io.Writer
	err error // the first
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		return len(p), nil // the reader has seen enough: landgo run ... | head
	}
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

// failed is the error for output that didn't get to its place, or nil.
func (s *sink) failed() error {
	err := s.err
	if err == nil {
		return nil
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return result.Errorf(result.NoOutput, "can't write the result to standard output: %w", err)
}
