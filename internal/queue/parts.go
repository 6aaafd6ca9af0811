package queue

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// Parts of one search (por/away.go) go through a stream of their own, in memory: they are
// worth nothing without the search that they are of. Workers ask the search whether a part
// is still wanted, and hand results to it, by requests. Where the search has ended, these
// have no responder, and the worker drops the part.
const (
	partsName    = "LANDGO_PARTS"
	partSubjects = "landgo.parts."
	runSubjects  = "landgo.searches."
	partsKept    = time.Hour
)

// partMessage is a part of a search.
type partMessage struct {
	// Run names the search; Batch and Part are the part's place in it.
	Run   string `json:"run"`
	Batch uint64 `json:"batch"`
	Part  int    `json:"part"`
	// Guest is the program's digest. Config has digests in place of the paths of files.
	Guest  string                    `json:"guest"`
	Config wire.Exact[config.Config] `json:"config"`
	// Data is the engine's input; where it is too long, Object is its name.
	Data   []byte `json:"data,omitempty"`
	Object string `json:"object,omitempty"`
}

// partRequest is a worker's question or report to a search.
type partRequest struct {
	Batch  uint64 `json:"batch"`
	Part   int    `json:"part"`
	Worker string `json:"worker"`
	// Done: Data, or the object of that name, is the result; or the part can't be worked
	// on, for Error. Else it asks whether the part is wanted.
	Done   bool   `json:"done,omitempty"`
	Data   []byte `json:"data,omitempty"`
	Object string `json:"object,omitempty"`
	Error  string `json:"error,omitempty"`
}

// partAnswer is the search's answer.
type partAnswer struct {
	Wanted bool `json:"wanted,omitempty"`
}

// prepareParts makes the stream of parts, and the workers' queue of it, and waits for a
// cluster that has just started.
func (q *Queue) prepareParts(ctx context.Context) (jobs jetstream.Consumer, err error) {
	for begin := time.Now(); ; pause(ctx, 250*time.Millisecond) {
		jobs, err = q.partsThere(ctx)
		if err == nil || ctx.Err() != nil || time.Since(begin) > min(patience, waitFor(err)) {
			return jobs, err
		}
	}
}

func (q *Queue) partsThere(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	_, err := q.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: partsName, Subjects: []string{partSubjects + ">"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
		Replicas: q.replicas(), MaxAge: partsKept,
	})
	if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil, fmt.Errorf("the stream of parts: %w", err)
	}
	c, err := q.js.CreateOrUpdateConsumer(ctx, partsName, jetstream.ConsumerConfig{
		Durable: "landgo-parts-" + q.tag, FilterSubject: partSubjects + q.tag + ".>", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: q.o.DeadAfter, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("the queue of parts: %w", err)
	}
	return c, nil
}

// Lent is a search whose parts lie at the server.
type Lent struct {
	q      *Queue
	name   string
	guest  string
	config config.Config // with digests

	mu      sync.Mutex
	batch   uint64 // 0: between two
	open    map[int]bool
	objects []string
	to      *wire.Conn
	helpers map[string]bool
	done    int
	errors  map[string]bool
	news    *sync.Cond // of latest
	latest  *wire.Offer
	over    bool // the search is
}

// Lend makes a search ready to be lent: its program and inputs are at the server then.
func (q *Queue) Lend(ctx context.Context, c config.Config) (*Lent, error) {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	l := &Lent{q: q, name: hex.EncodeToString(random[:]), helpers: map[string]bool{}, errors: map[string]bool{}}
	l.news = sync.NewCond(&l.mu)
	if _, err := q.prepareParts(ctx); err != nil {
		return nil, result.Errorf(result.NoQueue, "%s: %w", q.where(), err)
	}
	o := &offer{q: q, sums: map[string]string{}, there: map[string]bool{}}
	put := func(path string) (sum string, err error) {
		if sum, err = o.sum(path); err == nil {
			err = o.file(ctx, sum, path)
		}
		return sum, err
	}
	var err error
	if l.guest, err = put(c.Guest); err == nil {
		err = inputs(&c, func(path *string) (err error) {
			*path, err = put(*path)
			return err
		})
	}
	if err != nil {
		var own *result.Error
		if errors.As(err, &own) {
			return nil, err
		}
		return nil, result.Errorf(result.NoQueue, "%s: %w", q.where(), err)
	}
	l.config = portable(c)
	return l, nil
}

// portable is a configuration without what is of one machine only.
func portable(c config.Config) config.Config {
	c.Guest, c.GuestNamed, c.Checkpoint, c.Resume, c.Snapshot, c.HTML, c.Sources = "", true, "", "", "", "", nil
	c.Sysroot, c.LibraryPath = "", nil
	c.Out, c.Jobs, c.Time, c.Quiet = config.NoFile, 1, 0, true
	if c.Profile != nil {
		c.Profile = &config.Profile{Text: c.Profile.Text}
	}
	return c
}

