package trace

import (
	"errors"
	"testing"
)

// TestPoints: what a user's set is written as is read as the same.
func TestPoints(t *testing.T) {
	for list, want := range map[string]string{
		"yield":             "yield",
		"lock":              "yield,lock",
		"unlock,lock":       "yield,lock,unlock",
		" lock , atomic ":   "yield,lock,atomic",
		"mem":               "mem",
		"yield,lock,mem":    "mem",
		"cli,sti":           "yield,cli,sti",
		"mem,race":          "mem,race",
		"lock,lock,atomic":  "yield,lock,atomic",
		"atomic,unlock,cli": "yield,unlock,atomic,cli",
	} {
		p, _, err := ParsePoints(list)
		if err != nil || p.String() != want {
			t.Errorf("ParsePoints(%q) = %v, %v; want %s", list, p, err, want)
		}
		if again, _, err := ParsePoints(p.String()); again != p || err != nil {
			t.Errorf("ParsePoints(%q) doesn't come back: %v, %v", p, again, err)
		}
	}
}

// TestPointTexts: any set at all comes back from its text.
func TestPointTexts(t *testing.T) {
	for s := range 2 * PointMem {
		text, err := s.MarshalText()
		var again Points
		if err == nil {
			err = again.UnmarshalText(text)
		}
		if err != nil || again != s {
			t.Fatalf("%#x is written as %s and read as %#x, %v", uint16(s), text, uint16(again), err)
		}
	}
	for _, bad := range []string{"", "lock,", "0x12345", "-1", "race=main", "lok"} {
		if err := new(Points).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is read as points", bad)
		}
	}
}

// TestPointErrors: an error says which word of a list is wrong, and how.
func TestPointErrors(t *testing.T) {
	for list, want := range map[string]string{
		"lock,lok":  `unknown preemption point "lok" in --pp`,
		"lock,":     "empty preemption point in --pp",
		"lock=main": "only race takes places, in --pp lock=main",
	} {
		_, _, err := ParsePoints(list)
		var e *PointError
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s: %v, want %s", list, err, want)
		}
	}
}
