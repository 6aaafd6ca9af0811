package por

// Round-robin rounds of an execution graph (Marmanis and Vafeiadis 2023, §II-B
// and Algorithm 1): the number of times that a round-robin scheduler of threads
// in ascending order has to start again from the first, at the least, to run
// some linearisation of the graph. All events count: main's joins and the
// threads' ends too.
//
// The greedy scheduler runs each event as early as any can: in the round of the
// latest event that has to come before it, or in the one after if that event's
// thread comes later in a round. So an event's round is known when it is added
// to the graph, from those that it directly depends on, and the graph's rounds
// are the latest event's: linear in the graph, and no pass over it per event.
// (Deviation: Algorithm 1 is that pass; the differential test has it as it
// stands in the paper.)

// after says that p comes before s.
func (s *step) after(p *step) {
	r := p.round
	if p.Thread > s.Thread {
		r++
	}
	s.round = max(s.round, r)
}
