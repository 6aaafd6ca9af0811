package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"landgo/internal/explore/config"
	"landgo/internal/wire"
)

// inline is how long an outcome in the key-value store is at most, in bytes; a longer one
// is an object. It is half of what a message may have by default.
const inline = 512 << 10

// outcomeOf is a job's outcome at the server, nil if there is none.
func (q *Queue) outcomeOf(ctx context.Context, key string) (*outcomeMessage, error) {
	e, err := q.done.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := q.read(ctx, e.Value())
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, nil // older than what is kept
	}
	return m, err
}

// read reads an outcome, which may be an object.
func (q *Queue) read(ctx context.Context, text []byte) (*outcomeMessage, error) {
	var m outcomeMessage
	if err := unpack(text, &m); err != nil || m.Object == "" {
		return &m, err
	}
	text, err := q.files.GetBytes(ctx, m.Object)
	if err != nil {
		return nil, err
	}
	var whole outcomeMessage
	return &whole, unpack(text, &whole)
}

// tell puts an outcome. The first one stays, unless it says that the job was lost.
func (q *Queue) tell(ctx context.Context, key string, m *outcomeMessage) error {
	text, err := pack(m)
	if err != nil {
		return err
	}
	if len(text) > q.inline() {
		sum := sha256.Sum256(text)
		name := hex.EncodeToString(sum[:])
		if _, err := q.files.PutBytes(ctx, name, text); err != nil {
			return err
		}
		if text, err = pack(&outcomeMessage{Object: name}); err != nil {
			return err
		}
	}
	_, err = q.done.Create(ctx, key, text)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	if old, err := q.outcomeOf(ctx, key); err != nil || old != nil && (!old.Lost || m.Lost) {
		return err
	}
	_, err = q.done.Put(ctx, key, text)
	return err
}

func exact(c config.Config) wire.Exact[config.Config] { return wire.Exact[config.Config]{Value: c} }
