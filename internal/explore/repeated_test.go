package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/litmus"
	"landgo/internal/result"
)

// announcing is a program whose first thread stores the same value in each turn of a loop, until
// another has set a flag. turns is how often the machine of package litmus may turn.
type announcing struct {
	value   int
	after   []litmus.Insn // of the first thread
	threads [][]litmus.Insn
}

// Where its variables are. The loop looks at flagAt into flagReg.
const (
	saidAt, flagAt, otherAt = 0, 4, 8
	flagReg                 = litmus.Registers - 1
)

func (a *announcing) random(r *rand.Rand) {
	*a = announcing{value: r.IntN(2)}
	n := 1
	some := func(most int) (code []litmus.Insn) {
		for reg := 0; len(code) < most; n++ {
			x := litmus.Insn{Kind: litmus.Load, Addr: saidAt, Size: 4, Value: n + 1, Reg: reg % flagReg}
			switch r.IntN(8) {
			case 0, 1:
				x.Kind = litmus.Store
			case 2:
				x.Kind, x.Addr = litmus.Store, otherAt
			case 3:
				x.Addr = otherAt
			case 4:
				x = litmus.Insn{Kind: litmus.Fence}
			}
			if x.Kind == litmus.Load {
				reg++
			}
			code = append(code, x)
		}
		return code
	}
	a.after = some(1)
	second := some(3)
	flag := litmus.Insn{Kind: litmus.Store, Addr: flagAt, Size: 4, Value: 1}
	a.threads = [][]litmus.Insn{slices.Insert(second, r.IntN(len(second)+1), flag)}
	if r.IntN(3) == 0 {
		a.threads[0] = a.threads[0][max(0, len(a.threads[0])-3):]
		if !slices.Contains(a.threads[0], flag) {
			a.threads[0] = append(a.threads[0], flag)
		}
		a.threads = append(a.threads, some(2))
	}
}

// outcomes are those of the machine in which the loop ends within some turns.
func (a *announcing) outcomes(turns int) (ends []string) {
	p := &litmus.Program{Memory: 12}
	var loop []litmus.Insn
	for i := range turns {
		loop = append(loop, litmus.Insn{Kind: litmus.Store, Addr: saidAt, Size: 4, Value: a.value},
			litmus.Insn{Kind: litmus.Load, Addr: flagAt, Size: 4, Reg: flagReg},
			litmus.Insn{Kind: litmus.Skip, Reg: flagReg, Value: 3 * (turns - 1 - i)})
	}
	p.Threads = append([][]litmus.Insn{append(loop, a.after...)}, a.threads...)
	for _, o := range litmus.Outcomes(p, litmus.TSO) {
		if first, _, _ := strings.Cut(strings.SplitN(o, "[", 3)[2], "]"); strings.HasSuffix(first, " 1") {
			ends = append(ends, o)
		}
	}
	return ends
}

// source is the program in C. It prints its outcome as the machine does.
func (a *announcing) source() string {
	var b strings.Builder
	b.WriteString("#include <pthread.h>\n#include <stdio.h>\nstatic volatile int v[3], r[3][3];\n")
	code := func(t int, list []litmus.Insn) {
		for _, x := range list {
			switch at := x.Addr / 4; x.Kind {
			case litmus.Load:
				fmt.Fprintf(&b, "\tr[%d][%d] = v[%d];\n", t, x.Reg, at)
			case litmus.Store:
				fmt.Fprintf(&b, "\tv[%d] = %d;\n", at, x.Value)
			default:
				b.WriteString("\t__asm__ volatile(\"mfence\" ::: \"memory\");\n")
			}
		}
		b.WriteString("\treturn p;\n}\n")
	}
	fmt.Fprintf(&b, "static void *t0(void *p)\n{\n\tint seen;\n\tdo { v[%d] = %d; seen = v[%d]; } while (!seen);\n\tr[0][%d] = seen;\n", saidAt/4, a.value, flagAt/4, flagReg)
	code(0, a.after)
	names := "t0"
	for i, list := range a.threads {
		fmt.Fprintf(&b, "static void *t%d(void *p)\n{\n", i+1)
		code(i+1, list)
		names += fmt.Sprintf(", t%d", i+1)
	}
	fmt.Fprintf(&b, "int main(void)\n{\n\tvoid *(*f[])(void *) = {%s};\n\tint n = %d;\n\tpthread_t t[3];\n", names, 1+len(a.threads))
	b.WriteString(`	for (int i = 0; i < n; i++) pthread_create(&t[i], 0, f[i], 0);
	for (int i = 0; i < n; i++) pthread_join(t[i], 0);
	printf("[%d 0 0 0 %d 0 0 0 %d 0 0 0]", v[0], v[1], v[2]);
	for (int i = 0; i < n; i++) printf("[%d %d %d]", r[i][0], r[i][1], r[i][2]);
	puts("");
	return 0;
}
`)
	return b.String()
}

