package main

import (
	"fmt"
	"os"
	"time"
)

// kernels measures the small kernel: executions with points where interrupts go
// off and come on, and the time from exec to the end of one execution. The
// latter is with a boot of five million instructions (memtest=3), and with a
// kept boot of that length and of ten times as many.
func kernels(runs int, show printer) error {
	const (
		path      = "bin/guests/kernel/kernel"
		most      = 10_000
		least     = 2_000 // executions a second
		bootLimit = 300 * time.Millisecond
		keptLimit = 100 * time.Millisecond
	)
	s, err := median(runs, "--pp", "cli,sti", "--race", "off", "--max-executions", fmt.Sprint(most), "--cmdline", "test=buffer", path)
	if err != nil {
		return err
	}
	if s.Executions != most {
		return wrong(path, s, most)
	}
	show("buffer, cli,sti", "kernel", s, fmt.Sprintf("%.0f/s", s.rate()), fmt.Sprintf("%d/s", least), s.rate() >= least)
	kept, err := os.MkdirTemp("", "landgo-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(kept)
	for _, boot := range []struct {
		name, turns, snapshot string
		limit                 time.Duration
	}{
		{"leave, 5.6 M to boot", "3", "off", bootLimit},
		{"leave, 5.6 M, boot kept", "3", kept, keptLimit},
		{"leave, 56 M, boot kept", "30", kept, keptLimit},
	} {
		args := []string{"--pp", "yield", "--snapshot", boot.snapshot, "--cmdline", "test=leave memtest=" + boot.turns, path}
		if boot.snapshot == kept {
			if _, err := median(1, args...); err != nil {
				return err
			}
		}
		if s, err = median(runs, args...); err != nil {
			return err
		}
		if s.Executions != 1 {
			return wrong(path, s, 1)
		}
		show(boot.name, "kernel", s, fmt.Sprintf("%.3f s", s.wall.Seconds()), fmt.Sprintf("%.3f s", boot.limit.Seconds()), s.wall < boot.limit)
	}
	return nil
}
