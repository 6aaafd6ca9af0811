package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"landgo/internal/grade/flags"
	"landgo/internal/result"
)

// The names of what lies at the server.
const (
	streamName  = "LANDGO_JOBS"
	subjects    = "landgo.jobs."
	fileBucket  = "landgo-files"
	doneBucket  = "landgo-outcomes"
	kept        = 30 * 24 * time.Hour // files and outcomes
	defaultWait = 30 * time.Second
)

// Options say which queue it is, and how it is used.
type Options struct {
	flags.Queue
	// Server is the one of this process, or nil.
	Server *Server
	// Version is that of landgo and its engine: jobs are handed out to its like.
	Version string
	// Say gets what a person may want to know.
	Say func(string)
	// Idle: the desk is over when there is no job.
	Idle bool
}

// Queue is a connection to a NATS server or cluster. It implements grade.Post.
type Queue struct {
	o     Options
	tag   string // of the version, in subjects
	conn  *nats.Conn
	js    jetstream.JetStream
	jobs  jetstream.Consumer
	files jetstream.ObjectStore
	done  jetstream.KeyValue
}

// patience is how long a server is waited for at the start, asking how long each request
// may take, and moving that for a file.
const (
	patience = 10 * time.Second
	asking   = 3 * time.Second
	moving   = 2 * time.Minute
)

// Open connects, and makes at the server what isn't there.
func Open(ctx context.Context, o Options) (*Queue, error) {
	if o.DeadAfter == 0 {
		o.DeadAfter = defaultWait
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	sum := sha256.Sum256([]byte(o.Version))
	q := &Queue{o: o, tag: hex.EncodeToString(sum[:8])}
	options, err := q.options()
	if err != nil {
		return nil, err
	}
	if q.conn, err = nats.Connect(strings.Join(o.URLs, ","), options...); err != nil {
		return nil, result.Errorf(result.NoQueue, "%s: %w", q.where(), err)
	}
	if q.js, err = jetstream.New(q.conn); err != nil {
		q.conn.Close()
		return nil, err
	}
	// A cluster that has just started, or lost a server, has no leader yet.
	for begin, told := time.Now(), false; ; pause(ctx, 250*time.Millisecond) {
		err = q.prepare(ctx)
		if waited := time.Since(begin); err == nil || ctx.Err() != nil || waited > waitFor(err) {
			break
		} else if waited > patience && !told {
			told = true
			q.o.Say(fmt.Sprintf("%s: %v: trying again", q.where(), err))
		}
	}
	if err != nil {
		q.conn.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, result.Errorf(result.NoQueue, "%s: %w", q.where(), err)
	}
	return q, nil
}

// Close ends the connection, after what was sent has gone.
func (q *Queue) Close() {
	q.conn.FlushTimeout(time.Second)
	q.conn.Close()
}

// where names the servers without passwords.
func (q *Queue) where() string {
	var all []string
	for _, u := range q.o.URLs {
		scheme, rest, ok := strings.Cut(u, "://")
		if !ok {
			scheme, rest = "nats", u
		}
		if i := strings.LastIndexByte(rest, '@'); i >= 0 {
			rest = rest[i+1:]
		}
		all = append(all, scheme+"://"+rest)
	}
	return strings.Join(all, ",")
}

// options are those of the connection. It is made again for ever: servers come back.
func (q *Queue) options() ([]nats.Option, error) {
	o := &q.o
	all := []nats.Option{
		nats.Name("landgo"), nats.Timeout(patience), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(3),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				o.Say(fmt.Sprintf("the NATS server is away: %v", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { o.Say("the NATS server is back") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each is seen where it is asked
	}
	if o.Server != nil {
		all = append(all, nats.InProcessServer(o.Server.server))
	}
	if o.Creds != "" {
		all = append(all, nats.UserCredentials(o.Creds))
	}
	if o.NKey != "" {
		key, err := nats.NkeyOptionFromSeed(o.NKey)
		if err != nil {
			return nil, result.Errorf(result.NoQueue, "--nkey %s: %w", o.NKey, err)
		}
		all = append(all, key)
	}
	if o.Token != "" {
		token, err := readToken(o.Token)
		if err != nil {
			return nil, err
		}
		all = append(all, nats.Token(token))
	}
	if o.Server != nil {
		return all, nil // nothing leaves the process
	}
	if o.CA != "" {
		all = append(all, nats.RootCAs(o.CA))
	}
	if o.Cert != "" {
		all = append(all, nats.ClientCert(o.Cert, o.Key))
	}
	return all, nil
}

// prepare makes what isn't there. Things that are there stay as they are.
func (q *Queue) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	replicas := q.replicas()
	_, err := q.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: streamName, Subjects: []string{subjects + ">"}, Retention: jetstream.WorkQueuePolicy, Replicas: replicas,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	})
	if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return fmt.Errorf("the stream of jobs: %w", err)
	}
	if q.files, err = q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: fileBucket, TTL: kept, Replicas: replicas}); errors.Is(err, jetstream.ErrBucketExists) {
		q.files, err = q.js.ObjectStore(ctx, fileBucket)
	}
	if err != nil {
		return fmt.Errorf("the store of programs: %w", err)
	}
	if q.done, err = q.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: doneBucket, TTL: kept, Replicas: replicas}); errors.Is(err, jetstream.ErrBucketExists) {
		q.done, err = q.js.KeyValue(ctx, doneBucket)
	}
	if err != nil {
		return fmt.Errorf("the outcomes: %w", err)
	}
	q.jobs, err = q.js.CreateOrUpdateConsumer(ctx, streamName, jetstream.ConsumerConfig{
		Durable: "landgo-" + q.tag, FilterSubject: subjects + q.tag + ".>", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: q.o.DeadAfter, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		return fmt.Errorf("the queue of jobs: %w", err)
	}
	return nil
}

// replicas is on how many servers all is kept.
func (q *Queue) replicas() int {
	switch {
	case q.o.Replicas != 0:
		return q.o.Replicas
	case q.conn.ConnectedClusterName() != "":
		return 3
	}
	return 1
}

// repair waits for a server that is away. One that comes back with nothing gets what has
// to be there.
func (q *Queue) repair(ctx context.Context) {
	pause(ctx, 250*time.Millisecond)
	if ctx.Err() != nil || !q.conn.IsConnected() {
		return
	}
	ask, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	if _, err := q.jobs.Info(ask); errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		again := *q // others have this one; it goes by names, which stay
		again.prepare(ctx)
	}
}

// waitFor is how long after the first try it is worth trying again. An error may be gone
// when the servers have found each other, which takes long on a busy machine. A server
// without JetStream won't answer better.
func waitFor(err error) time.Duration {
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api) && api.ErrorCode == noLeader, errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return 12 * patience
	case api == nil, api.Code == 503, api.ErrorCode == noPeers:
		return 2 * patience
	}
	return 0
}

// The server's codes for a cluster that has no leader at the moment, or too few servers.
const (
	noLeader = 10008
	noPeers  = 10005
)

// pause waits, or less if the context is over.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
