package format

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"landgo/internal/result"
)

// csvHead are the columns of the table.
var csvHead = []string{"name", "verdict", "kind", "message", "score", "points", "granularity", "bound", "executions", "seconds", "bugs", "function", "file", "line", "fingerprint"}

// csvTable writes a row a case (RFC 4180).
func csvTable(w io.Writer, cases []Case, o Options) error {
	t := csv.NewWriter(w)
	t.Write(csvHead)
	for i := range cases {
		c := &cases[i]
		row := []string{cell(c.Name), c.verdict(), cell(c.kind()), cell(c.message()), number(c.Score), number(c.Points), "", "", "", "", "0", "", "", "", ""}
		if r := c.Result; r != nil {
			row[6], row[7] = cell(r.Granularity), cell(r.Bound)
			row[8], row[9] = strconv.FormatUint(r.Executions, 10), xmlTime(r.Seconds)
		}
		if bugs := c.bugs(); len(bugs) > 0 {
			place := mainPlace(c.Result.Bug)
			row[10], row[14] = strconv.Itoa(len(bugs)), c.Result.Bug.FingerprintOf(nil)
			if known(place) {
				row[11], row[12], row[13] = cell(place.Function), cell(relative(place.File, o.Style.Dir)), strconv.Itoa(place.Line)
			}
		}
		t.Write(row)
	}
	t.Flush()
	return t.Error()
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// formula are the characters with which a spreadsheet takes a cell for a formula.
const formula = "=+-@＝＋－＠|%"

// cell is a text that no spreadsheet carries out: with a quote before what would begin a
// formula, and without control characters.
func cell(s string) string {
	s = result.Printable(s)
	if t := strings.TrimLeft(s, " '\""); t != "" && strings.ContainsRune(formula, []rune(t)[0]) {
		return "'" + s
	}
	return s
}
