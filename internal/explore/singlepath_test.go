package explore

import (
	"path/filepath"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/por"
)

// TestSinglePath: the real guests of Flanagan and Godefroid's experiments (Figs 6
// and 8) have a single path, by every form of dynamic partial-order reduction. So
// it is up to 11 threads of the indexer and 13 of the file system. With one thread
// more they have several.
func TestSinglePath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		guest, size string
		single      bool
	}{
		{"indexer", "-DN=5", true}, {"indexer", "-DN=11", true}, {"indexer", "-DN=12", false},
		{"filesystem", "-DN=6", true}, {"filesystem", "-DN=13", true}, {"filesystem", "-DN=14", false},
	} {
		t.Run(c.guest+c.size, func(t *testing.T) {
			guest := compile.File(t, "gcc", filepath.Join("..", "..", "guests", "bench", c.guest+".c"), c.size)
			for _, search := range []string{"dpor", "dpor:sleep=0", "dpor:figure=3", "dpor:figure=3,sleep=0", "dpor:figure=4",
				"dpor:figure=4,sleep=0", "classic", "nidhugg", "source", "optimal"} {
				cfg := config.Default()
				cfg.Guest, cfg.Search = guest, search
				s, err := session.Open(cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				engine, err := por.New(search, por.Options{OneEvent: true, MaxExecutions: 2})
				if err != nil {
					t.Fatal(err)
				}
				e := &ends{Session: s, states: map[string]int{}}
				stats, err := engine.Run(s.Guest, e)
				if err != nil {
					t.Fatalf("%s: %v", search, err)
				}
				if single := stats.Executions == 1 && stats.Blocked == 0 && stats.Complete; single != c.single {
					t.Errorf("%s: %+v", search, stats)
				}
			}
		})
	}
}
