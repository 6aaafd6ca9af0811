package linear

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Spec is a sequential specification: what an object does if its calls come one after
// the other. A state is a string that only the specification reads.
type Spec interface {
	// Init is the first state.
	Init() (state string, err error)
	// Apply is the outcome of a call in a state.
	Apply(state string, op, arg int64) (Outcome, error)
	// Part is the part of the object that a call works on: calls on different parts have
	// nothing to do with each other, so each part is linearisable by itself.
	Part(op, arg int64) int64
	// Name is the call in words.
	Name(op, arg int64) string
	// Said is a call's result in words, "" if it says nothing.
	Said(op, result int64) string
	// Normal is a result as Apply gives it.
	Normal(op, result int64) int64
	// Kind names the object's kind.
	Kind() string
}

// Outcome is the state after a call, and its result. Free: the result says nothing.
type Outcome struct {
	State  string
	Result int64
	Free   bool
}

// Empty is the result that an empty queue or stack gives.
const Empty = math.MinInt64

// Kind is a specification that landgo has.
type Kind int64

// The kinds, by the numbers of the header.
const (
	Queue Kind = iota + 1
	Stack
	SetOf
	Register
	kinds
)

// The calls, by the numbers of the header.
const (
	Put      = iota + 1 // Queue, Stack: 1, or 0 where a limit is reached
	Take                // Queue, Stack: a value, or Empty
	Add                 // SetOf: 1 if it wasn't there
	Remove              // SetOf: 1 if it was there
	Contains            // SetOf
	Write               // Register
	Read                // Register
	Swap                // Register: the value before
	Increase            // Register: by a number; the value before
)

var kindNames = [kinds]string{Queue: "queue", Stack: "stack", SetOf: "set", Register: "register"}

var callNames = map[Kind]map[int64]string{
	Queue:    {Put: "enqueue", Take: "dequeue"},
	Stack:    {Put: "push", Take: "pop"},
	SetOf:    {Add: "add", Remove: "remove", Contains: "contains"},
	Register: {Write: "write", Read: "read", Swap: "swap", Increase: "add"},
}

// builtin is a specification of landgo's: limit is a queue's or a stack's capacity, 0 for
// none, and a register's first value.
type builtin struct {
	kind  Kind
	limit int64
}

// New is a specification of landgo's.
func New(kind, limit int64) (Spec, error) {
	if kind < int64(Queue) || kind >= int64(kinds) {
		return nil, fmt.Errorf("landgo has no specification number %d: LANDGO_QUEUE, LANDGO_STACK, LANDGO_SET and LANDGO_REGISTER are those that it has", kind)
	}
	return builtin{Kind(kind), limit}, nil
}

func (b builtin) Kind() string { return kindNames[b.kind] }

func (b builtin) Init() (string, error) {
	if b.kind == Register {
		return word(b.limit), nil
	}
	return "", nil
}

func word(v int64) string {
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], uint64(v))
	return string(w[:])
}

func value(s string) int64 { return int64(binary.LittleEndian.Uint64([]byte(s))) }

func (b builtin) Apply(state string, op, arg int64) (Outcome, error) {
	switch b.kind {
	case Queue, Stack:
		switch {
		case op == Put && b.limit > 0 && int64(len(state)) >= 8*b.limit:
			return Outcome{State: state}, nil
		case op == Put:
			return Outcome{State: state + word(arg), Result: 1, Free: b.limit <= 0}, nil
		case op == Take && state == "":
			return Outcome{Result: Empty}, nil
		case op == Take && b.kind == Queue:
			return Outcome{State: state[8:], Result: value(state[:8])}, nil
		case op == Take:
			n := len(state) - 8
			return Outcome{State: state[:n], Result: value(state[n:])}, nil
		}
	case SetOf: // of one element: see Part
		switch {
		case op == Add && state == "":
			return Outcome{State: "x", Result: 1}, nil
		case op == Remove && state != "":
			return Outcome{Result: 1}, nil
		case op == Contains && state != "":
			return Outcome{State: state, Result: 1}, nil
		case op == Add, op == Remove, op == Contains:
			return Outcome{State: state}, nil
		}
	case Register:
		switch op {
		case Write:
			return Outcome{State: word(arg), Free: true}, nil
		case Read:
			return Outcome{State: state, Result: value(state)}, nil
		case Swap:
			return Outcome{State: word(arg), Result: value(state)}, nil
		case Increase:
			return Outcome{State: word(value(state) + arg), Result: value(state)}, nil
		}
	}
	return Outcome{}, fmt.Errorf("a %s has no operation %d", b.Kind(), op)
}

func (b builtin) Part(_, arg int64) int64 {
	if b.kind == SetOf {
		return arg
	}
	return 0
}

func (b builtin) Name(op, arg int64) string {
	name := callNames[b.kind][op]
	if op == Take || op == Read {
		return name + "()"
	}
	return fmt.Sprintf("%s(%d)", name, arg)
}

func (b builtin) Said(op, result int64) string {
	switch {
	case b.kind == Register && op == Write, op == Put && b.kind != SetOf && b.kind != Register && b.limit <= 0:
		return ""
	case op == Put && (b.kind == Queue || b.kind == Stack):
		return map[bool]string{true: "taken", false: "full"}[result != 0]
	case result == Empty:
		return "empty"
	case b.kind == SetOf:
		return map[bool]string{true: "yes", false: "no"}[result != 0]
	}
	return fmt.Sprint(result)
}

// Normal is a result as Apply gives it: where it only says yes or no, any number but 0
// says yes.
func (b builtin) Normal(op, result int64) int64 {
	if (b.kind == SetOf || op == Put && b.kind != Register) && result != 0 {
		return 1
	}
	return result
}
