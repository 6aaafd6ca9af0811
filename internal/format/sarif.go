package format

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"landgo/internal/report"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// The parts of SARIF 2.1.0 (OASIS) that are used, with its names and section numbers.

type sarifLog struct { // 3.13
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct { // 3.14
	Tool        sarifTool            `json:"tool"`
	Invocations []sarifInvocation    `json:"invocations"`
	Bases       map[string]sarifBase `json:"originalUriBaseIds"`
	Results     []sarifResult        `json:"results"`
}

type sarifBase struct { // 3.4: the folder itself is not told
	Description sarifMessage `json:"description"`
}

type sarifTool struct { // 3.18
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct { // 3.19
	Name            string      `json:"name"`
	SemanticVersion string      `json:"semanticVersion"`
	Rules           []sarifRule `json:"rules"`
}

type sarifRule struct { // 3.49
	ID            string             `json:"id"`
	Short         sarifMessage       `json:"shortDescription"`
	Configuration sarifConfiguration `json:"defaultConfiguration"`
}

type sarifConfiguration struct { // 3.50
	Level string `json:"level"`
}

type sarifInvocation struct { // 3.20
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct { // 3.58
	Descriptor *sarifDescriptor `json:"descriptor,omitempty"`
	Level      string           `json:"level"`
	Message    sarifMessage     `json:"message"`
	Locations  []sarifLocation  `json:"locations,omitempty"`
}

type sarifDescriptor struct { // 3.52
	ID string `json:"id"`
}

type sarifMessage struct { // 3.11
	Text string `json:"text"`
}

type sarifResult struct { // 3.27
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   map[string]any    `json:"properties"`
}

type sarifLocation struct { // 3.28
	ID       *int           `json:"id,omitempty"`
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifMessage  `json:"message,omitempty"`
}

type sarifPhysical struct { // 3.29
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
	Address  *sarifAddress `json:"address,omitempty"`
}

type sarifArtifact struct { // 3.4
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct { // 3.30
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

type sarifAddress struct { // 3.32
	Absolute uint64 `json:"absoluteAddress"`
}

type sarifLogical struct { // 3.33
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type sarifCodeFlow struct { // 3.36
	Message sarifMessage      `json:"message"`
	Threads []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct { // 3.37
	ID        string              `json:"id"`
	Message   sarifMessage        `json:"message"`
	Locations []sarifFlowLocation `json:"locations"`
}

type sarifFlowLocation struct { // 3.38
	Location   sarifLocation `json:"location"`
	Order      int           `json:"executionOrder"`
	Importance string        `json:"importance"`
}

// sarifRoot is the folder that relative paths are of, by the name that GitHub uses.
const sarifRoot = "%SRCROOT%"

// sarif writes one run of the tool, with a result for each bug and a notification for
// each case without a verdict. It has no result for a pass: tools would show it as
// something to mend.
func sarif(w io.Writer, cases []Case, o Options) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "landgo", SemanticVersion: result.Version, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: true, Notifications: []sarifNotification{}}},
		Bases:       map[string]sarifBase{sarifRoot: {sarifText("the folder that landgo was run in")}},
		Results:     []sarifResult{},
	}
	notes := &run.Invocations[0]
	for i := range cases {
		c := &cases[i]
		for _, b := range c.bugs() {
			run.Results = append(run.Results, sarifBug(&run.Tool.Driver, c, b, o))
		}
		if !c.judged() {
			notes.Successful = false
			notes.Notifications = append(notes.Notifications, sarifNote(c, o))
		}
	}
	report.JSON(w, &sarifLog{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
	return nil
}

// sarifText is a plain text. A brace is doubled (3.11.5), and nothing in it is a link
// (3.11.6): a guest's words may not lead anywhere.
func sarifText(s string) sarifMessage {
	return sarifMessage{strings.NewReplacer("{", "{{", "}", "}}", "](", "] (").Replace(result.Printable(s))}
}

// sarifNote says why a case has no verdict.
func sarifNote(c *Case, o Options) sarifNotification {
	n := sarifNotification{Level: "error", Message: sarifText(c.Name + ": " + c.verdict() + ": " + c.message())}
	if kind := c.kind(); kind != "" {
		n.Descriptor = &sarifDescriptor{result.Printable(kind)}
	}
	if c.Result != nil && len(c.Result.Place) > 0 {
		n.Locations = []sarifLocation{sarifAt(c, result.Innermost(c.Result.Place), "", o)}
	}
	return n
}

// sarifBug is the result for a bug.
func sarifBug(d *sarifDriver, c *Case, b *result.Bug, o Options) sarifResult {
	text := []string{fmt.Sprintf("%s: %s.", b.Kind, strings.TrimSuffix(b.Says(), "."))}
	for _, more := range []string{b.Cause, b.Passing, b.Mistake, b.Cure.Plain()} {
		if more != "" {
			text = append(text, b.Names().In(more))
		}
	}
	r := sarifResult{
		RuleID: string(b.Kind), RuleIndex: sarifRuleOf(d, b.Kind), Level: "error", Message: sarifText(strings.Join(text, " ")),
		Locations:    []sarifLocation{sarifAt(c, mainPlace(b), "", o)},
		Related:      sarifRelated(c, b, o),
		Fingerprints: map[string]string{"landgoMistake/v1": b.FingerprintOf(nil)},
		Properties:   map[string]any{"case": result.Printable(c.Name), "preemptions": b.Preemptions, "granularity": result.Printable(c.Result.Granularity)},
	}
	if b.Page != "" {
		r.Properties["page"] = result.Printable(b.Page)
	}
	if flows := sarifThreads(c, b, o); len(flows) > 0 {
		r.CodeFlows = []sarifCodeFlow{{sarifText(fmt.Sprintf("The interleaving; switches away from a thread that could have gone on: %d", b.Preemptions)), flows}}
	}
	return r
}

// sarifRuleOf is the index of a kind's rule, which it adds if it is new.
func sarifRuleOf(d *sarifDriver, kind trace.BugKind) int {
	if i := slices.IndexFunc(d.Rules, func(r sarifRule) bool { return r.ID == string(kind) }); i >= 0 {
		return i
	}
	about := kinds[kind]
	if about == "" {
		about = string(kind)
	}
	d.Rules = append(d.Rules, sarifRule{ID: string(kind), Short: sarifText(about), Configuration: sarifConfiguration{"error"}})
	return len(d.Rules) - 1
}

// sarifAt is a frame as a location: a line of a source, or an address in the guest.
func sarifAt(c *Case, f result.Frame, message string, o Options) (l sarifLocation) {
	if known(f) {
		l.Physical.Artifact = sarifFile(f.File, o)
		l.Physical.Region = &sarifRegion{Line: f.Line, Column: max(f.Column, 0)}
	} else {
		l.Physical.Artifact = sarifFile(c.Result.Guest.Path, o)
		if f.Address != 0 {
			l.Physical.Address = &sarifAddress{uint64(f.Address)}
		}
	}
	if f.Function != "" {
		l.Logical = []sarifLogical{{result.Printable(f.Function), "function"}}
	}
	if message != "" {
		text := sarifText(message)
		l.Message = &text
	}
	return l
}

// sarifFile is a path as a URI.
func sarifFile(path string, o Options) sarifArtifact {
	path = relative(path, o.Style.Dir)
	if filepath.IsAbs(path) {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: path}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: path}).String(), Base: sarifRoot}
}

// sarifRelated are the places that the bug's cause is about.
func sarifRelated(c *Case, b *result.Bug, o Options) (all []sarifLocation) {
	names := b.Names()
	add := func(f result.Frame, message string) {
		l := sarifAt(c, f, message, o)
		id := len(all)
		l.ID = &id
		all = append(all, l)
	}
	for i := range b.Accesses {
		a := &b.Accesses[i]
		add(result.Innermost(a.Stack), fmt.Sprintf("%s %s %s", names.Noun(a.Thread), a.Op, names.In(a.Name())))
	}
	for i := range b.Waits {
		wait := &b.Waits[i]
		add(result.Innermost(wait.Stack), names.Noun(wait.Thread)+" waits for "+strings.TrimSpace(names.In(wait.For+" "+wait.Object)))
		if wait.Acquired != nil {
			add(*wait.Acquired, fmt.Sprintf("thread %s got %s here", wait.Owner, wait.Object))
		}
	}
	for i := range b.Loops {
		add(result.Innermost(b.Loops[i].Lines), fmt.Sprintf("%s spins here", names.Noun(b.Loops[i].Thread)))
	}
	if b.Block != nil {
		add(result.Innermost(b.Block.Allocated.Stack), fmt.Sprintf("%s allocated the block here", names.Noun(b.Block.Allocated.Thread)))
		if b.Block.Freed != nil {
			add(result.Innermost(b.Block.Freed.Stack), fmt.Sprintf("%s freed the block here", names.Noun(b.Block.Freed.Thread)))
		}
	}
	return all
}
