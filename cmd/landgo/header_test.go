package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
}
