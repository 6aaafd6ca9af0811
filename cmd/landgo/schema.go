package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"landgo/internal/course"
	"landgo/internal/explore/config"
	"landgo/internal/report"
	"landgo/internal/result"
)

// comments are those of package result's types and fields ("Bug", "Bug.Kind"), made from
// its sources by this package's tests.
//
//go:embed comments.json
var comments []byte

// schemas are the objects that landgo prints as JSON.
var schemas = map[string]reflect.Type{
	"result":     reflect.TypeFor[result.Result](),
	"inspection": reflect.TypeFor[result.Inspection](),
	"error":      reflect.TypeFor[result.Failure](),
	"explore":    reflect.TypeFor[result.Exploring](),
}

const courseSchema = "course"

func (a *app) schemaCommand() *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	names = append(names, courseSchema)
	return &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "print the JSON schema of what --json prints, or of course.yaml",
		Long: `schema prints the JSON schema (2020-12) of a result, of an inspection, of the
object that --json prints for an error, or of a line of landgo explore --json.
Without a name it is a result's. That of
course is for editors of a course.yaml.

Fields are only added, so a newer landgo's objects are valid too.`,
		Example:   "  landgo schema >result.schema.json",
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			name := "result"
			if len(args) > 0 {
				name = args[0]
			}
			if name == courseSchema && len(args) == 1 {
				return a.print(func(w io.Writer) { w.Write(append(bytes.TrimSpace(course.Schema()), '\n')) })
			}
			if len(args) > 1 || schemas[name] == nil {
				return result.Errorf(result.Usage, "want one of %s, got %q%s", strings.Join(names, ", "), strings.Join(args, " "), config.DidYouMean("%q", name, names))
			}
			return a.print(func(w io.Writer) { report.JSON(w, schemaOf(schemas[name])) })
		},
	}
}

// object is an object of JSON.
type object = map[string]any

// schemaOf is the JSON schema of a type of package result.
func schemaOf(t reflect.Type) object {
	s := schemaMaker{comments: map[string]string{}, defs: object{}}
	if err := json.Unmarshal(comments, &s.comments); err != nil {
		panic(err) // it is part of the program
	}
	root := s.of(t)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "landgo " + strings.ToLower(t.Name()) + ", " + result.Schema
	root["$defs"] = s.defs
	return root
}

// schemaMaker makes the schema of a type, and those of the types that it needs.
type schemaMaker struct {
	comments map[string]string
	defs     object
}

// of is the schema of a type, as encoding/json and fillLists write it.
func (s *schemaMaker) of(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[result.Addr]():
		return object{"type": "string", "pattern": "^0x[0-9a-f]+$"}
	case reflect.TypeFor[result.Amount]():
		return object{"type": []string{"number", "null"}}
	case reflect.TypeFor[result.Verdict]():
		return object{"enum": result.Verdicts}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Int:
		return object{"type": "integer"}
	case reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Pointer:
		return object{"anyOf": []any{s.of(t.Elem()), object{"type": "null"}}}
	case reflect.Struct:
		if _, ok := s.defs[t.Name()]; !ok {
			s.defs[t.Name()] = nil // it may have itself in it
			s.defs[t.Name()] = s.fields(t)
		}
		return object{"$ref": "#/$defs/" + t.Name()}
	}
	panic("a " + t.String() + " in JSON")
}

// fields is the schema of a struct. A field that isn't always there isn't null either.
func (s *schemaMaker) fields(t reflect.Type) object {
	properties, required := object{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		typ, optional := f.Type, options == "omitempty"
		if optional && typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		p := s.of(typ)
		if about := s.comments[t.Name()+"."+f.Name]; about != "" {
			p["description"] = about
		}
		if f.Name == "Schema" {
			p["const"] = result.Schema
		}
		properties[name] = p
		if !optional {
			required = append(required, name)
		}
	}
	o := object{"type": "object", "properties": properties, "required": required}
	if about := s.comments[t.Name()]; about != "" {
		o["description"] = about
	}
	return o
}
