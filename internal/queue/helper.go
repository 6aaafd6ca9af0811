package queue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"landgo/internal/confine"
	"landgo/internal/explore/config"
	"landgo/internal/grade"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// Helping is the equipment of a worker of searches' parts.
type Helping struct {
	Store *grade.Store
	Level confine.Level
	// Start starts an engine that works on parts of a program's searches, which come
	// over a socket's other end. end ends it.
	Start func(ctx context.Context, c config.Config) (engine *wire.Conn, end func(), err error)
}

const (
	// idleAfter is after how long without a part of its search an engine is ended.
	idleAfter = 20 * time.Second
	// stuckAfter is how long an engine may work on a part.
	stuckAfter = 5 * time.Minute
	// partTries is how often a part is handed out; the search does it in the end.
	partTries = 3
)

// Help works on parts of searches until the context is over.
func (q *Queue) Help(ctx context.Context, h Helping) error {
	jobs, err := q.prepareParts(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return result.Errorf(result.NoQueue, "%s: %w", q.where(), err)
	}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	w := &partWorker{q: q, Helping: h, name: hex.EncodeToString(random[:])}
	defer w.leave()
	for ctx.Err() == nil {
		batch, err := jobs.Fetch(1, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			q.repairParts(ctx)
			continue
		}
		for msg := range batch.Messages() {
			w.take(ctx, msg)
		}
		if batch.Error() != nil {
			q.repairParts(ctx)
		}
		if w.engine != nil && time.Since(w.used) > idleAfter {
			w.leave()
		}
	}
	return nil
}

// repairParts waits for a server that is away. One that comes back with nothing gets the
// stream.
func (q *Queue) repairParts(ctx context.Context) {
	pause(ctx, 250*time.Millisecond)
	if ctx.Err() == nil && q.conn.IsConnected() {
		q.partsThere(ctx)
	}
}

// partWorker works on one part at a time. Its engine stays for the next part of the same
// search.
type partWorker struct {
	q *Queue
	Helping
	name string

	of     string // the search's guest and configuration that the engine has
	engine *wire.Conn
	end    func()
	used   time.Time
}

func (w *partWorker) leave() {
	if w.engine != nil {
		w.engine.Close()
		w.end()
	}
	w.engine, w.of = nil, ""
}

// take works on a message's part, if it is wanted.
func (w *partWorker) take(ctx context.Context, msg jetstream.Msg) {
	var m partMessage
	if err := json.Unmarshal(msg.Data(), &m); err != nil {
		msg.Term()
		return
	}
	if about, err := msg.Metadata(); err != nil || about.NumDelivered > partTries {
		msg.Term()
		return
	}
	if !w.ask(ctx, &m, &partRequest{}) {
		msg.Ack()
		return
	}
	alive, stop := context.WithCancel(ctx)
	defer stop()
	go beat(alive, msg, w.q.o.DeadAfter/3)
	out, err := w.work(ctx, &m)
	w.used = time.Now()
	if ctx.Err() != nil {
		msg.Nak() // another worker does it
		w.q.conn.FlushTimeout(time.Second)
		return
	}
	r := &partRequest{Done: true, Data: out}
	var refused *refusedError
	switch {
	case errors.As(err, &refused):
		r.Error = refused.Error()
	case err != nil:
		w.q.o.Say(fmt.Sprintf("a part of a search can't be worked on: %v", err))
		w.leave()
		msg.NakWithDelay(time.Second)
		return
	case len(out) > w.q.inline():
		if r.Object, err = w.q.putObject(ctx, out); err != nil {
			msg.Nak()
			return
		}
		r.Data = nil
	}
	w.ask(ctx, &m, r)
	msg.Ack() // the search does a part itself if it has heard nothing of it
}

// ask asks the search, or tells it. A search that has ended wants nothing.
func (w *partWorker) ask(ctx context.Context, m *partMessage, r *partRequest) bool {
	r.Batch, r.Part, r.Worker = m.Batch, m.Part, w.name
	text, err := pack(r)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	answer, err := w.q.conn.RequestWithContext(ctx, runSubjects+m.Run, text)
	var a partAnswer
	return err == nil && json.Unmarshal(answer.Data, &a) == nil && a.Wanted
}

// refusedError is an engine's word about a part.
type refusedError struct{ error }

// work has the engine work on a part.
func (w *partWorker) work(ctx context.Context, m *partMessage) ([]byte, error) {
	text, err := json.Marshal(m.Config)
	if err != nil {
		return nil, err
	}
	if of := m.Guest + string(text); of != w.of {
		w.leave()
		c, err := w.config(ctx, m)
		if err != nil {
			return nil, err
		}
		if w.engine, w.end, err = w.Start(ctx, c); err != nil {
			w.engine = nil
			return nil, err
		}
		w.of = of
	}
	if m.Object != "" {
		ctx, cancel := context.WithTimeout(ctx, moving)
		defer cancel()
		if m.Data, err = w.q.files.GetBytes(ctx, m.Object); err != nil {
			return nil, err
		}
	}
	engine := w.engine
	stuck := time.AfterFunc(stuckAfter, func() { engine.Close() })
	defer stuck.Stop()
	defer context.AfterFunc(ctx, func() { engine.Close() })()
	out, err := wire.Ask(engine, m.Data)
	var refused *wire.RefusedPart
	if errors.As(err, &refused) {
		return nil, &refusedError{refused}
	}
	if err != nil {
		w.leave()
	}
	return out, err
}

// config is that of a part's search, with this worker's files.
func (w *partWorker) config(ctx context.Context, m *partMessage) (c config.Config, err error) {
	c = portable(m.Config.Value)
	get := func(sum string) (string, error) {
		if filepath.Base(sum) != sum {
			return "", errors.New("a file's name isn't a digest")
		}
		return w.Store.File(sum), w.q.get(ctx, w.Store, sum)
	}
	if c.Guest, err = get(m.Guest); err != nil {
		return c, err
	}
	c.Confine = w.Level
	return c, inputs(&c, func(path *string) (err error) {
		*path, err = get(*path)
		return err
	})
}

// get has a file in a store.
func (q *Queue) get(ctx context.Context, store *grade.Store, sum string) error {
	if store.Has(sum) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, moving)
	defer cancel()
	f, err := q.files.Get(ctx, sum)
	if err != nil {
		return fmt.Errorf("%s: %w", sum, err)
	}
	defer f.Close()
	got, err := store.Keep(f)
	if err != nil {
		return fmt.Errorf("%s: %w", sum, err)
	}
	if got != sum {
		os.Remove(store.File(got))
		return fmt.Errorf("%s: the server has other bytes under its name", sum)
	}
	return nil
}
