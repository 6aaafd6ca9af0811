package libc

import "testing"

func TestScanfPointers(t *testing.T) {
	for format, want := range map[string]int{
		"": 0, "abc": 0, "%d": 1, "%d %5lld%%%*d%s": 3, "%[]a%d]%d": 2, "%[^]]%*[a-z]x%c": 2, "%ms %n": 2, "%": 0, "%[abc": 1, "%1$d %2$hhx": 2,
	} {
		if n := ScanfPointers(format); n != want {
			t.Errorf("%q: %d, want %d", format, n, want)
		}
	}
}
