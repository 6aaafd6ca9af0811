package scheduler

// YieldRounds has the turns of long loops count as yields from now on (spins/rounds.go).
func (s *System) YieldRounds() { s.cfg.YieldRounds = true }

// countRound takes in where a thread stands after a step.
func (s *System) countRound(th edit) {
	if !s.cfg.YieldRounds || !th.Live() {
		return
	}
	next, yields := th.rounds.Reaches(s.standPC(th.thread))
	if th.rounds = next; yields {
		th.Yielding = true
	}
}
