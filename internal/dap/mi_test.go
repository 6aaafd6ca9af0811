package dap

import (
	"reflect"
	"testing"
)

// TestRecords: the machine interface's text, by samples of gdb's manual and of gdb 13.
func TestRecords(t *testing.T) {
	for _, c := range []struct {
		line string
		want record
		ok   bool
	}{
		{"(gdb) ", record{}, false},
		{"", record{}, false},
		{"12^done", record{token: 12, kind: '^', class: "done", results: tuple{}}, true},
		{`3^error,msg="No \"x\"\n"`, record{token: 3, kind: '^', class: "error", results: tuple{"msg": "No \"x\"\n"}}, true},
		{`~"a\tb\303\251\\"`, record{kind: '~', text: "a\tb\303\251\\"}, true},
		{`*stopped,reason="no-history",frame={func="main",args=[{name="a",value="1"}],level="0"},thread-id="2"`,
			record{kind: '*', class: "stopped", results: tuple{"reason": "no-history", "thread-id": "2",
				"frame": tuple{"func": "main", "level": "0", "args": []any{tuple{"name": "a", "value": "1"}}}}}, true},
		{`1^done,stack=[frame={level="0"},frame={level="1"}],empty=[],none={}`,
			record{token: 1, kind: '^', class: "done", results: tuple{"stack": []any{tuple{"level": "0"}, tuple{"level": "1"}}, "empty": []any(nil), "none": tuple{}}}, true},
	} {
		got, ok, err := parseRecord(c.line)
		if err != nil || ok != c.ok || ok && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v, %v", c.line, got, ok, err)
		}
	}
	for _, bad := range []string{`1^done,x`, `1^done,x=`, `1^done,x={a="1"`, `1^done,x=[{]`, `~"open`, `1^done,x="\`, `99999999999999999999^done`} {
		if r, ok, err := parseRecord(bad); ok || err == nil {
			t.Errorf("%s is %+v", bad, r)
		}
	}
}

// FuzzRecord: no line makes the parser fail, and what is quoted is read back.
func FuzzRecord(f *testing.F) {
	f.Add(`12^done,a={b=["c",d={}]}`)
	f.Add(`~"\303\n"`)
	f.Fuzz(func(t *testing.T, line string) {
		parseRecord(line)
		p := parser{quote(line)}
		if got, err := p.constant(); err != nil || got != line {
			t.Errorf("%q became %q, %v", line, got, err)
		}
	})
}
