package guests

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed kernel/expect.json
var kernelTable []byte

// KernelBuilds are the folders that hold each kernel of guests/kernel.
var KernelBuilds = []string{"kernel", "kernel-i386"}

// KernelPointLists are PointLists for guests that turn interrupts off and on.
var KernelPointLists = []string{"yield", "lock", "unlock", "lock,unlock", "cli", "sti", "cli,sti", "mem"}

// A KernelTest is a row of guests/kernel/expect.json: a test of the kernel, or
// of the kernel with a mistake. Its Program is the binary's name, its PP one of
// KernelPointLists.
type KernelTest struct {
	Guest
	Test   string // the value of "test=" on the command line
	Kernel string // the program without a mistake: kernel, or course
}

// Kernels is the rows of guests/kernel/expect.json, in its order.
func Kernels() ([]KernelTest, error) {
	var t struct {
		Schema string `json:"schema"`
		Guests []struct {
			Name       string    `json:"name"`    // TEST or MISTAKE-TEST
			Kernel     string    `json:"program"` // "": kernel
			About      string    `json:"about"`
			Threads    int       `json:"threads"`
			Verdict    string    `json:"verdict"`
			PP         string    `json:"pp"`
			Executions int       `json:"executions"`
			Bugs       []Failure `json:"bugs"`
			Source     string    `json:"source"`
			Note       string    `json:"note"`
		} `json:"guests"`
	}
	d := json.NewDecoder(strings.NewReader(string(kernelTable)))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return nil, fmt.Errorf("guests: kernel/expect.json: %w", err)
	}
	var all []KernelTest
	for _, r := range t.Guests {
		source := "kernel/course/tests.c"
		if r.Kernel == "" {
			r.Kernel, source = "kernel", "kernel/tests.c"
		}
		k := KernelTest{Test: r.Name, Kernel: r.Kernel, Guest: Guest{
			Name: r.Name, Program: r.Kernel, About: r.About, Source: source, Threads: r.Threads,
			Verdict: r.Verdict, PP: r.PP, Failures: r.Bugs, Executions: r.Executions,
			Concurrent: true, Judge: r.Source, Note: r.Note,
		}}
		if mistake, test, ok := strings.Cut(r.Name, "-"); ok {
			k.Variant, k.Test, k.Program = mistake, test, r.Kernel+"-"+mistake
		}
		k.Flags = []string{"--cmdline", "test=" + k.Test}
		all = append(all, k)
	}
	return all, nil
}
