package config

import (
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	for text, want := range map[string]Size{"0": 0, "100": 100, "4K": 4096, "512M": 512 << 20, "2GiB": 2 << 30, "1tb": 1 << 40, "3 M": 3 << 20} {
		if got, err := ParseSize(text); got != want || err != nil {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
		if again, err := ParseSize(want.String()); again != want || err != nil {
			t.Errorf("ParseSize(%q) doesn't come back: %d, %v", want, again, err)
		}
	}
	for text, want := range map[string]time.Duration{
		"0": 0, "90": 90 * time.Second, "90s": 90 * time.Second, "10m": 10 * time.Minute, "1h30m": 90 * time.Minute,
		"2d": 48 * time.Hour, "1d12h": 36 * time.Hour, "1.5s": 1500 * time.Millisecond, "250ms": 250 * time.Millisecond,
	} {
		if got, err := ParseDuration(text); got != want || err != nil {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
		if again, err := ParseDuration(formatDuration(want)); again != want || err != nil {
			t.Errorf("ParseDuration(%q) doesn't come back: %v, %v", formatDuration(want), again, err)
		}
	}
}
