package result

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"landgo/internal/trace"
)

func sampleFile(schedule string) *BugFile {
	return NewBugFile(
		&Result{Guest: Guest{Path: "lost", SHA256: strings.Repeat("0f", 32)}},
		&Bug{Kind: trace.Assertion, Message: "exit status 3", Schedule: schedule, Minimal: Proven},
		json.RawMessage(`{"pp":"mem"}`))
}

func TestBugFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lost.landgo")
	if err := CheckWritable(path); err != nil {
		t.Fatal(err)
	}
	want := sampleFile("s1:7f03a9c2:0@10412,0.1@35")
	for range 2 { // also over an old one
		if err := want.Write(path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadBugFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var compact, again any
	if json.Unmarshal(got.Config, &compact) != nil || json.Unmarshal(want.Config, &again) != nil || !reflect.DeepEqual(compact, again) {
		t.Errorf("configuration: %s, want %s", got.Config, want.Config)
	}
	got.Config = want.Config
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := CheckWritable(path); err != nil {
		t.Errorf("an old bug file in the way: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".landgo-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReadBugFileErrors(t *testing.T) {
	good, err := json.Marshal(sampleFile("s1:7f03a9c2:0@1"))
	if err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("%s has no %s", good, old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	for name, c := range map[string]struct {
		text string
		kind ErrorKind
	}{
		"empty":         {"", BadBugFile},
		"a program":     {"\x7fELF\x02\x01", BadBugFile},
		"cut":           {string(good[:len(good)/2]), BadBugFile},
		"other JSON":    {`{"a":1}`, BadBugFile},
		"a list":        {`[]`, BadBugFile},
		"newer format":  {replace("landgo-bug/1", "landgo-bug/2"), OtherVersion},
		"newer landgo":  {replace(`"`+Version+`"`, `"99.0.0"`), OtherVersion},
		"no schedule":   {replace("s1:7f03a9c2:0@1", ""), BadSchedule},
		"bad schedule":  {replace("0@1", "0#1"), BadSchedule},
		"no guest":      {replace(`"lost"`, `""`), BadBugFile},
		"short digest":  {replace("0f0f", ""), BadBugFile},
		"wrong type":    {replace(`"exit status 3"`, "3"), BadBugFile},
		"odd proof":     {replace(`"proven"`, `"sure"`), BadBugFile},
		"no directory":  {"", NoFile},
		"not readable":  {"", Unreadable},
		"good, control": {string(good), ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.landgo")
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			switch c.kind {
			case NoFile:
				path = filepath.Join(path+"-none", "x")
			case Unreadable:
				path = filepath.Dir(path)
			}
			_, err := ReadBugFile(path)
			if c.kind == "" && err != nil || c.kind != "" && !errors.Is(err, c.kind) {
				t.Errorf("got %v, want %q", err, c.kind)
			}
		})
	}
}

func TestCheckWritableErrors(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(other, []byte("notes"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"no such directory": filepath.Join(dir, "none", "x.landgo"),
		"a directory":       dir,
		"another file":      other,
		"a device":          os.DevNull,
		"below a file":      filepath.Join(other, "x.landgo"),
	} {
		if err := CheckWritable(path); !errors.Is(err, Unwritable) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if text, _ := os.ReadFile(other); string(text) != "notes" {
		t.Error("the other file was touched")
	}
}

// writeForEver, in the environment, makes the test binary write bug files to
// the path it holds until it is killed.
const writeForEver = "LANDGO_TEST_WRITE"

func TestMain(m *testing.M) {
	if path := os.Getenv(writeForEver); path != "" {
		file := sampleFile("s1:00000000:0@1" + strings.Repeat(",0.1@12345,0.2@12345", 50_000))
		for {
			if err := file.Write(path); err != nil {
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// TestKilledWhileWriting: a writer that is killed at any moment leaves a whole
// file or none.
func TestKilledWhileWriting(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.landgo")
	written := 0
	for i := range 12 {
		writer := exec.Command(self)
		writer.Env = append(os.Environ(), writeForEver+"="+path)
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		if i == 0 { // a busy machine takes its time to start a process
			for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if _, err := os.Stat(path); err == nil {
					break
				}
			}
		}
		time.Sleep(time.Duration(10+7*i) * time.Millisecond)
		writer.Process.Kill()
		writer.Wait()
		switch _, err := ReadBugFile(path); {
		case err == nil:
			written++
		case !errors.Is(err, NoFile):
			t.Fatalf("after kill %d: %v", i, err)
		}
	}
	if written == 0 {
		t.Error("no writer got as far as writing: the test shows nothing")
	}
}

func FuzzParseBugFile(f *testing.F) {
	good, err := json.Marshal(sampleFile("s1:7f03a9c2:0@1"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"format":"landgo-bug/1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := parseBugFile("x.landgo", text)
		if err != nil {
			if KindOf(err) == Fault {
				t.Errorf("an error without a kind: %v", err)
			}
			return
		}
		if CheckSchedule(file.Schedule) != nil {
			t.Errorf("accepted the schedule %q", file.Schedule)
		}
	})
}
