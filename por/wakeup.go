package por

import "landgo/por/relation"

// The wakeup tree of a state (JACM 2017, Definition 6.1) is the branches still
// to be explored there, in order, each with the tree of what to run after it.
// A leaf stands for everything that can follow.

// A branch that sleeps at a leaf is a *stray*. There is none in the paper: v was
// inserted because it wakes everything. Here a step may turn out to do less than it
// might have done, and wake less. What a stray leads to is then missing from the
// tree below the leaf, which took it for covered. So a stray excuses only what
// begins with it, as in source-DPOR. A branch that another worker is exploring
// when one beside it is taken is a stray too. What will be found there isn't in the
// tree below the taken one any more (TestTogetherLarger).

// insert makes sure that something explored from the state of n covers v (JACM
// 2017, §6, the test of Algorithm 2 line 8 and insert of Definition 6.3). It
// adds nothing if a step asleep or explored there is a weak initial of v. Else
// it adds v's remainder below the leftmost branch of the tree that v can begin
// with. It reports whether the answer, at any level of the tree, depends on
// events after e': what sleeps excuses races below because all of this is in the
// tree.
func (s *backtrack) insert(n *node, v *relation.Sequence) (open bool) {
	for i, b := range s.path.sleepers(n) {
		how, _ := v.Starts(&b.Step, true)
		if how == relation.No && i >= int(n.strays) {
			how = v.Weak(&b.Step, true)
		}
		switch how {
		case relation.Initial:
			return false
		case relation.Perhaps:
			open = true
			v.Excused()
		}
	}
	for b := n.done; b != nil; b = b.next {
		switch v.Weak(&b.Step, true) {
		case relation.Initial:
			return false
		case relation.Perhaps:
			open = true
			v.Excused()
		}
	}
	if open {
		return true
	}
	open = v.Varies || v.Later()
	list := &n.todo
	for {
		b, how := *list, relation.No
		for ; b != nil; b = b.next {
			if how = v.Weak(&b.Step, false); how != relation.No {
				break
			}
		}
		open = open || how == relation.Perhaps || v.Later()
		if b == nil {
			s.append(n, list, v)
			return open
		}
		v.Remove(&b.Step)
		for k, c := range b.chain {
			if len(v.Items()) == 0 {
				return open
			}
			how = v.Weak(&c.Step, false)
			open = open || how == relation.Perhaps || v.Later()
			if how == relation.No {
				s.pool.split(b, k)
				s.append(n, &b.kids, v)
				return open
			}
			v.Remove(&c.Step)
		}
		if b.kids == nil || len(v.Items()) == 0 {
			return open
		}
		list = &b.kids
	}
}

// shortChain is how many steps after a new branch are branches too: those of a small
// program, which the pool has.
const shortChain = 3

// append adds what is left of v to a list of the tree: a branch for its first
// step, with the others as its chain. A chain costs 8 bytes a step where branches
// are several hundred, and the races of an execution of a thousand steps can want
// a thousand more steps each.
func (s *backtrack) append(n *node, list **branch, v *relation.Sequence) {
	if list == &n.todo && !s.path.isReady(n.depth, v.Event(v.Items()[0]).Thread) {
		// v doesn't know the step that lets it go: explore everything here.
		s.addAll(n)
		return
	}
	for k, i := range v.Items() {
		var b *branch
		if i < 0 {
			b = s.pool.copy(&v.Last.Event, 0)
		} else {
			b = s.pool.copy(v.Event(i), s.path.nodes[i].last)
		}
		add(list, b)
		if rest := v.Items()[k+1:]; len(rest) > shortChain {
			b.chain = make([]*branch, len(rest))
			for k, i := range rest {
				if i < 0 {
					b.chain[k] = s.pool.copy(&v.Last.Event, 0)
				} else {
					b.chain[k] = s.path.nodes[i].keep()
				}
			}
			return
		}
		list = &b.kids
	}
}

// keep returns a copy of the event that leads on from n, the same for all chains.
func (n *node) keep() *branch {
	if n.kept == nil {
		n.kept = &branch{last: n.last}
		n.kept.Copy(&n.cur.Event)
	}
	return n.kept
}
