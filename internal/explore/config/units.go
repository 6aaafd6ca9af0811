package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes.
type Size uint64

var sizeUnits = []struct {
	name string
	size Size
}{{"T", 1 << 40}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}}

// String is the size as ParseSize takes it, in the greatest unit that divides
// it.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s != 0 && s%u.size == 0 {
			return fmt.Sprintf("%d%s", uint64(s/u.size), u.name)
		}
	}
	return strconv.FormatUint(uint64(s), 10)
}

// ParseSize reads a number of bytes with an optional unit: K, M, G or T,
// powers of 1024, alone or followed by B or iB.
func ParseSize(text string) (Size, error) {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(text)), "B"), "I")
	unit := Size(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = n, u.size
			break
		}
	}
	v, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64)
	if err != nil {
		return 0, errors.New("want a number of bytes such as 512M or 2G")
	}
	if Size(v) > math.MaxInt64/unit {
		return 0, errors.New("too large")
	}
	return Size(v) * unit, nil
}

// ParseDuration reads a duration as Go does ("90s", "1h30m"), with d for days,
// and a bare number as seconds.
func ParseDuration(text string) (time.Duration, error) {
	wrong := errors.New("want a duration such as 90s, 10m, 1h30m or 2d")
	text = strings.TrimSpace(text)
	days, rest, ok := strings.Cut(text, "d")
	var total time.Duration
	if ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, wrong
		}
		if total = time.Duration(n) * 24 * time.Hour; rest == "" {
			return total, nil
		}
		text = rest
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil && !ok {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, wrong
	}
	if total += d; total < 0 {
		return 0, wrong
	}
	return total, nil
}

// formatDuration is the duration as ParseDuration takes it, without the zeros
// of time.Duration's own text ("10m0s").
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
