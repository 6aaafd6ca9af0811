package debuginfo

import (
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
)

func TestVariable(t *testing.T) {
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static -gdwarf-2", "-static -gdwarf-4", "-static -gdwarf-5 -O2", "-static-pie -g -O1", "-static -g -flto"} {
			t.Run(l.Compiler+" "+flags, func(t *testing.T) {
				info := open(t, l.Compiler, "variables.c", flags)
				for _, tc := range []struct {
					symbol string
					offset uint64
					want   string
				}{
					{"counter", 0, "counter"},
					{"counter", 3, "counter+3"},
					{"flag", 0, "flag"},
					{"atomic", 0, "atomic"},
					{"pointer", 0, "pointer"},
					{"table", 0, "table[0]"},
					{"table", 12, "table[3]"},
					{"table", 30, "table[7]+2"},
					{"grid", 0, "grid[0][0]"},
					{"grid", 2 * (5 + 3), "grid[1][3]"},
					{"queue", 0, "queue.head"},
					{"queue", 8, "queue.tail"},
					{"queue", 16, "queue.slots[0].next"},
					{"queue", 16 + 16 + 8, "queue.slots[1].value"},
					{"queue", 16 + 16 + 13, "queue.slots[1].tag[1]"},
					{"queue", 16 + 15, "queue.slots[0]+15"},
					{"queue", 80, "queue.lock"},
					{"queue", 84, "queue.lock"},
					{"queue", 120, "queue.whole"},
					{"queue", 128, "queue.bit_a"},
					{"queue", 136, "queue.point.y"},
					{"queues", 144 + 8, "queues[1].tail"},
					{"stats", 0, "stats.level"},
					{"stats", 4, "stats.hits"},
					{"mutex", 0, "mutex"},
					{"mutex", 16, "mutex"},
					{"sems", 0, "sems[0]"},
					{"sems", 32, "sems[1]"},
					{"later", 8, "later[2]"},
				} {
					s, ok := info.Symbol(tc.symbol)
					if !ok {
						t.Fatalf("no symbol %s", tc.symbol)
					}
					if got, ok := info.Variable(s.Addr + tc.offset); got != tc.want || !ok {
						t.Errorf("%s+%d: %q, want %q", tc.symbol, tc.offset, got, tc.want)
					}
				}
				checkStatics(t, info)
			})
		}
	}
}

// checkStatics finds the two function-static variables of one name.
func checkStatics(t *testing.T, info *Info) {
	t.Helper()
	found := map[string]bool{}
	for _, s := range info.Symbols {
		if s.Kind == elffile.Object && localSuffix.ReplaceAllString(s.Name, "") == "count" {
			name, _ := info.Variable(s.Addr)
			found[name] = true
		}
	}
	if len(found) != 2 || !found["next::count"] || !found["other::count"] {
		t.Errorf("function-static variables: %v", found)
	}
}

func TestVariableWithoutDWARF(t *testing.T) {
	info := open(t, "gcc", "variables.c", "-static")
	s, _ := info.Symbol("queue")
	for addr, want := range map[uint64]string{s.Addr: "queue", s.Addr + 8: "queue+8", info.Entry: "", 0: ""} {
		if got, ok := info.Variable(addr); got != want || ok != (want != "") {
			t.Errorf("%#x: %q, want %q", addr, got, want)
		}
	}
	for _, s := range info.Symbols {
		if localSuffix.MatchString(s.Name) && s.Kind == elffile.Object {
			if got, _ := info.Variable(s.Addr); localSuffix.MatchString(got) {
				t.Errorf("%s is shown as %s", s.Name, got)
			}
		}
	}
}
