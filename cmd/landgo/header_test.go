package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHeader: "landgo header" prints the file that guests/kernel is built with, and a
// C compiler takes it as it is.
func TestHeader(t *testing.T) {
	want, err := os.ReadFile("../../guests/kernel/landgo.h")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &out}
	if err := a.execute(context.Background(), a.rootCommand(), []string{"header"}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("landgo header prints %d bytes that aren't those of guests/kernel/landgo.h", out.Len())
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "landgo.h"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	const kernel = "#include \"landgo.h\"\nvoid up(void) { landgo_created(1); landgo_ready(1); landgo_unready(1); landgo_switch(1); landgo_booted(); }\n"
	if err := os.WriteFile(filepath.Join(dir, "kernel.c"), []byte(kernel), 0o644); err != nil {
		t.Fatal(err)
	}
	cc := exec.Command("gcc", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-c", "kernel.c")
	cc.Dir = dir
	if said, err := cc.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if err := a.execute(context.Background(), a.rootCommand(), []string{"header", "x"}); err == nil {
		t.Error("an argument is taken")
	}
	if err := a.execute(context.Background(), a.rootCommand(), []string{"header", "kernel"}); err == nil {
		t.Error("two arguments are taken")
	}
}

// TestLinuxHeader: "landgo header --linux" prints a header that C and C++ compilers take as it
// is, in several files of one program.
func TestLinuxHeader(t *testing.T) {
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &out}
	if err := a.execute(context.Background(), a.rootCommand(), []string{"header", "--linux"}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const user = "#include \"landgo-linux.h\"\nstatic int x;\nLANDGO_CONDITION(zero%d, x == 0)\n" +
		"void f%d(void) { landgo_always(zero%d, 0); landgo_eventually(zero%d, 0); landgo_assert_linearizable(&x, LANDGO_REGISTER); (void)landgo_op(&x, LANDGO_READ, 0, x); landgo_op_void(&x, LANDGO_WRITE, 1, x = 1); }\n"
	for name, text := range map[string]string{
		"landgo-linux.h": out.String(), "a.c": strings.ReplaceAll(user, "%d", "1"),
		"b.c":  strings.ReplaceAll(user, "%d", "2") + "void f1(void);\nint main(void) { f1(); f2(); return 0; }\n",
		"c.cc": strings.ReplaceAll(user, "%d", "3"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "a.c", "b.c", "-o", "ab"}, {"./ab"},
		{"g++", "-Wall", "-Wextra", "-Werror", "-c", "c.cc"},
	} {
		if args[0] == "g++" {
			if _, err := exec.LookPath("g++"); err != nil {
				continue
			}
		}
		run := exec.Command(args[0], args[1:]...)
		run.Dir = dir
		if said, err := run.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, said)
		}
	}
}
