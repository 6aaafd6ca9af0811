package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"landgo/internal/grade"
	"landgo/internal/result"
)

// offer is a class's jobs, until there is an outcome for each.
type offer struct {
	q     *Queue
	store *grade.Store
	// left are those without an outcome, by their keys; order is that of all.
	left  map[string]*grade.Job
	order []*grade.Job
	// at is where the next look begins.
	at int
	// sums are the digests of inputs by their paths, there what is at the server.
	sums  map[string]string
	there map[string]bool
	told  time.Time // when a person was told last that a server is away
}

// looked is how many outcomes are looked for at a time.
const looked = 200

// Offer implements grade.Post.
func (q *Queue) Offer(ctx context.Context, store *grade.Store, jobs []*grade.Job, done func(*grade.Job, *grade.Outcome) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o := &offer{q: q, store: store, left: map[string]*grade.Job{}, order: jobs, sums: map[string]string{}, there: map[string]bool{}}
	for _, j := range jobs {
		o.left[j.Key] = j
	}
	var updates <-chan jetstream.KeyValueEntry
	if watch, err := q.done.WatchAll(ctx, jetstream.UpdatesOnly()); err == nil { // else the looks find all
		defer watch.Stop()
		updates = watch.Updates()
	}
	tick := time.NewTicker(max(q.o.DeadAfter/4, 200*time.Millisecond))
	defer tick.Stop()
	found := func(m *outcomeMessage, j *grade.Job) error {
		paths, err := o.paths(j)
		if err != nil {
			return err
		}
		out, err := m.outcome(paths)
		if err != nil {
			return err
		}
		delete(o.left, j.Key)
		return done(j, out)
	}
	take := func(e jetstream.KeyValueEntry) error {
		if e == nil {
			return nil
		}
		j := o.left[e.Key()]
		if j == nil || e.Operation() != jetstream.KeyValuePut {
			return nil
		}
		if m, err := q.read(ctx, e.Value()); err == nil {
			return found(m, j)
		}
		return nil // the next look reads it again
	}
	fresh := jobs
	for len(o.left) > 0 {
		var step <-chan time.Time
		if len(fresh) > 0 { // between two offers, what came in is taken
			step = closed
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-updates:
			if err := take(e); err != nil {
				return err
			}
		case <-step:
			err := o.put(ctx, fresh[0], true, found)
			if err == nil {
				fresh = fresh[1:]
			} else if err := o.excuse(ctx, err); err != nil {
				return err
			}
		case <-tick.C:
			if err := o.look(ctx, len(jobs)-len(fresh), found); err != nil {
				if err := o.excuse(ctx, err); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// closed is a channel that is always ready.
var closed = func() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}()

// excuse is nil for an error that is gone when a server is back.
func (o *offer) excuse(ctx context.Context, err error) error {
	var own *result.Error
	if ctx.Err() != nil || errors.As(err, &own) {
		return err
	}
	if time.Since(o.told) > time.Minute {
		o.told = time.Now()
		o.q.o.Say(fmt.Sprintf("%s: %v: trying again", o.q.where(), err))
	}
	o.q.repair(ctx)
	return nil
}

// look looks for some outcomes that are waited for, of the jobs that were offered, and
// offers again what isn't there any more.
func (o *offer) look(ctx context.Context, offered int, found func(*outcomeMessage, *grade.Job) error) error {
	if offered == 0 {
		return nil
	}
	o.there = map[string]bool{} // a server may have lost it
	for i, seen := 0, 0; i < offered && seen < looked; i++ {
		o.at = (o.at + 1) % offered
		j := o.order[o.at]
		if o.left[j.Key] == nil {
			continue
		}
		seen++
		if err := o.put(ctx, j, false, found); err != nil {
			return err
		}
	}
	return nil
}

// put offers a job that has no outcome. One from an earlier time that was lost is tried
// again, if it is new to this class.
func (o *offer) put(ctx context.Context, j *grade.Job, fresh bool, found func(*outcomeMessage, *grade.Job) error) error {
	if o.left[j.Key] == nil {
		return nil
	}
	ask, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	m, err := o.q.outcomeOf(ask, j.Key)
	switch {
	case err != nil:
		return err
	case m != nil && m.Lost && fresh:
		if err := o.q.done.Delete(ask, j.Key); err != nil {
			return err
		}
	case m != nil:
		return found(m, j)
	}
	c := j.Config
	if err := inputs(&c, func(path *string) (err error) {
		host := *path
		if *path, err = o.sum(host); err == nil {
			err = o.file(ctx, *path, host)
		}
		return err
	}); err != nil {
		return err
	}
	if err := o.file(ctx, j.Guest, o.store.File(j.Guest)); err != nil {
		return err
	}
	text, err := pack(&jobMessage{Key: j.Key, Guest: j.Guest, Name: j.Name, Config: exact(c)})
	if err != nil {
		return err
	}
	ask, cancel = context.WithTimeout(ctx, asking)
	defer cancel()
	_, err = o.q.js.Publish(ask, subjects+o.q.tag+"."+j.Key, text)
	if isQueued(err) {
		return nil
	}
	return err
}

// isQueued reports whether the job is in the stream already.
func isQueued(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == storeFailed && api.Description == "maximum messages per subject exceeded"
}

// storeFailed is the server's code for a message that isn't stored.
const storeFailed = 10077

// sum is the digest of a file of the course.
func (o *offer) sum(path string) (string, error) {
	if sum := o.sums[path]; sum != "" {
		return sum, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", result.FileError(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", result.FileError(err)
	}
	o.sums[path] = hex.EncodeToString(h.Sum(nil))
	return o.sums[path], nil
}

// file has a file at the server.
func (o *offer) file(ctx context.Context, sum, path string) error {
	if o.there[sum] {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, moving)
	defer cancel()
	ask, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	if _, err := o.q.files.GetInfo(ask, sum); errors.Is(err, jetstream.ErrObjectNotFound) {
		f, err := os.Open(path)
		if err != nil {
			return result.FileError(err)
		}
		defer f.Close()
		if _, err := o.q.files.Put(ctx, jetstream.ObjectMeta{Name: sum}, f); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	o.there[sum] = true
	return nil
}

// paths are the own paths of a job's files, for what stands in their place in outcomes.
func (o *offer) paths(j *grade.Job) (map[string]string, error) {
	paths := map[string]string{placeholder(j.Guest): o.store.File(j.Guest)}
	c := j.Config
	return paths, inputs(&c, func(path *string) error {
		sum, err := o.sum(*path)
		paths[placeholder(sum)] = *path
		return err
	})
}
