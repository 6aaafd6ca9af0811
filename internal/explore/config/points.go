package config

import (
	"errors"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// parsePoints reads a comma list of kinds of preemption points, with places after race=.
func parsePoints(list string) (set trace.Points, places []string, err error) {
	set, texts, err := trace.ParsePoints(list)
	var e *trace.PointError
	if errors.As(err, &e) {
		hint := ""
		if !e.Known && e.Name != "" {
			hint = DidYouMean("%q", e.Name, pointNames())
		}
		return 0, nil, result.Errorf(result.UnknownPoint, "%v%s", e, hint)
	}
	for _, text := range texts {
		if places, err = parsePlaces(text); err != nil {
			return 0, nil, err
		}
	}
	return set, places, nil
}

// pointNames lists the kinds' names.
func pointNames() (names []string) {
	for _, k := range trace.PointKinds() {
		names = append(names, k.Name)
	}
	return names
}
