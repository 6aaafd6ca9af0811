package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// TestFigure: a curve ends at the height of its count, in time order, with its
// name beside it, and no name lies on another.
func TestFigure(t *testing.T) {
	f := figure{title: "Bugs", until: 10, most: 100, lines: []curve{{"few", []float64{0.1, 5}}, {"many", make([]float64, 100)}, {"as many", make([]float64, 99)}}}
	for i := range 100 {
		f.lines[1].at[i] = figureBegin
		f.lines[2].at[max(i-1, 0)] = 10
	}
	if a, b := f.x(figureBegin), f.x(10); a != plotLeft || b != plotRight {
		t.Errorf("the axis is from %v to %v", a, b)
	}
	if a, b := f.y(0), f.y(100); a != plotBottom || b != plotTop {
		t.Errorf("counts are from %v to %v", a, b)
	}
	at := f.labels()
	if at[0] < at[2]+labelRoom || at[2] < at[1]+labelRoom || at[1] > plotTop+labelRoom {
		t.Errorf("names at %v", at)
	}
	text := f.svg()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"few: 2<", "many: 100<", "as many: 99<"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
