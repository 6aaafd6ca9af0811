package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Stand-ins for the tools that setup.sh calls, put before the real ones on
// PATH. Each is the body of a shell script.
const (
	oldGo     = `[ "$1" = env ] && { [ "$2" = GOVERSION ] && echo go1.19.8; exit; }; echo "go version go1.19.8 linux/amd64"`
	brokenGCC = `echo "stdio.h: No such file" >&2; exit 1`
	noUnicorn = `case "$*" in *u.c*) echo "unicorn.h: No such file" >&2; exit 1;; esac; exec REAL "$@"`
	user      = `echo 1000`
	refuse    = `echo "E: no" >&2; exit 100`
	record    = `echo called >>"$CALLED"; echo "E: no" >&2; exit 100`
)

// unicorn is a gcc that finds a libunicorn of this version.
func unicorn(headers, library string) string {
	return `case "$*" in *u.c*) while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\necho ` + headers + ` ` + library +
		` 1\n' >"$2"; chmod +x "$2"; exit;; esac; exec REAL "$@"`
}

// tree is a copy of setup's scripts in a folder of its own, with stand-ins.
type tree struct {
	*testing.T
	top string
}

func newTree(t *testing.T, tools map[string]string) tree {
	t.Helper()
	top := t.TempDir()
	bin := filepath.Join(top, "stand-ins")
	for _, dir := range []string{bin, filepath.Join(top, "internal/setup")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"setup.sh": "internal/setup/setup.sh", "probe.sh": "internal/setup/probe.sh", "apt.sh": "internal/setup/apt.sh",
		"env.sh": "internal/setup/env.sh", "../../go.mod": "go.mod", "../../go.sum": "go.sum"} {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, to), b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, body := range tools {
		if real, err := exec.LookPath(name); err == nil {
			body = strings.ReplaceAll(body, "REAL", real)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return tree{t, top}
}

// run runs setup.sh in it.
func (t tree) run(args ...string) (status int, stdout, stderr string, called bool) {
	t.Helper()
	mark := filepath.Join(t.top, "called")
	os.Remove(mark)
	cmd := exec.Command(filepath.Join(t.top, "internal/setup/setup.sh"), args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(t.top, "stand-ins")+":"+os.Getenv("PATH"), "CALLED="+mark)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	_, err := os.Stat(mark)
	return cmd.ProcessState.ExitCode(), out.String(), errs.String(), err == nil
}

func run(t *testing.T, tools map[string]string) (status int, stdout, stderr string, called bool) {
	t.Helper()
	return newTree(t, tools).run()
}

// TestNothingMissing: where all is there, setup says nothing and calls no
// package manager.
func TestNothingMissing(t *testing.T) {
	status, out, errs, called := run(t, map[string]string{"gcc": unicorn("2.1.4", "2.1.4"), "apt-get": record, "sudo": record})
	if status != 0 || out != "" || errs != "" || called {
		t.Errorf("exit %d, stdout %q, stderr %q, package manager called: %v", status, out, errs, called)
	}
}

// TestOneLine: a fault without a cure is reported in one line, the last.
func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		name  string
		tools map[string]string
		want  string
		cure  string
	}{
		{"old Go", map[string]string{"go": oldGo, "apt-get": refuse}, "setup: Go 1.19.8 (", "https://go.dev/dl"},
		{"broken compiler", map[string]string{"gcc": brokenGCC}, "setup: gcc can't build a program: install the C library headers", "libc6-dev"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, _, errs, _ := run(t, c.tools)
			lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
			last := lines[len(lines)-1]
			if status != 1 || !strings.HasPrefix(last, c.want) || !strings.Contains(last, c.cure) || len(lines) > 2 {
				t.Errorf("exit %d, stderr %q; want exit 1 and a last line that begins %q and names %s", status, errs, c.want, c.cure)
			}
		})
	}
}

