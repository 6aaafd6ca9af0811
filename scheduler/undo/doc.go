// Package undo has stacks that go back: old states, and the transitions of the present path. A search
// takes a step and takes it back some million times, so they keep their memory and never move.
//
// # The files
//
//	log     Log: old states
//	values  Values: present values by key, and how they go back
//	arena   Arena: transitions, and what their slices point to
package undo
