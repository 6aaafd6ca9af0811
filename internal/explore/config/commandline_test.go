package config

import "testing"

func TestReplayCommand(t *testing.T) {
	c := set(t, "pp lock", "search none", "keep-going", "env A=it's", "json")
	c.Guest = "my guests/a.elf"
	c.Args = []string{"-n", "3"}
	if got, want := c.ReplayCommand("a b.landgo", "s1:00000000:0@1"), "landgo replay 'a b.landgo'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := `landgo replay --schedule s1:00000000:0@1/2 --env 'A=it'\''s' --pp yield,lock --keep-going 'my guests/a.elf' -- -n 3`
	if got := c.ReplayCommand("", "s1:00000000:0@1/2"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := c.FinerCommand(), `landgo run --pp mem --env 'A=it'\''s' --search none --keep-going --json 'my guests/a.elf' -- -n 3`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
