package profile

import "testing"

// TestOwn: a function with line information is the program's own, unless its source is where
// the C library's is: Debian 11 has libpthread.a with the lines of ./nptl.
func TestOwn(t *testing.T) {
	for flags, own := range map[string]bool{
		"-g -static": true,
		"-g -static -fdebug-prefix-map=/=./nptl/":    false,
		"-g -static -fdebug-prefix-map=/=./sources/": true,
	} {
		info := open(t, "gcc", "sem_wait.c", flags)
		if got := ownFunctions(info, &Pthread)["sem_wait"]; got != own {
			t.Errorf("%s: sem_wait is the program's own: %v, want %v", flags, got, own)
		}
	}
}
