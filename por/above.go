package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// Counts that stay above a bound (Counter): of additions whose results tell no more than whether
// a count is above zero, as those to a count of references do. Where it is above in every order,
// nothing tells these orders apart.
//
// Let M be the program, and B the additions, by thread, place and bytes, that are said to blend.
// Let M' be M, but that those in B go on as above the bound whatever they find. In M' the values
// that they find have no effect. So in all states they commute with each other and with additions
// whose results aren't used. M' is searched as any program is. Whether M' is M is looked at on
// the way, at the end of each execution. Each addition of B has to have found enough in it: up to
// the first that hasn't, it is one of M'. And the search asks for the least value that an addition
// e could have found in any order of the same trace. All that are told then are told at once, and
// the search begins again but once. All that happens before e came before it. Let C be
// the additions that are ordered neither way with e. Any set S of them may have come before e,
// with all that happens before S. The least sum over such S is a maximal closure (Picard 1976).
// Only additions to the same bytes are in it, and what happens before something happens before
// what comes after that. So it is a flow from additions of positive numbers to those of negative
// ones that come after them, each as much as it is. An addition that finds none lowers the count.
//
// Were there an execution of M' that isn't one of M, take a shortest. Its last step is an e of B
// that finds too little. Some execution was run of the trace of one that begins with it. There e
// was looked at, with the S of that beginning: so it was told. If nothing was told, M is M'.
// Else that addition leaves B, and the search begins again.

// A set S has of each thread a beginning of what is in C. So the least sum of such beginnings,
// thread by thread, is a bound for the least of S, and found at once for all additions of a thread
// (countedwindow.go). The flow is asked where that isn't enough.

// mostCounted is how many additions may come in any order with one for which the flow is asked.
const mostCounted = 64

// counts looks at the counts of executions.
type counts struct {
	from Counter // nil: no addition is said to blend
	list []countAt
	// The list by bytes: where the additions to some are, and these.
	places map[bytesOf]int
	same   []sameBytes
	// For one of them: additions that come in any order with it, by sign, and what flows.
	adds, subs []countAt
	left       []int64
	flows      [][]int64
	seen       []bool
}

// countAt is an addition, and which event it was.
type countAt struct {
	trace.Count
	at int32
}

// hold reports whether each addition that is said to blend finds enough, in all orders of the
// trace of the present execution.
func (c *counts) hold(o *relation.Order, opts *Options) bool {
	if c.from == nil || opts.fault == unwatched {
		return true
	}
	last, tested := int32(o.Len()-1), false
	c.list = c.list[:0]
	c.from.Counts(func(back int, k *trace.Count) {
		if at := last - int32(back); at >= 0 {
			c.list = append(c.list, countAt{*k, at})
			tested = tested || k.Least > 0
		}
	})
	if !tested {
		return true
	}
	all := true
	same := c.byBytes(o)
	for i := range same {
		b := &same[i]
		for t := range b.threads {
			if !b.threads[t].tested {
				continue
			}
			b.windowsOf(o, t, opts.fault, func(e *countAt, low, high int64) {
				if !e.Holds(e.Before, e.Before) || !e.Holds(low, high) && !e.Holds(c.least(o, b, low, opts.fault), high) {
					c.from.Uncount(int(last - e.at))
					all = false
				}
			})
		}
	}
	return all
}

// least is the least that an addition finds in any order, by the flow. Additions that come in any
// order with it are in the windows of b. low is a bound for it.
func (c *counts) least(o *relation.Order, b *sameBytes, low int64, f fault) int64 {
	if b.within() > mostCounted {
		return low
	}
	c.adds, c.subs = c.adds[:0], c.subs[:0]
	sum := b.base()
	for i := range b.windows {
		for _, k := range b.windows[i].list() {
			if k.Added > 0 {
				c.adds = append(c.adds, k)
			} else if k.Added < 0 {
				c.subs, sum = append(c.subs, k), sum+k.Added
			}
		}
	}
	return sum + c.flow(o, f)
}

// flow is how much of what is taken away was added before, in each order.
func (c *counts) flow(o *relation.Order, f fault) (sum int64) {
	c.left, c.flows = c.left[:0], c.flows[:0]
	for i := range c.adds {
		c.left = append(c.left, c.adds[i].Added)
		c.flows = append(c.flows, make([]int64, len(c.subs)))
	}
	for s := range c.subs {
		for need := -c.subs[s].Added; need > 0; {
			c.seen = append(c.seen[:0], make([]bool, len(c.adds))...)
			m := c.augment(o, s, need, f)
			if m == 0 {
				break
			}
			need, sum = need-m, sum+m
		}
	}
	return sum
}

// augment finds up to need for subtraction s, which may have others find theirs elsewhere.
func (c *counts) augment(o *relation.Order, s int, need int64, f fault) int64 {
	for a := range c.adds {
		if c.seen[a] || !o.Before(c.adds[a].at, c.subs[s].at) && f != freely {
			continue
		}
		c.seen[a] = true
		if m := min(need, c.left[a]); m > 0 {
			c.left[a] -= m
			c.flows[a][s] += m
			return m
		}
		for t := range c.subs {
			if c.flows[a][t] == 0 || t == s {
				continue
			}
			if m := c.augment(o, t, min(need, c.flows[a][t]), f); m > 0 {
				c.flows[a][t] -= m
				c.flows[a][s] += m
				return m
			}
		}
	}
	return 0
}
