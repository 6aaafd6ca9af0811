package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"landgo/internal/confine"
	"landgo/internal/explore/config"
	"landgo/internal/report"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/internal/wire"
)

// TestReferencePages: the pages under docs agree with the option table, the
// comments of package result and the table of errors.
func TestReferencePages(t *testing.T) {
	for name, text := range map[string]string{
		"../../docs/reference.md": referencePage(t),
		"../../docs/errors.md":    errorPage(),
		"../../docs/engine.md":    enginePage(t),
		"comments.json":           commentsFile(t),
	} {
		path := filepath.FromSlash(name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, []byte(text)) {
			t.Errorf("%s is out of date: go test ./cmd/landgo -update writes it anew", name)
		}
	}
}

// commentsFile is the sources' comments for `landgo schema`.
func commentsFile(t *testing.T) string {
	var b bytes.Buffer
	report.JSON(&b, fieldComments(t, "result"))
	return b.String()
}

// errorPage is docs/errors.md.
func errorPage() string {
	var b strings.Builder
	b.WriteString("# Every error, its cause and its cure\n\n")
	b.WriteString("This page is made from the same table as the messages themselves and `landgo help errors`.\n")
	b.WriteString("A message ends with its name in brackets.\n")
	for _, p := range result.Problems {
		fmt.Fprintf(&b, "\n## %s\n\n", p.Kind)
		fmt.Fprintf(&b, "Exit status %d. For example:\n\n", p.Status)
		fmt.Fprintf(&b, "    landgo: %s\n\n", p.Example)
		fmt.Fprintf(&b, "%s\n\n", p.Cause)
		fmt.Fprintf(&b, "**Cure:** %s.\n", p.Cure)
	}
	return b.String()
}

func referencePage(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Reference\n\nThis page is made from the tables and comments in the code (`go test ./cmd/landgo -update`).\n\n## Commands\n")
	a := &app{engine: &fake{}}
	for _, c := range a.rootCommand().Commands() {
		if hasPage(c) {
			fmt.Fprintf(&b, "\n### %s\n\n```\n%s\n```\n\n%s\n", c.CommandPath(), useLine(c), sentences(c.Long, c.Short))
		}
	}
	b.WriteString("\n`landgo help`, `landgo help errors`, `landgo help exit` explain; `landgo completion SHELL` prints a completion script for bash, fish, powershell or zsh.\n")
	b.WriteString("\n## Exit status\n\n```\n" + exitText + "```\n")
	b.WriteString("\n## Options\n\n`replay` takes those marked R, `inspect` those marked I; `run` takes all.\n")
	for _, g := range config.Groups {
		fmt.Fprintf(&b, "\n### %s\n\n| option | default | also | what it does |\n|---|---|---|---|\n", g)
		for i := range config.Options {
			if o := &config.Options[i]; o.Group == g {
				optionRow(&b, a, o)
			}
		}
	}
	b.WriteString("\n### Preemption points\n\n| `--pp` | where |\n|---|---|\n")
	for _, k := range trace.PointKinds() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.Name, k.Doc)
	}
	b.WriteString("\n## JSON\n\n`--json` prints one object on standard output. Fields are only added; a field that goes, or gets another meaning, changes `schema`. `landgo schema` prints the JSON schema. Where an error leaves no result, the object is a [Failure](#failure), and the error is on standard error too.\n")
	comments := fieldComments(t, "result")
	for _, v := range []any{result.Result{}, result.Guest{}, result.Library{}, result.Estimate{}, result.Longest{}, result.Busiest{}, result.Job{}, result.Warning{}, result.RacePair{}, result.Outcome{}, result.Coverage{}, result.CoveredFile{}, result.CoveredLine{}, result.CoveredPoint{}, result.Ignored{}, result.Rung{}, result.Certificate{}, result.Replay{},
		result.Bug{}, result.Cure{}, result.Fence{}, result.Choice{}, result.ThreadStart{}, result.Step{}, result.Frame{}, result.Access{}, result.Moment{}, result.Waking{}, result.Wait{}, result.Loop{}, result.Call{}, result.Block{}, result.Origin{}, result.Event{}, result.Operation{},
		result.Inspection{}, result.Role{}, result.PointPlaces{}, result.Unmodelled{}, result.Failure{}, result.FailureDetail{}, result.Exploring{}, result.ExploringStep{}, result.ExploringThread{}, result.ExploringValue{}} {
		jsonTable(t, &b, reflect.TypeOf(v), comments)
	}
	b.WriteString("\n## Schedules\n\nA schedule is one word: `s1:CHECK:THREAD@UNTIL[+PART][/CHOICE],...`. CHECK binds it to the guest and the options that it depends on. Each segment lets one thread run until it has completed UNTIL instructions in its life. THREAD is its path name: `0` is the first thread, `0.2` its second child. PART, if there, ends the segment inside the next instruction, after that many of its accesses. CHOICE is the outcome of the segment's first step, where that has several.\n")
	return b.String()
}

