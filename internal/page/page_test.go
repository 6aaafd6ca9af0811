package page

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"landgo/internal/result"
)

func frame(line int) []result.Frame {
	return []result.Frame{{Function: "add", File: "a.c", Line: line, Address: 0x401000}}
}

// lost is the replay of a lost update: two threads add to x.
func lost() *result.Result {
	access := func(thread, op, old, new string, line int) result.Access {
		return result.Access{Thread: thread, Op: op, Address: 0x4000, Size: 4, Symbol: "x", Old: old, New: new, Instruction: op, Stack: frame(line)}
	}
	first, other, second := access("0.1", "reads", "0", "", 3), access("0.2", "writes", "", "1", 4), access("0.1", "writes", "", "1", 4)
	b := &result.Bug{Kind: "assertion", Message: "assertion failed: x == 2", Thread: "0", Cause: "0.2 changes x", Schedule: "s1:0", Stack: frame(9),
		Accesses:     []result.Access{first, other, second},
		ThreadStarts: []result.ThreadStart{{Thread: "0", Function: "main"}, {Thread: "0.1", Function: "add"}, {Thread: "0.2", Function: "add"}}}
	b.Difference = []result.Moment{{Thread: "0.2", Does: "writes x", Step: 3, Access: 2}, {Thread: "0.1", Does: "writes x", Step: 4, Access: 1}}
	result.LabelByPath(b.ThreadStarts)
	return &result.Result{Verdict: result.Buggy, Bug: b, Bugs: []*result.Bug{b}, Guest: result.Guest{Path: "a.out"}, Account: []result.Event{
		{Thread: "0", Operations: []result.Operation{{Does: "creates 0.1"}, {Does: "creates 0.2"}}, Switch: "waits for thread 0.1 to end"},
		{Thread: "0.1", After: 1, Accesses: []result.Access{first}, Switch: "preempted", Preemption: true},
		{Thread: "0.2", After: 1, Accesses: []result.Access{access("0.2", "reads", "0", "", 3), other}, Operations: []result.Operation{{Does: "ends", Before: 2}}, Switch: "ended"},
		{Thread: "0.1", Accesses: []result.Access{second}, Operations: []result.Operation{{Does: "ends", Before: 1}}, Switch: "ended"},
		{Thread: "0", Operations: []result.Operation{{Does: "joins 0.1", After: []int{4}}, {Does: "joins 0.2", After: []int{3}}}},
	}}
}

// covered is lost, with lines that no interleaving ran.
func covered() *result.Result {
	r := lost()
	r.Coverage = &result.Coverage{Lines: 3, Run: 1, Files: []result.CoveredFile{{File: "a.c", Lines: []result.CoveredLine{{Line: 3, Function: "add", Run: true}, {Line: 6, Function: "add"}, {Line: 7, Function: "rest"}}}}}
	return r
}