// TestRepeatedStores: a loop that stores the same value in each turn, and waits for something else,
// makes no search endless. Its outcomes are those of the machine of package litmus. Where another
// thread stores to the same bytes, fewer are never taken for all. LANDGO_SOAK_LITMUS has it try
// more programs.
func TestRepeatedStores(t *testing.T) {
	t.Parallel()
	programs, own, ended := 12, 0, 0
	if litmusStep(0) == 1 {
		programs = 300
	}
	for i := range programs {
		var a announcing
		a.random(rand.New(rand.NewPCG(22, uint64(i))))
		disputed := slices.ContainsFunc(slices.Concat(a.threads...), func(x litmus.Insn) bool { return x.Kind == litmus.Store && x.Addr == saidAt })
		want := a.outcomes(4)
		cfg := config.Default()
		cfg.Guest, cfg.Out, cfg.Jobs, cfg.Model = compile.Text(t, "gcc", a.source(), "-O1"), config.NoFile, 1, config.ModelTSO
		cfg.Search, cfg.Deepen, cfg.ObserveStdout, cfg.Time, cfg.ProcessorTime = "optimal", false, true, 20*time.Second, true
		if disputed {
			cfg.MaxExecutions = 300
		} else {
			own++
		}
		r, got := memoryRun(t, cfg)
		if all := r.Verdict == result.Verified; !all && !disputed || all && !slices.Equal(got, want) ||
			slices.ContainsFunc(got, func(o string) bool { return !slices.Contains(want, o) }) {
			t.Errorf("program %d: %s (%s), %d executions with %q, want %q\n%s", i, r.Verdict, r.Reason, r.Executions, got, want, a.source())
		}
		ended += min(1, int(r.Executions))
	}
	if own == 0 || own == programs || ended < programs {
		t.Errorf("%d of %d programs have a loop that is alone with its store; in %d it ended", own, programs, ended)
	}
	t.Logf("%d programs, in %d only the loop stores there", programs, own)
}

// TestRepeatedStoresMatter: how often a loop has stored can be seen, if another thread stores
// there. So no search may leave turns out then.
func TestRepeatedStoresMatter(t *testing.T) {
	t.Parallel()
	const others = `B { flag[1] = 1; r[0] = 1; for (int i = 1; i < 5; i++) { x = i; if (x) r[0] = 0; } return p; } PRINT(1)`
	for _, c := range []struct {
		name, loop string
		want       result.Verdict
	}{
		{"some turns", `A { for (int i = 0; i < 6 && !flag[1]; i++) x = 0; return p; } `, result.Verified},
		{"any number", `A { while (!flag[1]) x = 0; return p; } `, result.Budget},
	} {
		cfg := onProgram(compile.Text(t, "gcc", bufferHead+c.loop+others))
		cfg.Model, cfg.Search, cfg.Deepen, cfg.Jobs, cfg.MaxExecutions = config.ModelTSO, "optimal", false, 1, 100000
		if c.want == result.Budget {
			cfg.MaxExecutions = 300
		}
		r, got := memoryRun(t, cfg)
		if r.Verdict != c.want || c.want == result.Verified && !slices.Equal(got, []string{"0", "1"}) {
			t.Errorf("%s: %s (%s), %d executions with %q", c.name, r.Verdict, r.Reason, r.Executions, got)
		}
		t.Logf("%s: %s, %d executions, %q", c.name, r.Verdict, r.Executions, got)
	}
}
