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
