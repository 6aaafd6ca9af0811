package queue

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"landgo/internal/grade"
)

// Desk implements grade.Post.
func (q *Queue) Desk(store *grade.Store) grade.Desk {
	return &desk{q: q, store: store, out: map[*grade.Job]*taken{}}
}

// desk is where workers of this process get jobs.
type desk struct {
	q     *Queue
	store *grade.Store

	mu  sync.Mutex
	out map[*grade.Job]*taken
}

// taken is a job that is at work here.
type taken struct {
	ctx  context.Context // the worker's
	msg  jetstream.Msg
	stop context.CancelFunc // of saying that it is
	// paths are placeholders by the paths of the job's files.
	paths map[string]string
}

// Take implements grade.Desk.
func (d *desk) Take(ctx context.Context) (*grade.Job, bool) {
	for ctx.Err() == nil {
		batch, err := d.q.jobs.Fetch(1, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			d.q.repair(ctx)
			continue
		}
		none := true
		var got *grade.Job
		for msg := range batch.Messages() {
			none = false
			got = d.accept(ctx, msg)
		}
		switch {
		case got != nil:
			return got, true
		case batch.Error() != nil:
			d.q.repair(ctx)
		case none && d.q.o.Idle && d.idle(ctx):
			return nil, false
		}
	}
	return nil, false
}

// idle reports whether no job waits, and none is at work.
func (d *desk) idle(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	info, err := d.q.jobs.Info(ctx)
	return err == nil && info.NumPending == 0 && info.NumAckPending == 0
}

// accept is a message's job, if it is still to be done and can be.
func (d *desk) accept(ctx context.Context, msg jetstream.Msg) *grade.Job {
	alive, stop := context.WithCancel(ctx)
	go beat(alive, msg, d.q.o.DeadAfter/3)
	j, paths, err := d.job(ctx, msg)
	if j != nil && err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.out[j] = &taken{ctx, msg, stop, paths}
		return j
	}
	stop()
	if err != nil {
		msg.NakWithDelay(time.Second)
		if ctx.Err() == nil {
			d.q.o.Say(fmt.Sprintf("a job can't be taken: %v", err))
			pause(ctx, 250*time.Millisecond)
		}
	}
	return nil
}

// beat says that a job is at work, so that it isn't handed out again.
func beat(ctx context.Context, msg jetstream.Msg, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			msg.InProgress() // should it get lost, the next one may not
		case <-ctx.Done():
			return
		}
	}
}

// job is a message's, with its files here; nil: nothing is to be done.
func (d *desk) job(ctx context.Context, msg jetstream.Msg) (*grade.Job, map[string]string, error) {
	ask, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	var m jobMessage
	if err := unpack(msg.Data(), &m); err != nil {
		d.q.o.Say(fmt.Sprintf("a job of the queue can't be read: %v", err))
		return nil, nil, msg.Term()
	}
	old, err := d.q.outcomeOf(ask, m.Key)
	if err != nil {
		return nil, nil, err
	}
	if old != nil {
		// Its worker died before it said so, or it was offered at the moment at which the outcome
		// came. To try a lost job again, take the outcome away first.
		return nil, nil, msg.Ack()
	}
	about, err := msg.Metadata()
	if err != nil {
		return nil, nil, err
	}
	if about.NumDelivered > grade.Tries {
		if err := d.q.tell(ask, m.Key, &outcomeMessage{Lost: true}); err != nil {
			return nil, nil, err
		}
		d.q.o.Say(fmt.Sprintf("job %s was handed out %d times, and each of its workers died", m.Key, grade.Tries))
		return nil, nil, msg.Term()
	}
	j := &grade.Job{Key: m.Key, Guest: m.Guest, Name: m.Name, Config: m.Config.Value, Tries: int(about.NumDelivered)}
	paths := map[string]string{}
	get := func(sum string) (string, error) {
		path := d.store.File(sum)
		paths[path] = placeholder(sum)
		return path, d.q.get(ctx, d.store, sum)
	}
	if _, err := get(m.Guest); err != nil {
		return nil, nil, err
	}
	err = inputs(&j.Config, func(path *string) (err error) {
		*path, err = get(*path)
		return err
	})
	return j, paths, err
}

// drop takes a job off the table.
func (d *desk) drop(j *grade.Job) *taken {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.out[j]
	delete(d.out, j)
	return t
}

// Done implements grade.Desk. It goes on until a server has the outcome.
func (d *desk) Done(j *grade.Job, o *grade.Outcome) error {
	t := d.drop(j)
	defer t.stop()
	m, err := messageOf(o, t.paths)
	if err != nil {
		return err
	}
	for {
		ctx, cancel := context.WithTimeout(t.ctx, asking)
		err := d.q.tell(ctx, j.Key, m)
		cancel()
		if err == nil {
			t.msg.Ack() // should it get lost, the next worker finds the outcome
			return nil
		}
		if t.ctx.Err() != nil {
			return nil // another worker does it again
		}
		d.q.o.Say(fmt.Sprintf("an outcome waits for the server: %v", err))
		d.q.repair(t.ctx)
	}
}

// Lost implements grade.Desk.
func (d *desk) Lost(j *grade.Job) {
	t := d.drop(j)
	t.stop()
	t.msg.Nak()
	d.q.conn.FlushTimeout(time.Second)
}
