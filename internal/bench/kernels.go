package main

import (
	"fmt"
	"os"
	"time"

	"landgo/result"
)

// kernels measures the kernel of guests/kernel: how fast its interleavings are
// gone through, and how long it takes from
// exec to the end of one interleaving where it boots in five million
// instructions.
func kernels(runs int, show printer) error {
	const (
		least  = 2_000 // executions a second
		points = "yield,cli,sti"
	)
	for _, build := range []string{"kernel", "kernel-i386"} {
		path := "bin/guests/" + build + "/kernel"
		if _, err := os.Stat(path); err != nil {
			fmt.Printf("%-26s %-9s left out: gcc -m32 doesn't work here\n", "kernel", build)
			continue
		}
		s, err := median(runs, "--pp", points, "--cmdline", "test=donate_two", path)
		if err != nil {
			return err
		}
		if s.Verdict != result.Verified {
			return fmt.Errorf("%s: %s %s", path, s.Verdict, s.Reason)
		}
		show("donate_two, "+points, build, s, fmt.Sprintf("%.0f/s", s.rate()), fmt.Sprintf("%d/s", least), s.rate() >= least)
	}
	s, err := median(runs, "--pp", "yield", "--cmdline", "memtest=3 test=lock", "bin/guests/kernel/kernel")
	if err != nil {
		return err
	}
	if s.Verdict != result.Verified || s.Executions != 1 {
		return wrong("memtest=3", s, 1)
	}
	show("5.6 M instructions' boot", "kernel", s, fmt.Sprintf("%.3f s", s.wall.Seconds()), "0.300 s", s.wall < 300*time.Millisecond)
	return nil
}
