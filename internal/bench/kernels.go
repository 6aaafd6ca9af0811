package main

import (
	"fmt"
	"time"
)

// kernels measures the small kernel: executions with points where interrupts go
// off and come on, and how long it takes from exec to the end of one execution
// where the kernel's boot is of five million instructions (memtest=3).
func kernels(runs int, show printer) error {
	const (
		path      = "bin/guests/kernel/kernel"
		most      = 10_000
		least     = 2_000 // executions a second
		bootLimit = 300 * time.Millisecond
	)
	s, err := median(runs, "--pp", "cli,sti", "--race", "off", "--max-executions", fmt.Sprint(most), "--cmdline", "test=buffer", path)
	if err != nil {
		return err
	}
	if s.Executions != most {
		return wrong(path, s, most)
	}
	show("buffer, cli,sti", "kernel", s, fmt.Sprintf("%.0f/s", s.rate()), fmt.Sprintf("%d/s", least), s.rate() >= least)
	if s, err = median(runs, "--pp", "yield", "--cmdline", "test=leave memtest=3", path); err != nil {
		return err
	}
	if s.Executions != 1 {
		return wrong(path, s, 1)
	}
	show("leave, 5.6 M to boot", "kernel", s, fmt.Sprintf("%.3f s", s.wall.Seconds()), fmt.Sprintf("%.3f s", bootLimit.Seconds()), s.wall < bootLimit)
	return nil
}
