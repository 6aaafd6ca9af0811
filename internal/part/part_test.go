package part

import (
	"fmt"
	"testing"
)

// TestParts: each row is one part's, and the parts are about alike.
func TestParts(t *testing.T) {
	const rows, parts = 5000, 8
	var sizes [parts]int
	for row := range rows {
		in := 0
		for k := range parts {
			p, err := Parse(fmt.Sprintf("%d/%d", k+1, parts))
			if err != nil {
				t.Fatal(err)
			}
			if p.Has(fmt.Sprint("TestRows/", row)) {
				in++
				sizes[k]++
			}
		}
		if in != 1 {
			t.Fatalf("row %d is in %d parts", row, in)
		}
	}
	for k, n := range sizes {
		if n < rows/parts*9/10 {
			t.Errorf("part %d has %d of %d rows", k+1, n, rows)
		}
	}
}

func TestParse(t *testing.T) {
	if p, err := Parse(""); err != nil || !p.Has("TestAny") {
		t.Errorf("no part: %v, %v", p, err)
	}
	for _, bad := range []string{"0/3", "4/3", "3", "1/0", "a/b", "1/3x", "-1/3", "1/3/3"} {
		if p, err := Parse(bad); err == nil {
			t.Errorf("%q is %v", bad, p)
		}
	}
}