// enginePage says what the two processes say to each other.
func enginePage(t *testing.T) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# landgo and landgo-engine

This page is made from the comments in the code (`+"`go test ./cmd/landgo -update`"+`). It is for authors of other front ends and for readers of the code; users needn't know it.

landgo starts `+"`landgo-engine`"+` with one end of a Unix stream socket as descriptor 3, for each guest anew. A message is four bytes with its length, little-endian, and one JSON object. Descriptors of files travel beside it (SCM_RIGHTS). The protocol's version is %d; front and engine of different versions of landgo don't work together.

1. The engine sends a Hello.
2. The front sends one Request. The engine confines itself, and sends Confined.
3. The engine sends Progress, SoFar, Late and File as they come, and the front answers each File. The front may send a Cancel.
4. The engine sends one End, and exits.

"Exact" values have each field that isn't zero under its Go name, strings that aren't UTF-8 as `+"`{\"raw\": BASE64}`"+`, bytes as base64, and infinite numbers as text.
`, wire.Protocol)
	comments := fieldComments(t, "wire")
	maps.Copy(comments, fieldComments(t, "confine"))
	for _, v := range []any{wire.ToEngine{}, wire.Request{}, wire.FromEngine{}, wire.Hello{}, wire.Confined{}, confine.Missing{}, wire.Result{}, wire.End{}, wire.Error{}} {
		jsonTable(t, &b, reflect.TypeOf(v), comments)
	}
	return b.String()
}

func sentences(long, short string) string {
	if long == "" {
		return strings.ToUpper(short[:1]) + short[1:] + "."
	}
	return long
}

func optionRow(b *strings.Builder, a *app, o *config.Option) {
	head := o.Flag()
	if o.Value != "" {
		head += " " + o.Value
	}
	var also []string
	if a.replayCommand().Flags().Lookup(o.Name) != nil {
		also = append(also, "R")
	}
	if a.inspectCommand().Flags().Lookup(o.Name) != nil {
		also = append(also, "I")
	}
	help := strings.ToUpper(o.Help[:1]) + o.Help[1:] + ". " + o.Doc
	if o.Repeat {
		help += " May be given several times."
	}
	row := fmt.Sprintf("`%s` | %s | %s | %s", strings.ReplaceAll(head, "|", `\|`), o.Default(), strings.Join(also, " "), strings.ReplaceAll(help, "|", `\|`))
	fmt.Fprintf(b, "| %s |\n", row)
}

// jsonTable lists the fields of a struct of package result.
func jsonTable(t *testing.T, b *strings.Builder, typ reflect.Type, comments map[string]string) {
	about, ok := comments[typ.Name()]
	if !ok {
		t.Errorf("%s has no comment", typ.Name())
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n| field | type | meaning |\n|---|---|---|\n", typ.Name(), about)
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			t.Errorf("%s.%s has no name in JSON", typ.Name(), f.Name)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, jsonType(f.Type), strings.ReplaceAll(comments[typ.Name()+"."+f.Name], "|", `\|`))
	}
}

// jsonType names a field's type as a reader of JSON knows it.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "list of " + jsonType(t.Elem())
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.Struct:
		if what, ok := strings.CutPrefix(t.Name(), "Exact["); ok {
			what = strings.TrimSuffix(what, "]")
			return "exact " + what[strings.LastIndexByte(what, '.')+1:]
		}
		return fmt.Sprintf("[%s](#%s)", t.Name(), strings.ToLower(t.Name()))
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	}
	switch t {
	case reflect.TypeFor[result.Addr]():
		return "address"
	case reflect.TypeFor[result.Amount]():
		return "number or null"
	}
	return "number"
}

// fieldComments reads the comments of an internal package's types ("Bug") and
// fields ("Bug.Kind") from its sources.
func fieldComments(t *testing.T, of string) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	paths, err := filepath.Glob("../../internal/" + of + "/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sources of package %s: %v", of, err)
	}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, "landgo/internal/"+of)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, typ := range pkg.Types {
		comments[typ.Name] = oneLine(typ.Doc)
		for _, spec := range typ.Decl.Specs {
			s, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range s.Fields.List {
				for _, n := range f.Names {
					comments[typ.Name+"."+n.Name] = oneLine(f.Doc.Text() + " " + f.Comment.Text())
				}
			}
		}
	}
	return comments
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