// Run hands out what the engine at the other end of a socket lends, until that ends.
func (l *Lent) Run(ctx context.Context, engine *wire.Conn) error {
	l.to = engine
	sub, err := l.q.conn.Subscribe(runSubjects+l.name, l.answer)
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		l.offer(ctx)
	}()
	for {
		var m wire.Part
		if _, err := engine.Receive(&m); err != nil {
			break
		}
		l.mu.Lock()
		switch {
		case m.Offer != nil:
			l.latest, l.batch, l.open = m.Offer, m.Offer.Batch, map[int]bool{}
			for i := range m.Offer.Parts {
				l.open[i] = true
			}
		case m.Over != 0:
			l.latest, l.batch, l.open = nil, 0, nil
		}
		l.news.Broadcast()
		l.mu.Unlock()
	}
	l.mu.Lock()
	l.over, l.batch, l.latest = true, 0, nil
	l.news.Broadcast()
	l.mu.Unlock()
	<-ended
	return nil
}

// Told says how many parts other workers did, "" if there were none.
func (l *Lent) Told() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch len(l.helpers) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("another worker did %d parts of the search", l.done)
	}
	return fmt.Sprintf("%d other workers did %d parts of the search", len(l.helpers), l.done)
}

// offer puts each batch's parts into the stream, the last first, and takes out what is left
// of the one before.
func (l *Lent) offer(ctx context.Context) {
	var at uint64 // the batch in the stream
	for {
		l.mu.Lock()
		for !l.over && l.batch == at {
			l.news.Wait()
		}
		o, over := l.latest, l.over
		l.mu.Unlock()
		if at != 0 {
			l.clear(ctx)
			at = 0
		}
		if over {
			return
		}
		if o == nil {
			continue
		}
		at = o.Batch
		for i := len(o.Parts) - 1; i >= 0 && l.current(at); i-- {
			if err := l.put(ctx, o, i); err != nil {
				l.tell(fmt.Sprintf("a part of the search can't be handed out: %v", err))
				break // it is done by the search itself
			}
		}
	}
}

func (l *Lent) current(batch uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.batch == batch
}

// put puts a part into the stream.
func (l *Lent) put(ctx context.Context, o *wire.Offer, i int) error {
	m := partMessage{Run: l.name, Batch: o.Batch, Part: i, Guest: l.guest, Config: exact(l.config), Data: o.Parts[i]}
	if len(m.Data) > l.q.inline() {
		var err error
		if m.Object, err = l.q.putObject(ctx, m.Data); err != nil {
			return err
		}
		m.Data = nil
		l.mu.Lock()
		l.objects = append(l.objects, m.Object)
		l.mu.Unlock()
	}
	text, err := json.Marshal(&m)
	if err != nil {
		return err
	}
	ask, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	_, err = l.q.js.Publish(ask, fmt.Sprintf("%s%s.%s.%d.%d", partSubjects, l.q.tag, l.name, o.Batch, i), text)
	return err
}

// clear takes the parts that are left out of the stream. A message that can't be
// taken out is dropped by the worker that gets it.
func (l *Lent) clear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), asking)
	defer cancel()
	if s, err := l.q.js.Stream(ctx, partsName); err == nil {
		s.Purge(ctx, jetstream.WithPurgeSubject(partSubjects+l.q.tag+"."+l.name+".>"))
	}
	l.mu.Lock()
	objects := l.objects
	l.objects = nil
	l.mu.Unlock()
	for _, name := range objects {
		l.q.files.Delete(ctx, name)
	}
}

// answer answers a worker.
func (l *Lent) answer(m *nats.Msg) {
	var r partRequest
	if err := unpack(m.Data, &r); err != nil {
		return
	}
	l.mu.Lock()
	wanted := l.batch != 0 && l.batch == r.Batch && l.open[r.Part]
	if wanted && r.Done && r.Error == "" {
		delete(l.open, r.Part)
		l.helpers[r.Worker] = true
		l.done++
	}
	to := l.to
	l.mu.Unlock()
	if r.Done && r.Error != "" {
		l.tell("a worker can't help: " + r.Error)
	}
	if wanted && r.Done && r.Error == "" {
		if r.Object != "" {
			ctx, cancel := context.WithTimeout(context.Background(), moving)
			text, err := l.q.files.GetBytes(ctx, r.Object)
			l.q.files.Delete(ctx, r.Object)
			cancel()
			if err != nil {
				text = nil // it is done by the search itself
			}
			r.Data = text
		}
		to.Send(wire.Part{Done: &wire.Done{Batch: r.Batch, Part: r.Part, Result: r.Data}})
	}
	text, err := json.Marshal(partAnswer{Wanted: wanted})
	if err == nil {
		m.Respond(text)
	}
}

// tell tells a person something, once.
func (l *Lent) tell(line string) {
	l.mu.Lock()
	known := l.errors[line]
	l.errors[line] = true
	l.mu.Unlock()
	if !known {
		l.q.o.Say(line)
	}
}

// inline is how long what goes in a message is at most.
func (q *Queue) inline() int { return int(min(inline, q.conn.MaxPayload()/2)) }

// putObject puts bytes that are too long for a message.
func (q *Queue) putObject(ctx context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	ctx, cancel := context.WithTimeout(ctx, moving)
	defer cancel()
	_, err := q.files.PutBytes(ctx, name, data)
	return name, err
}
