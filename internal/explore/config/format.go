package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// setFormat is --format.
func setFormat(c *Config, v string) error {
	if !slices.Contains(Formats, v) {
		return fmt.Errorf("no format is called %q%s: use one of %s", v, DidYouMean("%s", v, Formats), strings.Join(Formats, ", "))
	}
	c.Format = v
	return nil
}

// setJSON is --json, which is --format json. The last of the two counts.
func setJSON(c *Config, v string) error {
	var on bool
	if err := setSwitch(&on, v); err != nil {
		return err
	}
	switch {
	case on:
		c.Format = JSONFormat
	case c.Format == JSONFormat:
		c.Format = TextFormat
	}
	return nil
}

// setPoints is --points.
func setPoints(c *Config, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0) || math.IsInf(n, 0) { // NaN too
		return fmt.Errorf("want a number of points, 0 or more, got %q", v)
	}
	c.Points = n
	return nil
}
