package por

// Saving a search, and going on with it.
//
// To save one, all members of the team stand still between two steps and make
// their whole paths common property, so that the junctions are all that there
// is to the search (snapshot.go). To go on is to be a worker without work in a
// team that has those junctions. So what was argued for workers holds for a
// search that was interrupted: executions, verdict and bugs are those of one
// that wasn't, and with one worker, who always takes up the deepest state, the
// order of the search is the same too.

// saving has the state of the search saved, if it is time. Preconditions: the
// lock is held.
func (x *explorer) saving() error {
	t := x.team
	if t.saving || t.stopped || x.opts.SaveNow == nil || !t.due && !x.opts.SaveNow() {
		return nil
	}
	t.saving, t.due = true, false
	x.publishAll()
	for t.parked+t.waiting < len(t.members)-1 && !t.stopped {
		x.wait()
	}
	var err error
	if !t.stopped {
		err = x.opts.Save(t.pack())
	}
	t.saving = false
	t.wake.Broadcast()
	return err
}

// park stands still while somebody saves. Preconditions: the lock is held.
func (x *explorer) park() {
	t := x.team
	if !t.saving {
		return
	}
	x.publishAll()
	t.parked++
	t.wake.Broadcast()
	for t.saving && !t.stopped {
		x.wait()
	}
	t.parked--
}

// wait waits for a broadcast.
func (x *explorer) wait() {
	x.holds = false
	x.team.wake.Wait()
	x.holds = true
}

// publishAll makes the current path common property as far as anything is left
// to explore on it.
func (x *explorer) publishAll() {
	d := 0
	for i := range x.nodes {
		if n := &x.nodes[i]; n.shared == nil && n.todo != nil {
			d = i
		}
	}
	x.publish(d)
}

// resume goes on with a search that was saved.
func (x *explorer) resume(data []byte) error {
	stats, states, err := unpack(data)
	if err != nil {
		return err
	}
	x.stats = stats
	if err := x.assemble(true); err != nil {
		return err
	}
	t := x.team
	t.lock(x)
	for _, j := range states {
		t.add(j)
	}
	// What had nothing left is over.
	for i := len(states) - 1; i >= 0; i-- {
		j := states[i]
		if j.todo != nil || j.active > 0 {
			continue
		}
		t.remove(j)
		if j.up == nil {
			t.complete = true
			t.stop()
			break
		}
		j.up.finish(j.thread, j.choice)
	}
	t.wake.Broadcast()
	err = x.findWork()
	t.unlock(x)
	t.start()
	if err == nil {
		err = x.roam()
	}
	return t.dissolve(err)
}
