package saved

import (
	"testing"
	"time"

	"landgo/internal/explore/config"
)

// TestSaverInShortTime: what a search of seconds did can be gone on with.
func TestSaverInShortTime(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: 5 * time.Second, 2 * time.Second: 200 * time.Millisecond, time.Hour: 5 * time.Second} {
		c := config.Default()
		c.Time = limit
		if w := NewSaver(&c); w.every != want {
			t.Errorf("--time %v: saved every %v, want %v", limit, w.every, want)
		}
	}
}

// TestSaverBegins: a search that was begun a moment ago is saved before long, and less often later.
func TestSaverBegins(t *testing.T) {
	c := config.Default()
	w := NewSaver(&c)
	if w.Due() {
		t.Error("it is due at once")
	}
	ago := func(begun, last time.Duration) bool {
		now := time.Now()
		w.begun, w.last = now.Add(-begun), now.Add(-last)
		return w.Due()
	}
	for _, x := range []struct {
		begun, last time.Duration
		due         bool
	}{
		{200 * time.Millisecond, 200 * time.Millisecond, true}, {3 * time.Second, time.Second, false}, {3 * time.Second, 2 * time.Second, true},
		{time.Minute, 3 * time.Second, false}, {time.Minute, 6 * time.Second, true},
	} {
		if due := ago(x.begun, x.last); due != x.due {
			t.Errorf("begun %v ago, saved %v ago: due is %v", x.begun, x.last, due)
		}
	}
	if w.took = time.Second; w.Quick() {
		t.Error("saving that takes a second is quick")
	}
}
