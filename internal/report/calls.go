package report

import (
	"fmt"
	"strings"

	"landgo/internal/result"
)

// calls shows the calls of an object that isn't linearizable: when each began and ended.
func (p *page) calls(list []result.Call) {
	if len(list) == 0 {
		return
	}
	names, texts, last := 0, 0, 0
	for i := range list {
		c := &list[i]
		names, texts, last = max(names, len(p.name(c.Thread))), max(texts, len(callText(c))), max(last, c.Begin, c.End)
	}
	p.blank()
	p.line("Calls, from o where each begins to o where it is over:")
	for i := range list {
		c := &list[i]
		mark := ""
		if c.Unexplained {
			mark = "  <- no order explains it"
		}
		p.line("  %s", p.cut(fmt.Sprintf("%-*s  %-*s  %s%s", names, p.name(c.Thread), texts, callText(c), lane(c, last), mark), 2))
	}
}

// callText is a call with its result.
func callText(c *result.Call) string {
	switch {
	case c.End == 0:
		return clean(c.Call) + " isn't over"
	case c.Result == "":
		return clean(c.Call)
	}
	return clean(c.Call) + " gives " + clean(c.Result)
}

// lane is when a call lasts.
func lane(c *result.Call, last int) string {
	end := c.End
	if end == 0 {
		return strings.Repeat(" ", c.Begin-1) + "o" + strings.Repeat("-", max(0, last-c.Begin)) + ">"
	}
	return strings.TrimRight(strings.Repeat(" ", c.Begin-1)+"o"+strings.Repeat("-", max(0, end-c.Begin-1))+"o", " ")
}
