package trace

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestScheduleText(t *testing.T) {
	s := Schedule{Check: 0x7f03a9c2, Segments: []Segment{
		{Thread: "0", Until: 10412},
		{Thread: "0.1", Until: 35},
		{Thread: "0.2", Until: 61, Choice: 1},
		{Thread: "0.1.12", Until: 80, Part: 1, Choice: 3},
	}}
	const text = "s1:7f03a9c2:0@10412,0.1@35,0.2@61/1,0.1.12@80+1/3"
	if got := s.String(); got != text {
		t.Errorf("String() = %q, want %q", got, text)
	}
	got, err := ParseSchedule(text)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("ParseSchedule(%q) = %v, %v", text, got, err)
	}
}

func TestScheduleErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", `begins with "s1:"`},
		"words":            {"not a schedule", `begins with "s1:"`},
		"newer version":    {"s2:00000000:0@1", "version s2"},
		"no check":         {"s1:0@1", "check field"},
		"short check":      {"s1:12:0@1", "check field"},
		"upper-case check": {"s1:ABCDEF01:0@1", "check field"},
		"check of words":   {"s1:zzzzzzzz:0@1", "hexadecimal"},
		"no at":            {"s1:00000000:0", "no @"},
		"no thread":        {"s1:00000000:@1", "thread's name"},
		"thread 1":         {"s1:00000000:1@1", "thread's name"},
		"child 0":          {"s1:00000000:0.0@1", "thread's name"},
		"leading zero":     {"s1:00000000:0@01", "isn't a number"},
		"negative":         {"s1:00000000:0@-1", "isn't a number"},
		"plus sign":        {"s1:00000000:0@+1", "isn't a number"},
		"too large":        {"s1:00000000:0@18446744073709551616", "isn't a number"},
		"choice 0":         {"s1:00000000:0@1/0", "1 or more"},
		"part 0":           {"s1:00000000:0@1+0", "1 or more"},
		"empty segment":    {"s1:00000000:0@1,,0@2", "segment 2"},
		"trailing comma":   {"s1:00000000:0@1,", "segment 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseSchedule(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("ParseSchedule(%q): error %v, want one with %q", c.text, err, c.want)
			}
		})
	}
}

func TestScheduleAppend(t *testing.T) {
	var s Schedule
	s.Append(Segment{Thread: "0", Until: 10})
	s.Append(Segment{Thread: "0", Until: 20, Part: 1}) // goes on: one segment
	s.Append(Segment{Thread: "0.1", Until: 5})
	s.Append(Segment{Thread: "0.1", Until: 9, Choice: 2}) // a choice begins one
	s.Append(Segment{Thread: "0", Until: 30})
	if got, want := s.String(), "s1:00000000:0@20+1,0.1@5,0.1@9/2,0@30"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestScheduleRoundTrip: every schedule survives its text form, which no shell
// touches.
func TestScheduleRoundTrip(t *testing.T) {
	segment := rapid.Custom(func(t *rapid.T) Segment {
		name := "0"
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 300), 0, 3).Draw(t, "path") {
			name += "." + strconv.Itoa(n)
		}
		return Segment{
			Thread: name,
			Until:  rapid.Uint64().Draw(t, "until"),
			Part:   rapid.Uint32().Draw(t, "part"),
			Choice: Choice(rapid.Uint32Range(0, 3).Draw(t, "choice")),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		s := Schedule{Check: rapid.Uint32().Draw(t, "check"), Segments: rapid.SliceOf(segment).Draw(t, "segments")}
		if len(s.Segments) == 0 {
			s.Segments = nil
		}
		text := s.String()
		if i := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("s0123456789abcdef:.,@+/", r) }); i >= 0 {
			t.Fatalf("%q has the character %q", text, text[i])
		}
		got, err := ParseSchedule(text)
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("ParseSchedule(%q) = %v, %v; want %v", text, got, err, s)
		}
	})
}

// FuzzParseSchedule: whatever is accepted has this text and no other.
func FuzzParseSchedule(f *testing.F) {
	f.Add("s1:7f03a9c2:0@10412,0.1@35,0.2@61/1,0.1.12@80+1/3")
	f.Add("s1:00000000:")
	f.Add("s1:00000000:0@1+0")
	f.Add("s12:")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchedule(text)
		if err == nil && s.String() != text {
			t.Errorf("ParseSchedule(%q).String() = %q", text, s.String())
		}
	})
}
