package report

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"landgo/internal/result"
)

// TestBrief: the text for students of each sample has few lines, no address, no
// schedule, no source line, and no function of a library.
func TestBrief(t *testing.T) {
	for name, r := range samples() {
		r.Finish()
		var b bytes.Buffer
		Brief(&b, r, plain)
		golden(t, "brief-"+name+".txt", b.Bytes())
		loud := plain
		loud.Color, loud.Verbose = true, true
		var again bytes.Buffer
		if Brief(&again, r, loud); !bytes.Equal(again.Bytes(), b.Bytes()) {
			t.Errorf("%s differs with colours:\n%s", name, again.String())
		}
		text := b.String()
		if n := strings.Count(text, "\n"); n == 0 || n > BriefLines {
			t.Errorf("%s: %d lines", name, n)
		}
		if anAddress.MatchString(text) || strings.Contains(text, "s1:") || strings.Contains(text, " | ") {
			t.Errorf("%s: an address, a schedule or a source line in\n%s", name, text)
		}
		if r.Verdict == result.Buggy && !strings.Contains(text, "Look at: ") && name != "partial" { // which has no lines
			t.Errorf("%s: nothing to look at in\n%s", name, text)
		}
		for _, f := range []string{"__libc", "_start", "raise", "abort (", "pthread_"} {
			if strings.Contains(text, " "+f) {
				t.Errorf("%s: %s isn't the student's function\n%s", name, f, text)
			}
		}
	}
}

// TestBriefIsShort: not even a bug with very many long parts has more lines, and each
// part has its place.
func TestBriefIsShort(t *testing.T) {
	r := samples()["lost-update"]
	long := strings.Repeat("many words of a guest ", 100)
	bug := r.Bug
	bug.Message, bug.Cause, bug.Mistake, bug.BeforeThreads = long, long, long, false
	for i := range 50 {
		frame := []result.Frame{{Function: fmt.Sprintf("own%d", i), File: "/elsewhere/own.c", Line: i + 1, Address: 0x401136}}
		bug.Accesses = append(bug.Accesses, result.Access{Thread: "0.1", Op: "reads", Address: 0x4c5310, Stack: frame})
		bug.Steps = append(bug.Steps, result.Step{From: "0.1", To: "0.2", Why: "preempted before it writes 0x4c5310", Preemption: true, Stack: frame})
		bug.Waits = append(bug.Waits, result.Wait{Thread: "0.3", For: "mutex", Object: "0x4c5310", Address: 0x4c5310, Stack: frame})
	}
	r.Bugs = []*result.Bug{bug, bug}
	r.Finish()
	var b bytes.Buffer
	Brief(&b, r, plain)
	text := b.String()
	if n := strings.Count(text, "\n"); n > BriefLines {
		t.Errorf("%d lines:\n%s", n, text)
	}
	for _, want := range []string{"bug under sequential consistency: assertion", "The run found 1 other bug too.", "waits for a mutex in own0 (own.c:1)", "switch: T1 worker", "Look at: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "0x4c5310") || strings.Contains(text, "/elsewhere") {
		t.Errorf("an address or a folder in\n%s", text)
	}
}

// TestBriefWithoutCommand: what holds with parts trusted ends in a command with a
// schedule, which a student has no use for.
func TestBriefWithoutCommand(t *testing.T) {
	r := samples()["budget"]
	r.Rungs = []result.Rung{{Trust: "mutex", Bug: samples()["deadlock"].Bug, Replay: "landgo replay --schedule s1:7f03a9c2:0@1 lost"}}
	r.Finish()
	var b bytes.Buffer
	if Brief(&b, r, plain); strings.Contains(b.String(), "s1:") || !strings.HasPrefix(b.String(), "budget under sequential consistency: ") {
		t.Error(b.String())
	}
}

// TestBriefIsHarmless: what a guest says can't reach the terminal.
func TestBriefIsHarmless(t *testing.T) {
	const evil = "\x1b]0;owned\x07\xff\n\u202e"
	for name, r := range samples() {
		poison(reflect.ValueOf(r).Elem(), evil)
		r.Verdict = samples()[name].Verdict
		r.Finish()
		var b bytes.Buffer
		Brief(&b, r, plain)
		if strings.ContainsAny(b.String(), "\x1b\x07\u202e") || !utf8.Valid(b.Bytes()) {
			t.Errorf("%s: %q", name, b.String())
		}
	}
}
