package flags

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"landgo/internal/result"
)

// TestFlags: what can't work is refused before anything starts, with what to do.
func TestFlags(t *testing.T) {
	for line, want := range map[string]string{
		"grade c.yaml s": "",
		"grade c.yaml":   "want the course's file and the folder of submissions, got 1 argument",
		"grade --one s":  "want the course's file",
		"grade --one s --format gradescope c.yaml":              "",
		"grade --format gradescope c.yaml s":                    "--format gradescope is for one student's submission: give --one SUBMISSION",
		"grade --format gradscope c.yaml s":                     `--format: no format is called "gradscope", did you mean gradescope?`,
		"grade --csv - c.yaml s":                                "--csv, --html and --run want a name",
		"grade --jobs 0 c.yaml s":                               "--jobs: want 1 or more, got 0",
		"grade --jobs 0 --nats h c.yaml s":                      "",
		"grade --nats h --serve :1 c.yaml s":                    "--serve is a server of its own: leave out --nats",
		"grade --serve 127.0.0.1:4222 c.yaml s":                 "",
		"grade --serve localhost:4222 c.yaml s":                 "",
		"grade --serve [::1]:4222 c.yaml s":                     "",
		"grade --serve 0.0.0.0:4222 c.yaml s":                   "--serve 0.0.0.0:4222: others of the network could read and change what is sent",
		"grade --serve :4222 c.yaml s":                          "--serve :4222: others of the network",
		"grade --serve lab:1 --tls-cert c --tls-key k c.yaml s": "",
		"grade --serve 4222 c.yaml s":                           "--serve: want HOST:PORT",
		"grade --tls-cert c c.yaml s":                           "--tls-cert and --tls-key go together",
		"grade --creds f c.yaml s":                              "--creds, --nkey, --token-file, --tls-... and --replicas are for --nats: give it too",
		"grade --creds f --serve 127.0.0.1:1 c.yaml s":          "--serve has one server and a token",
		"grade --confine most c.yaml s":                         "--confine: want best, off, require",
		"worker":                                                "no server given: give --nats nats://HOST[:PORT]",
		"worker x --nats h":                                     `worker takes no argument, got "x"`,
		"worker --nats nats://a,tls://b:4222":                   "",
		"worker --nats http://a":                                `--nats: want nats://HOST[:PORT] or tls://HOST[:PORT], got "http://a"`,
		"worker --nats a,":                                      "--nats: want nats://HOST",
		"worker --nats a --creds x --nkey y":                    "--creds, --nkey and --token-file: give one of them",
		"worker --nats a --jobs 0":                              "--jobs: want 1 or more, got 0",
		"worker --nats a --replicas 2":                          "--replicas: want 1, 3 or 5, got 2",
		"worker --nats a --dead-after 1ms":                      "--dead-after: want 1s or more, got 1ms",
	} {
		words := strings.Fields(line)
		set := pflag.NewFlagSet(words[0], pflag.ContinueOnError)
		var g Grade
		var w Worker
		check := w.Check
		if words[0] == GradeCommand {
			g.Add(set)
			check = g.Check
		} else {
			w.Add(set)
		}
		if err := set.Parse(words[1:]); err != nil {
			t.Fatal(err)
		}
		err := check(set.Args())
		if want == "" && err == nil {
			continue
		}
		if want == "" || err == nil || !strings.HasPrefix(err.Error(), want) || result.KindOf(err) != result.Usage {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
