package explore

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"landgo/result"
)

// set applies options given as "name value" to the defaults.
func set(t *testing.T, options ...string) Config {
	t.Helper()
	c := DefaultConfig()
	c.Guest = "guest.elf"
	for _, text := range options {
		name, value, ok := strings.Cut(text, " ")
		if !ok {
			value = "true"
		}
		if err := OptionNamed(name).Apply(&c, value); err != nil {
			t.Fatalf("--%s: %v", text, err)
		}
	}
	return c
}

// samples has a value other than the default for each option.
var samples = map[string]string{
