package pebbles

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestABI runs the programs that check the points of abi.md on themselves.
func TestABI(t *testing.T) {
	const good = "status 0"
	for name, c := range map[string]struct {
		cfg  Config
		end  string
		text string
	}{
		"entry":       {end: good},
		"registers":   {end: good},
		"errors":      {end: good},
		"fork":        {end: good},
		"tid":         {end: good},
		"status":      {end: good},
		"task_vanish": {end: good},
		"deschedule":  {end: good},
		"yield":       {end: good},
		"pages":       {end: good},
		"time":        {end: good},
		"swexn":       {end: good},
		"oneshot":     {end: "fault 2 at 0x70001000"},
		"autostack":   {end: good},
		"console": {
			cfg:  Config{Stdin: []byte("ab\nlonger line\nend")},
			end:  good,
			text: "done\n-1 two 3a     4|-0005|6 0x7 8%\n",
		},
	} {
		// Every instruction on its own, a few, and none of the switches.
		for _, slice := range []uint64{1, 17, 1 << 40} {
			for _, dir := range []string{guestDir, guestDir32} {
				t.Run(fmt.Sprintf("%s/%s/%d", filepath.Base(dir), name, slice), func(t *testing.T) {
					if dir == guestDir32 {
						needs32(t)
					}
					w := openWorld(t, filepath.Join(dir, "abi-"+name), c.cfg)
					w.finish(slice)
					if w.end != c.end || string(w.k.Output(1)) != c.text {
						t.Errorf("ended with %s, want %s; printed:\n%s", w.end, c.end, w.k.Output(1))
					}
				})
			}
		}
	}
}
