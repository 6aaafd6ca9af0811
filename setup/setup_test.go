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
	oldGo      = `[ "$1" = env ] && { [ "$2" = GOVERSION ] && echo go1.19.8; exit; }; echo "go version go1.19.8 linux/amd64"`
	brokenGCC  = `echo "stdio.h: No such file" >&2; exit 1`
	noUnicorn  = `case "$*" in *u.c*) echo "unicorn.h: No such file" >&2; exit 1;; esac; exec REAL "$@"`
	oldUnicorn = `case "$*" in *u.c*) while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\necho 1.0.2 1.0.2 1\n' >"$2"; chmod +x "$2"; exit;; esac; exec REAL "$@"`
	mixed      = `case "$*" in *u.c*) while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\necho 2.0.1 2.1.4 1\n' >"$2"; chmod +x "$2"; exit;; esac; exec REAL "$@"`
	user       = `echo 1000`
	refuse     = `echo "E: no" >&2; exit 100`
	record     = `echo called >>"$CALLED"; exit 100`
)

// run runs a copy of setup.sh in a folder of its own, with the stand-ins.
func run(t *testing.T, tools map[string]string) (status int, stdout, stderr string, called bool) {
	t.Helper()
	top := t.TempDir()
	bin := filepath.Join(top, "stand-ins")
	for _, dir := range []string{bin, filepath.Join(top, "setup")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"setup.sh": "setup/setup.sh", "env.sh": "setup/env.sh", "../go.mod": "go.mod", "../go.sum": "go.sum"} {
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
	mark := filepath.Join(top, "called")
	cmd := exec.Command(filepath.Join(top, "setup/setup.sh"))
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "CALLED="+mark)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	_, err := os.Stat(mark)
	return cmd.ProcessState.ExitCode(), out.String(), errs.String(), err == nil
}

// TestNothingMissing: where all is there, setup says nothing and calls no
// package manager. (`make test` has run it before.)
func TestNothingMissing(t *testing.T) {
	if _, err := os.Stat("../.deps"); err == nil {
		// A copy would have no .deps of its own.
		out, err := exec.Command("./setup.sh").CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	status, out, errs, called := run(t, map[string]string{"apt-get": record, "sudo": record})
	if status != 0 || out != "" || errs != "" || called {
		t.Errorf("exit %d, stdout %q, stderr %q, package manager called: %v", status, out, errs, called)
	}
}

// TestOneLine: what can't be cured is said in one line.
func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		name  string
		tools map[string]string
		want  string
	}{
		{"old Go", map[string]string{"go": oldGo}, "setup: Go 1.19.8 ("},
		{"broken compiler", map[string]string{"gcc": brokenGCC}, "setup: gcc can't build a program: install the C library headers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, _, errs, _ := run(t, c.tools)
			if status != 1 || !strings.HasPrefix(errs, c.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("exit %d, stderr %q; want exit 1 and one line that begins %q", status, errs, c.want)
			}
		})
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
		oldUnicorn: "Unicorn is unsuitable: version 1.0.2 is too old",
		mixed:      "Unicorn is unsuitable: its headers are of version 2.0.1, the library is 2.1.4",
	} {
		status, _, errs, _ := run(t, map[string]string{"gcc": gcc, "id": user, "sudo": refuse, "apt-get": refuse})
		if status != 1 || !strings.Contains(errs, want) {
			t.Errorf("exit %d, stderr %q; want %q", status, errs, want)
		}
	}
}
