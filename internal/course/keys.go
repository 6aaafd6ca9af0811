package course

import (
	"encoding/json"

	"landgo/internal/explore/config"
	"landgo/internal/trace"
)

// A key of a mapping of course.yaml: its name, what it says, and its form as a JSON
// schema. The reader and the schema have the same keys, which a test holds.
type key struct {
	name, doc string
	form      any
}

type form = map[string]any

var (
	text     = form{"type": []string{"string", "number", "boolean"}}
	texts    = form{"anyOf": []any{text, form{"type": "array", "items": text}}}
	number   = form{"type": "number", "minimum": 0}
	count    = form{"type": "integer", "minimum": 1}
	flag     = form{"type": "boolean"}
	duration = form{"type": []string{"string", "number"}, "examples": []string{"30s", "5m"}}
	size     = form{"type": []string{"string", "number"}, "examples": []string{"512M", "2G"}}
	share    = form{"type": []string{"string", "number"}, "pattern": `^[0-9]+(\.[0-9]{1,3})?%?$`, "examples": []string{"50%"}}
	seeing   = form{"enum": sees}
)

var buildKeys = []key{
	{"command", "what sh runs in a copy of the submission, confined", text},
	{"files", "files and folders of the course's folder that are put over the submission's", texts},
	{"time", "how long the command may take (1m)", duration},
	{"memory", "how much memory all of its processes may have (1G)", size},
	{"disk", "how much its files may have (256M)", size},
	{"output", "how much it may write to standard output and error (1M)", size},
	{"processes", "how many processes there may be (64)", count},
	{"max-files", "how many files there may be (10000)", count},
}

var testKeys = []key{
	{"name", "the test's name, which all others differ from", text},
	{"guest", "the program's path in the built submission", text},
	{"args", "the program's arguments", texts},
	{"stdin", "a file of the course's folder: the program's standard input", text},
	{"points", "what the test is worth (1)", number},
	{"hidden", "students see only what students.hidden says (false)", flag},
	{"time", "how long the search may take (1m)", duration},
	{"options", "options of landgo run, without their dashes", optionsForm()},
}

var worthKeys = []key{
	{"verified", "all interleavings were explored (100%)", share},
	{"bounded", "all with at most k preemptions were explored: a share for each k", form{"type": "object", "patternProperties": form{"^[0-9]+$": share}, "additionalProperties": false}},
	{"budget", "not even those without a preemption were all explored (0%)", share},
	{"bug", "a bug: a share, or one for each kind and for other (0%)", form{"anyOf": []any{share, form{"type": "object", "properties": kindForms(), "additionalProperties": false}}}},
}

var studentKeys = []key{
	{"visible", "what students see of a visible test (report)", seeing},
	{"hidden", "what students see of a hidden test (verdict)", seeing},
}

var courseKeys = []key{
	{"course", "the name of the course or of the assignment", text},
	{"build", "how a submission is built; without it the guests are handed in", mappingForm(buildKeys, "command")},
	{"tests", "the tests", form{"type": "array", "minItems": 1, "items": mappingForm(testKeys, "name", "guest")}},
	{"worth", "what a verdict is worth of a test's points", mappingForm(worthKeys)},
	{"students", "what students see: " + list(sees), mappingForm(studentKeys)},
}

func namesOf(keys []key) (names []string) {
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

func list(words []string) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += w
	}
	return text
}

func mappingForm(keys []key, required ...string) form {
	properties := form{}
	for _, k := range keys {
		described := form{"description": k.doc}
		for name, v := range k.form.(form) {
			described[name] = v
		}
		properties[k.name] = described
	}
	f := form{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		f["required"] = required
	}
	return f
}

// elsewhere says where options of landgo run are that aren't a test's.
var elsewhere = map[string]string{
	"time": "give the test a time:", "stdin": "give the test a stdin:",
	"jobs": "landgo grade has --jobs", "confine": "landgo grade has --confine",
	"sysroot": "link the programs statically", "library-path": "link the programs statically",
}

// optionTaken reports whether a test may have an option: what the search is, and not
// where its results go.
func optionTaken(o *config.Option) bool {
	if o.Hidden {
		return false
	}
	switch o.Name {
	case "sysroot", "library-path": // an outcome is kept for the system's libraries
		return false
	case "stdin", "time", "jobs", "checkpoint", "checkpoint-every", "resume", "confine":
		return false
	}
	return o.Group != config.GroupOutput
}

func optionsForm() form {
	properties := form{}
	for i := range config.Options {
		o := &config.Options[i]
		if !optionTaken(o) {
			continue
		}
		f := form{"description": o.Help}
		for name, v := range texts {
			f[name] = v
		}
		if o.Value == "" {
			delete(f, "anyOf")
			f["type"] = "boolean"
		}
		properties[o.Name] = f
	}
	return form{"type": "object", "properties": properties, "additionalProperties": false}
}

func kindForms() form {
	forms := form{otherKind: share}
	for _, k := range trace.BugKinds {
		forms[string(k)] = share
	}
	return forms
}

// otherKind stands for all kinds of bugs that aren't listed.
const otherKind = "other"

// Schema is the JSON schema of course.yaml, for editors.
func Schema() []byte {
	f := mappingForm(courseKeys, "tests")
	f["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	f["title"] = "course.yaml of landgo grade"
	out, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		panic(err) // plain data
	}
	return append(out, '\n')
}
