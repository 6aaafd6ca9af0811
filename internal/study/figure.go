package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// A figure draws, for each contestant, how many trials that count were over by
// when: steps over time on a logarithmic scale, as in the paper's Figures 7 and 8.
type figure struct {
	title string
	until float64 // seconds
	most  int     // of trials
	lines []curve
}

// curve is a contestant's: when its trials were over, in ascending order.
type curve struct {
	name string
	at   []float64
}

const (
	figureWidth, figureHeight  = 760, 420
	plotLeft, plotRight        = 56, 560
	plotTop, plotBottom        = 40, 370
	figureBegin                = 0.005 // seconds, at the left
	labelRoom                  = 15
	figureAxis, figureGridline = "#555", "#ddd"
)

// colours can be distinguished by the colour-blind, in the order of the
// contestants (Okabe and Ito).
var colours = []string{"#000000", "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#999999"}

// figure is the one of the trials that count.
func (l *lab) figure(title string, most int, subjects []*subject, counts func(*subject, trial) bool) figure {
	f := figure{title: title, until: l.budget, most: most}
	for _, c := range l.contestants {
		line := curve{name: c.name}
		for _, s := range subjects {
			if t, ok := s.trials[c.name]; ok && counts(s, t) {
				line.at = append(line.at, min(max(t.Found, figureBegin), l.budget))
			}
		}
		slices.Sort(line.at)
		f.lines = append(f.lines, line)
	}
	return f
}

func (f *figure) x(seconds float64) float64 {
	return plotLeft + (plotRight-plotLeft)*math.Log(seconds/figureBegin)/math.Log(f.until/figureBegin)
}

func (f *figure) y(n int) float64 {
	return plotBottom - (plotBottom-plotTop)*float64(n)/float64(max(f.most, 1))
}

// svg is the figure as a file of its own.
func (f *figure) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", figureWidth, figureHeight)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/><text x="%d" y="22" font-size="14">%s</text>`+"\n", plotLeft, f.title)
	step := 50
	if f.most < 100 {
		step = 5
	}
	for n := 0; n <= f.most; n += step {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="%s"/><text x="%d" y="%.1f" text-anchor="end">%d</text>`+"\n", plotLeft, f.y(n), plotRight, figureGridline, plotLeft-6, f.y(n)+4, n)
	}
	for _, m := range append([]float64{figureBegin}, moments...) {
		if m <= f.until {
			fmt.Fprintf(&b, `<path d="M%.1f %dv5" stroke="%s"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>`+"\n", f.x(m), plotBottom, figureAxis, f.x(m), plotBottom+18, m)
		}
	}
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="%s"/>`+"\n", plotLeft, plotTop, plotBottom, plotRight, figureAxis)
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">seconds of the processor, each</text>`+"\n", (plotLeft+plotRight)/2, plotBottom+38)
	labels := f.labels()
	for i, line := range f.lines {
		colour := colours[i%len(colours)]
		fmt.Fprintf(&b, `<path d="M%.1f %.1f`, f.x(figureBegin), f.y(0))
		for n, at := range line.at {
			fmt.Fprintf(&b, "H%.1fV%.1f", f.x(at), f.y(n+1))
		}
		fmt.Fprintf(&b, `H%d" fill="none" stroke="%s" stroke-width="1.6"/>`+"\n", plotRight, colour)
		fmt.Fprintf(&b, `<path d="M%d %.1fL%d %.1f" stroke="%s"/><text x="%d" y="%.1f" fill="%s">%s: %d</text>`+"\n",
			plotRight, f.y(len(line.at)), plotRight+16, labels[i], colour, plotRight+20, labels[i]+4, colour, line.name, len(line.at))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// labels are the heights of the curves' names at the right: where the curves
// end, but none on another.
func (f *figure) labels() []float64 {
	at := make([]float64, len(f.lines))
	rank := make([]int, len(f.lines))
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return len(f.lines[a].at) - len(f.lines[b].at) })
	below := float64(plotBottom + labelRoom)
	for _, i := range rank {
		at[i] = min(f.y(len(f.lines[i].at)), below-labelRoom)
		below = at[i]
	}
	return at
}

// draw writes a figure.
func (f *figure) draw(path string) error { return os.WriteFile(path, []byte(f.svg()), 0o644) }