// TestGoUnpacked: a Go that is too old isn't the end where apt has another. No root
// is needed.
func TestGoUnpacked(t *testing.T) {
	tree := newTree(t, map[string]string{"gcc": unicorn("2.1.4", "2.1.4"), "go": oldGo, "id": user, "sudo": refuse,
		"apt-get":   `case "$*" in *golang-1.99-go*) touch golang.deb;; *download*) exit 100;; esac`,
		"apt-cache": `echo "golang-1.5-go - Go"; echo "golang-1.99-go - Go"; echo "golang-1.8-go - Go"`,
		"dpkg": `[ "$1" = -x ] && mkdir -p "$3/usr/lib/go-1.99/bin" && cat >"$3/usr/lib/go-1.99/bin/go" <<'E' && chmod +x "$3/usr/lib/go-1.99/bin/go"
#!/bin/sh
[ "$1" != env ] || echo go1.99
E`,
	})
	if status, out, errs, _ := tree.run(); status != 0 || out != "" || !strings.Contains(errs, "unpacking Go 1.99") {
		t.Errorf("exit %d, stdout %q, stderr %q", status, out, errs)
	}
	if status, out, errs, _ := tree.run(); status != 0 || out != "" || errs != "" {
		t.Errorf("again: exit %d, stdout %q, stderr %q", status, out, errs)
	}
}

// TestWithoutPaging: where libunicorn 2.1 can't be had, it goes on with 2.0.1,
// lists the missing features, and doesn't try again at once.
func TestWithoutPaging(t *testing.T) {
	tree := newTree(t, map[string]string{"gcc": unicorn("2.0.1", "2.0.1"), "apt-get": record})
	for i := range 2 {
		status, out, errs, called := tree.run()
		if status != 0 || out != "" || !strings.Contains(errs, "setup: going on with libunicorn 2.0.1, for 2.1 can't be had") || strings.Count(errs, "\n") > 2-i {
			t.Errorf("exit %d, stdout %q, stderr %q", status, out, errs)
		}
		if i > 0 && called {
			t.Error("it tries again at once")
		}
	}
	if status, _, errs, _ := tree.run("--paging"); status != 1 || !strings.Contains(errs, "no libunicorn 2.1 can be had here") {
		t.Errorf("--paging: exit %d, stderr %q", status, errs)
	}
}

// TestPaste: without root, sudo and downloads, the command to paste is all of
// stdout.
func TestPaste(t *testing.T) {
	status, out, errs, _ := run(t, map[string]string{"gcc": noUnicorn, "id": user, "sudo": refuse, "apt-get": refuse})
	if status != 1 || out != "sudo apt-get update && sudo apt-get install -y libunicorn-dev\n" {
		t.Errorf("exit %d, stdout %q, stderr %q", status, out, errs)
	}
}

// TestUnsuitable: a Unicorn that is there but doesn't do is named, not called
// missing.
func TestUnsuitable(t *testing.T) {
	for gcc, want := range map[string]string{
		unicorn("1.0.2", "1.0.2"): "Unicorn is unsuitable: version 1.0.2 is too old",
		unicorn("2.0.1", "2.1.4"): "Unicorn is unsuitable: its headers are of version 2.0.1, the library is 2.1.4",
	} {
		status, _, errs, _ := run(t, map[string]string{"gcc": gcc, "id": user, "sudo": refuse, "apt-get": refuse})
		if status != 1 || !strings.Contains(errs, want) {
			t.Errorf("exit %d, stderr %q; want %q", status, errs, want)
		}
	}
}

// TestOneNet: with cgo and without it, Go's packages have the same files. So what imports
// them is compiled once, for the front and for the tests. The user's flags stay.
func TestOneNet(t *testing.T) {
	cmd := exec.Command("sh", "-euc", `. internal/setup/env.sh; echo "$GOFLAGS"; CGO_ENABLED=1 go list -f '{{.CgoFiles}}' net os/user`)
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if out, err := cmd.Output(); err != nil || string(out) != "-buildvcs=false -tags=netgo,osusergo\n[]\n[]\n" {
		t.Fatalf("%q %v", out, err)
	}
}
