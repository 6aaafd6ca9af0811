package por

// sleeping is search "sleep": sleep sets alone (Godefroid, LNCS 1032, Fig. 5.2):
// all ready threads in every state but those asleep. It visits every state and
// at least one execution of each trace; executions all of whose threads fall
// asleep are cut.
type sleeping struct {
	passive
	sets *backtrack
}

func newSleep(h handle) strategy { return &sleeping{sets: h.sets} }

func (s *sleeping) seed(n *node, _ *branch) error { s.sets.addEvery(n); return nil }
func (s *sleeping) needs() *needs                 { return &needs{sleep: true} }
