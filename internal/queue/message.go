package queue

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"reflect"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/grade"
	"landgo/internal/wire"
)

// jobMessage is a job. Its search's input lies at the server, by its digest.
type jobMessage struct {
	Key string `json:"key"`
	// Guest is the program's digest, Name its path in the submission.
	Guest string `json:"guest"`
	Name  string `json:"name"`
	// Config has digests in place of the paths of files.
	Config wire.Exact[config.Config] `json:"config"`
}

// outcomeMessage is the outcome of a job.
type outcomeMessage struct {
	// Lost: no worker lived to tell.
	Lost bool `json:"lost,omitempty"`
	// Result has placeholders in place of the paths of the worker's files.
	Result *wire.Result `json:"result,omitempty"`
	// Object is the name of the object that has the outcome, if it is too long for a
	// message.
	Object string `json:"object,omitempty"`
}

// maxText bounds what an outcome has once it is unpacked.
const maxText = 1 << 30

func pack(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	err = z.Close()
	return b.Bytes(), err
}

func unpack(data []byte, v any) error {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxText))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// inputs calls a function for each path of a file that a configuration names, which may
// change it.
func inputs(c *config.Config, each func(path *string) error) error {
	if c.Stdin != "" {
		if err := each(&c.Stdin); err != nil {
			return err
		}
	}
	c.Files = append([]config.GuestFile(nil), c.Files...) // others have the same
	for i := range c.Files {
		if c.Files[i].Host != "" {
			if err := each(&c.Files[i].Host); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeholder stands for the path of the file with a digest, which differs among
// machines.
func placeholder(sum string) string { return "landgo-file:" + sum }

// rename replaces texts in all strings of a value.
func rename(v reflect.Value, pairs *strings.Replacer) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			rename(v.Field(i), pairs)
		}
	case reflect.Slice:
		for i := range v.Len() {
			rename(v.Index(i), pairs)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			rename(v.Elem(), pairs)
		}
	case reflect.String:
		v.SetString(pairs.Replace(v.String()))
	}
}

// renamed is a result with texts replaced, which shares nothing with the one given.
func renamed(r *wire.Result, pairs map[string]string) (*wire.Result, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var out wire.Result
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	var flat []string
	for from, to := range pairs { // none is a part of another one
		flat = append(flat, from, to)
	}
	rename(reflect.ValueOf(&out.Result.Value), strings.NewReplacer(flat...))
	return &out, nil
}

// outcome is that of a message, with own paths of files.
func (m *outcomeMessage) outcome(paths map[string]string) (*grade.Outcome, error) {
	if m.Lost || m.Result == nil {
		return grade.LostOutcome(), nil
	}
	r, err := renamed(m.Result, paths)
	if err != nil {
		return nil, err
	}
	whole := r.Whole()
	whole.Finish()
	return &grade.Outcome{Result: whole}, nil
}

// messageOf is an outcome's message, without own paths of files.
func messageOf(o *grade.Outcome, paths map[string]string) (*outcomeMessage, error) {
	if o.Lost {
		return &outcomeMessage{Lost: true}, nil
	}
	r, err := renamed(wire.ResultOf(o.Result), paths)
	return &outcomeMessage{Result: r}, err
}

var _ grade.Post = (*Queue)(nil)
