package flags

import (
	"encoding/json"

	"github.com/spf13/pflag"

	"landgo/internal/result"
)

// Run has the flags of landgo run about workers of its search.
type Run struct {
	Queue Queue
	// Serve is the address at which landgo is the server itself, or "".
	Serve string
}

// Add adds the flags to a set.
func (r *Run) Add(set *pflag.FlagSet) {
	set.StringVar(&r.Serve, "serve", "", "be the server that workers ask for parts of the search, at this `HOST:PORT`")
	r.Queue.add(set)
}

// Given reports whether workers elsewhere are to help.
func (r *Run) Given() bool { return r.Queue.Given() || r.Serve != "" }

// Check checks what was asked for.
func (r *Run) Check() error {
	if r.Serve != "" && r.Queue.Given() {
		return result.Errorf(result.Usage, "--serve is a server of its own: leave out --nats")
	}
	if r.Serve != "" {
		if err := checkServe(r.Serve, &r.Queue); err != nil {
			return err
		}
	}
	return r.Queue.check(r.Serve != "")
}

// Lend is the message of landgo to the process that hands out parts of its search.
type Lend struct {
	Queue Queue
	Serve string
	Quiet bool
	// Config is a wire.Exact of the search's configuration.
	Config json.RawMessage
}
