package config

import (
	"strconv"
	"strings"

	"landgo/internal/result"
)

// A place names an instruction in --pp race=: by its address, or by a function
// and the distance from its start, as landgo writes it. A + stands
// before a distance and between places; a number after a function's name is its
// distance.

// parsePlaces reads what follows race=.
func parsePlaces(text string) (places []string, err error) {
	bad := func() ([]string, error) {
		return nil, result.Errorf(result.UnknownPoint, "--pp race=%s: want addresses (0x401234) or functions with a distance (main+0x12), with + between", text)
	}
	for _, word := range strings.Split(text, "+") {
		_, notNumber := strconv.ParseUint(word, 0, 64)
		n := len(places)
		switch {
		case word == "" || strings.ContainsAny(word, " \t\n"):
			return bad()
		case notNumber != nil && word[0] >= '0' && word[0] <= '9':
			return bad()
		case notNumber == nil && n > 0 && isFunction(places[n-1]):
			places[n-1] += "+" + word
		default:
			places = append(places, word)
		}
	}
	return places, nil
}

// isFunction: a function's name, without a distance.
func isFunction(place string) bool {
	_, notNumber := strconv.ParseUint(place, 0, 64)
	return notNumber != nil && !strings.Contains(place, "+")
}

// PointList is Config.PP with its places, as --pp takes it.
func (c *Config) PointList() string { return c.PP.At(c.Races) }
