package pebbles
import ("testing";"os";"path/filepath";"strconv";"time")
func TestProbe(t *testing.T) {
	if os.Getenv("PROBE")=="" { t.Skip() }
	lim,_ := strconv.Atoi(os.Getenv("LIMIT"))
	gs,_ := filepath.Glob(filepath.Join(guestDir, os.Getenv("PROBE")))
	for _,g := range gs {
		w := newWorld(t, filepath.Base(g), Config{})
		e := enumerator{w:w}
		at := time.Now()
		n := e.least(lim)
		t.Logf("%-40s least %d %s (runs %d cut %d) %v: %s", filepath.Base(g), n, e.bad, e.runs, e.cut, time.Since(at).Round(time.Millisecond), w.k.Output(1))
	}
}
