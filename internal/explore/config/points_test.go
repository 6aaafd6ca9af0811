package config

import "testing"

// TestParsePlaces: what a set is written as is read as the same.
func TestParsePlaces(t *testing.T) {
	for _, good := range []string{"race", "yield,race=0x401234+0x401250", "yield,lock,race=main+0x12+worker+0x0+0x401250"} {
		p, places, err := parsePoints(good)
		if got := p.At(places); err != nil || got != good && "yield,"+good != got {
			t.Errorf("%s is read as %s: %v", good, got, err)
		}
	}
	for _, bad := range []string{"race=", "race=+", "race=0x12zz", "lock=main", "race=a b"} {
		if _, places, err := parsePoints(bad); err == nil {
			t.Errorf("%s is read as %q", bad, places)
		}
	}
}
