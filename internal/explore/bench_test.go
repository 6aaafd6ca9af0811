package explore

import (
	"context"
	"os"
	"strings"
	"testing"

	"landgo/internal/explore/config"
)

// BenchmarkRun explores the guest that LANDGO_GUEST names to its end, for
// profiles of the whole way. LANDGO_OPTIONS has options and their values:
//
//	LANDGO_GUEST=bin/guests/musl-O2/ring-N8 LANDGO_OPTIONS="search random time 4s" \
//		go test ./internal/explore -run '^$' -bench Run -benchtime 1x -cpuprofile cpu.prof
func BenchmarkRun(b *testing.B) {
	path := os.Getenv("LANDGO_GUEST")
	if path == "" {
		b.Skip("LANDGO_GUEST names no guest")
	}
	for i := 0; i < b.N; i++ {
		c := config.Default()
		c.Guest, c.Out = path, config.NoFile
		for o := strings.Fields(os.Getenv("LANDGO_OPTIONS")); len(o) > 1; o = o[2:] {
			if err := config.OptionNamed(o[0]).Apply(&c, o[1]); err != nil {
				b.Fatal(err)
			}
		}
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Executions)/r.Seconds, "executions/s")
		b.ReportMetric(float64(r.Transitions)/r.Seconds, "transitions/s")
	}
}
