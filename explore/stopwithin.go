package explore

// stopsWithin is that of a session. The machines of kernels are stopped at their
// ticks only: who can run there is found by trying it, and an answer can't be left out.
func (s *Session) stopsWithin(on bool) {
	s.stops = on
	var stop func() bool
	if on && s.limits != nil {
		stop = func() bool { return s.limits.Reached() != "" }
	}
	s.sys.StopIf(stop)
	if s.platform.ticks {
		return
	}
	s.limits.MayHalt(s.machine, stop != nil)
	for _, t := range s.twins {
		t.stopsWithin(on)
	}
}