// TestRows: operations and accesses are rows in their order, with the cause, its
// collisions, the switches and what comes after what.
func TestRows(t *testing.T) {
	r := lost()
	s := tell(r, r.Bug)
	var got []string
	for _, row := range s.rows {
		mark := ""
		if row.Cause {
			mark = "*"
		}
		if row.Preempt {
			mark += "!"
		}
		got = append(got, fmt.Sprint(row.Thread, " ", row.Text, mark, row.After))
	}
	want := []string{"0 creates T1 add[]", "0 creates T2 add[]", "1 reads x = 0*[1]", "2 reads x = 0![1]", "2 writes x = 1*[]", "2 ends[]", "1 writes x = 1*[]", "1 ends[]",
		"0 joins T1 add[7]", "0 joins T2 add[5]", "0 assertion failed: x == 2[]"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if fmt.Sprint(s.races) != "[[2 4] [4 6]]" {
		t.Errorf("collisions %v", s.races)
	}
}

// TestFold: turns of a loop that say the same are reported once, and a long story keeps its
// switches, its cause and its end.
func TestFold(t *testing.T) {
	r := lost()
	r.Bug.Difference = nil // its steps are later here
	var spin []result.Event
	for range 5000 {
		spin = append(spin, result.Event{Thread: "0.2", Accesses: []result.Access{
			{Thread: "0.2", Op: "reads", Symbol: "flag", Old: "0", Stack: frame(7)}, {Thread: "0.2", Op: "updates", Symbol: "n", Stack: frame(8)}}})
	}
	whole := append(append(append([]result.Event{}, r.Account[:2]...), spin...), r.Account[2:]...)
	r.Account = whole
	s := tell(r, r.Bug)
	if n := len(s.rows); n != 13 {
		t.Fatalf("%d rows", n)
	}
	if row := s.rows[3]; row.Times != 5000 || row.Until != 4 {
		t.Errorf("%+v", row)
	}
	if !strings.Contains(string(s.draw()), "these 2 x 5000") {
		t.Error("the picture doesn't say how often")
	}
	for i := range spin { // each another value: nothing to fold
		spin[i].Accesses[0].Old = fmt.Sprint(i)
	}
	r.Account = append(append(append([]result.Event{}, lost().Account[:2]...), spin...), lost().Account[2:]...)
	s = tell(r, r.Bug)
	if len(s.rows) > maxRows || s.cut == 0 || !s.rows[len(s.rows)-1].Fails || len(s.races) != 2 {
		t.Errorf("%d rows, %d cut, %d collisions", len(s.rows), s.cut, len(s.races))
	}
}

// hostile is text that would break out of HTML, of a script or of JSON.
const hostile = "</script><img src=x onerror=alert(1)>\"'`&lt;]]>\x00\xff\u2028${1}"

func written(t *testing.T, r *result.Result) string {
	t.Helper()
	var b bytes.Buffer
	text := strings.Repeat("int x;\n", 8) + hostile + "\n"
	if err := Write(&b, r, func(name string) ([]byte, error) {
		if name == "a.c" {
			return []byte(text), nil
		}
		return nil, errors.New("none")
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostileTexts: nothing of the guest's is more than text, and nothing is asked of
// anywhere.
func TestHostileTexts(t *testing.T) {
	r := lost()
	b := r.Bug
	b.Message, b.Cause, b.Passing, b.Mistake, b.Output, b.Replay, r.Guest.Path = hostile, hostile, hostile, hostile, hostile, hostile, hostile
	b.Block = &result.Block{Size: 8, Allocated: result.Origin{Thread: hostile}}
	b.Stack[0].Function, b.Stack[0].File = hostile, hostile
	b.ThreadStarts[1].Function = hostile
	r.Account[0].Operations[0].Does, r.Account[1].Switch, r.Account[2].Output = hostile, hostile, hostile
	for i := range r.Account[2].Accesses {
		r.Account[2].Accesses[i].Symbol = hostile
	}
	page := written(t, r)
	if strings.Contains(page, "<img") || strings.Count(page, "</script>") != 2 {
		t.Error("the guest's text is part of the page")
	}
	if m := regexp.MustCompile(`(?i)(src|href|action)=|url\([^#]|@import|https?:`).FindString(strings.ReplaceAll(page, "img src=x", "")); m != "" {
		t.Errorf("the page asks for something: %s", m)
	}
	_, rest, _ := strings.Cut(page, `id="data">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var d data
	if err := json.Unmarshal([]byte(text), &d); err != nil || d.Version != Version || len(d.Rows) == 0 {
		t.Errorf("the data: %v", err)
	}
	svg := page[strings.Index(page, "<svg"):]
	svg = svg[:strings.Index(svg, "</svg>")+6]
	if err := xml.Unmarshal([]byte(svg), new(struct{ XMLName xml.Name })); err != nil {
		t.Errorf("the picture isn't well formed: %v", err)
	}
}

// TestSize: a story of 200 steps takes less than 300 kB.
func TestSize(t *testing.T) {
	r := lost()
	for i := range 200 {
		r.Account = append(r.Account, result.Event{Thread: fmt.Sprintf("0.%d", 1+i%2), Accesses: []result.Access{{Thread: "0.1", Op: "reads", Symbol: "variable", Old: fmt.Sprint(i), Stack: frame(i)}}})
	}
	if n := len(written(t, r)); n > 300_000 {
		t.Errorf("%d bytes", n)
	}
}

// TestInBrowser walks through a page in a browser, if there is one: the script's errors
// and its answers come back in the document.
func TestInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("no chromium to open the page in")
	}
	const walk = `<script>
const said = [];
addEventListener("error", e => said.push("error " + e.message));
const status = () => document.getElementById("where").textContent;
const press = key => dispatchEvent(new KeyboardEvent("keydown", { key }));
said.push(status());
press("k"); said.push(status());
press("Home"); said.push(status());
for (let i = 0; i < 6; i++) document.getElementById("next").click();
said.push(status());
press("w"); said.push(status());
press("c"); said.push(status());
said.push("now " + document.querySelector("#source .now").textContent.trim());
document.querySelectorAll("svg .row")[6].dispatchEvent(new MouseEvent("click", { bubbles: true }));
said.push("state " + document.getElementById("state").textContent);
said.push("later " + document.querySelectorAll("svg .later").length);
press("d"); said.push(status());
document.getElementById("differs").click(); said.push(status());
said.push("words " + document.querySelector("#source .now .key").textContent);
said.push("missed " + document.querySelectorAll("#source .missed").length);
const out = document.createElement("output");
out.textContent = said.join("|");
document.body.append(out);
</script></body>`
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(strings.Replace(written(t, covered()), "</body>", walk, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	said, found := browse(t, browser, dir, file)
	want := []string{
		"11 of 11: T0 main assertion failed: x == 2, a.c:9", "10 of 11: T0 main joins T2 add", "1 of 11: T0 main creates T1 add", "7 of 11: T1 add writes x = 1, a.c:4",
		"5 of 11: T2 add writes x = 1, a.c:4", "7 of 11: T1 add writes x = 1, a.c:4", "now 4   int x;", "state x1, by T1 add", "later 4",
		"5 of 11: T2 add writes x = 1, a.c:4", "7 of 11: T1 add writes x = 1, a.c:4", "words int", "missed 2",
	}
	if !found || said != strings.Join(want, "|") {
		t.Errorf("the page said\n%s\nwant\n%s", strings.ReplaceAll(said, "|", "\n"), strings.Join(want, "\n"))
	}
}

// browse opens a page in a browser and returns what its output element says then.
func browse(t *testing.T, browser, dir, file string) (said string, found bool) {
	t.Helper()
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--user-data-dir="+dir, "--dump-dom", "file://"+file)
	cmd.WaitDelay = 2 * time.Second
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	dom, err := cmd.Output()
	if err != nil {
		t.Skipf("chromium doesn't run here: %v", err)
	}
	_, rest, found := strings.Cut(string(dom), "<output>")
	said, _, _ = strings.Cut(rest, "</output>")
	return said, found
}

// TestAccessible has axe-core look at a page, in both colour schemes, where LANDGO_AXE names
// its script: it isn't part of landgo.
func TestAccessible(t *testing.T) {
	axe, browser := os.Getenv("LANDGO_AXE"), ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
		}
	}
	if axe == "" || browser == "" {
		t.Skip("LANDGO_AXE names no axe-core, or there is no chromium")
	}
	script, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal(err)
	}
	const ask = `<script>axe.run().then(r => {
const out = document.createElement("output");
out.textContent = r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html).join(" ; ")).join("\n") || "none of " + r.passes.length;
document.body.append(out);
});</script></body>`
	wide := lost() // its picture is wider than the window
	for i := range 8 {
		wide.Bug.ThreadStarts = append(wide.Bug.ThreadStarts, result.ThreadStart{Thread: fmt.Sprintf("0.%d", i+3), Function: "more"})
	}
	for _, scheme := range []string{"light", "dark", "light, wide"} {
		dir := t.TempDir()
		r := covered()
		if scheme == "light, wide" {
			r, scheme = wide, "light"
		}
		page := strings.Replace(written(t, r), "prefers-color-scheme:dark", map[string]string{"light": "max-width:1px", "dark": "min-width:1px"}[scheme], 1)
		file := filepath.Join(dir, "page.html")
		if err := os.WriteFile(file, []byte(strings.Replace(page, "</body>", "<script>"+string(script)+"</script>"+ask, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if said, found := browse(t, browser, dir, file); !found || !strings.HasPrefix(said, "none of ") {
			t.Errorf("%s: %s", scheme, said)
		}
	}
}

// TestWoke: a row that wakes a thread leads to where that goes on. A thread's rows come after
// the step that sent it a signal, though one without rows is between. Stacks are the user's
// frames, with all beside them.
func TestWoke(t *testing.T) {
	r := lost()
	r.Account[0].Operations = append(r.Account[0].Operations, result.Operation{Does: "signals c"}, result.Operation{Does: "joins 0.3"})
	r.Account[0].Wakes = []string{"0.2"}
	r.Account[4].After = 3
	r.Account = append(r.Account[:4], result.Event{Thread: "0", After: 3}, r.Account[4])
	r.Account[5].After = 0
	s := tell(r, r.Bug)
	if w := s.rows[2].Woke; len(w) != 1 || s.rows[w[0]].Text != "reads x = 0" || s.rows[w[0]].Thread != 2 {
		t.Errorf("woke %v of %+v", w, s.rows[2])
	}
	joins := s.rows[len(s.rows)-3]
	if joins.Text != "joins T1 add" || fmt.Sprint(joins.After) != "[7 9]" {
		t.Errorf("%+v", joins)
	}
	if picture := string(s.draw()); strings.Count(picture, `class="woke"`) != 1 {
		t.Errorf("no arrow in\n%s", picture)
	}
	r.Bug.Stack = append([]result.Frame{{Function: "__assert_fail"}}, append(frame(9), result.Frame{Function: "invoke", File: "invoke.h", Line: 3, Library: true})...)
	if st := s.stacks(r.Bug); len(st) != 1 || len(st[0].Frames) != 1 || len(st[0].All) != 3 || st[0].Thread != "T0 main" {
		t.Errorf("%+v", st)
	}
	r.Bug.Waits = []result.Wait{{Thread: "0.1", Stack: frame(3)}, {Thread: "0.2", Stack: frame(4)}}
	if st := s.stacks(r.Bug); len(st) != 2 || st[1].Thread != "T2 add" || st[1].All != nil {
		t.Errorf("%+v", st)
	}
}

// TestSwitchBehindNothing: a preemption is drawn though the other thread's first step has
// nothing to show.
func TestSwitchBehindNothing(t *testing.T) {
	r := lost()
	r.Account = append(r.Account[:2:2], append([]result.Event{{Thread: "0.2", Accesses: []result.Access{{Thread: "0.2", Op: "reads", Bookkeeping: true}}}}, r.Account[2:]...)...)
	r.Bug.Difference = nil
	if row := tell(r, r.Bug).rows[3]; !row.Preempt || row.Why != "preempted" {
		t.Errorf("%+v", row)
	}
}

// TestReduce: what follows from other edges, or from a thread's own order, isn't drawn.
func TestReduce(t *testing.T) {
	s := &story{names: []string{"a", "b", "c"}, rows: []Row{
		{Thread: 0}, {Thread: 0}, {Thread: 1, After: []int{0, 1}}, {Thread: 1, After: []int{0}}, {Thread: 2, After: []int{1, 3}}, {Thread: 0, After: []int{2}}}}
	s.reduce()
	var got [][]int
	for _, r := range s.rows {
		got = append(got, r.After)
	}
	if fmt.Sprint(got) != "[[] [] [1] [] [3] [2]]" {
		t.Error(got)
	}
}

// TestOutlived: the end of a block, and of a stack, is joined to its use. A block's locks that
// go with it aren't told. The page says which sources it couldn't read.
func TestOutlived(t *testing.T) {
	r := lost()
	b := r.Bug
	at := func(line int) *result.Frame { f := frame(line)[0]; return &f }
	b.Kind, b.Message, b.Accesses, b.Difference = "use-after-free", "reads 4 bytes at offset 4 of a block of 8 bytes that has been freed", nil, nil
	b.Block = &result.Block{Size: 8, Freed: &result.Origin{Thread: "0.1", Step: 4, Stack: frame(5)}}
	r.Account[3].Operations = []result.Operation{{Does: "frees node.next", Place: at(5)}, {Does: "destroys node.lock", Place: at(5)}, {Does: "ends", Before: 1}}
	s := tell(r, b)
	last := len(s.rows) - 1
	if len(s.races) != 1 || s.races[0][1] != last || s.rows[s.races[0][0]].Text != "frees the block" || s.rows[last].short != "use-after-free: reads 4 bytes" {
		t.Errorf("%v of %+v", s.races, s.rows)
	}
	if picture := string(s.draw()); !strings.Contains(picture, "the block is freed, and used afterwards") || strings.Contains(picture, "destroys") {
		t.Errorf("in\n%s", picture)
	}
	b.Kind, b.Message, b.Block = "stack-use-after-end", "reads 4 bytes on the stack of thread 0.1, which has ended", nil
	r.Account[3].Operations = []result.Operation{{Does: "gives its stack up"}, {Does: "ends", Before: 1}}
	s = tell(r, b)
	if len(s.races) != 1 || !s.rows[s.races[0][0]].Gone || !s.rows[s.races[0][0]].Cause {
		t.Errorf("%v of %+v", s.races, s.rows)
	}
	var out bytes.Buffer
	if err := Write(&out, r, func(string) ([]byte, error) { return nil, errors.New("none") }); err != nil || !strings.Contains(out.String(), "No source of a.c:") {
		t.Errorf("%v: the page doesn't say that it has no source", err)
	}
}
