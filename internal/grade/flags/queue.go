package flags

import (
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"landgo/internal/confine"
	"landgo/internal/result"
)

// Queue is where the jobs of a class lie: a NATS server or cluster, and how to get in.
type Queue struct {
	// URLs are servers of one cluster.
	URLs []string
	// Creds, NKey and Token are files, one of them at most; "" is none.
	Creds, NKey, Token string
	// CA, Cert and Key are files of TLS.
	CA, Cert, Key string
	// Replicas is on how many servers each job and result is kept; 0: on three of a
	// cluster, on the one that isn't a cluster.
	Replicas int
	// DeadAfter is after how much silence a worker counts as dead.
	DeadAfter time.Duration

	urls string
}

func (q *Queue) add(set *pflag.FlagSet) {
	set.StringVar(&q.urls, "nats", "", "the NATS `SERVERS` where jobs and results lie: nats://HOST[:PORT], several with commas")
	set.StringVar(&q.Creds, "creds", "", "the `FILE` of NATS credentials (JWT and key)")
	set.StringVar(&q.NKey, "nkey", "", "the `FILE` of a NATS nkey's seed")
	set.StringVar(&q.Token, "token-file", "", "the `FILE` of a token that the server wants")
	set.StringVar(&q.CA, "tls-ca", "", "the `FILE` of the authorities that the server's certificate is checked by")
	set.StringVar(&q.Cert, "tls-cert", "", "the `FILE` of the own certificate; with --serve, the server's")
	set.StringVar(&q.Key, "tls-key", "", "the `FILE` of its key")
	set.DurationVar(&q.DeadAfter, "dead-after", 30*time.Second, "the `DURATION` of silence after which a worker counts as dead, and its job is handed out again")
	set.IntVar(&q.Replicas, "replicas", 0, "on how many servers of a cluster, `N`, jobs and results are kept: 1, 3 or 5 (3, 1 without a cluster)")
}

// Given reports whether there is a queue.
func (q *Queue) Given() bool { return q.urls != "" }

func (q *Queue) check(serves bool) error {
	if q.urls != "" {
		q.URLs = strings.Split(q.urls, ",")
	}
	keys := 0
	for _, f := range []string{q.Creds, q.NKey, q.Token} {
		if f != "" {
			keys++
		}
	}
	switch {
	case (q.Cert == "") != (q.Key == ""):
		return result.Errorf(result.Usage, "--tls-cert and --tls-key go together")
	case q.DeadAfter < time.Second:
		return result.Errorf(result.Usage, "--dead-after: want 1s or more, got %v", q.DeadAfter)
	case keys > 1:
		return result.Errorf(result.Usage, "--creds, --nkey and --token-file: give one of them")
	case q.Replicas != 0 && q.Replicas != 1 && q.Replicas != 3 && q.Replicas != 5:
		return result.Errorf(result.Usage, "--replicas: want 1, 3 or 5, got %d", q.Replicas)
	case serves && (q.Creds != "" || q.NKey != "" || q.Replicas > 1):
		return result.Errorf(result.Usage, "--serve has one server and a token: leave out --creds, --nkey and --replicas")
	case !serves && !q.Given() && (keys > 0 || q.CA != "" || q.Cert != "" || q.Replicas != 0):
		return result.Errorf(result.Usage, "--creds, --nkey, --token-file, --tls-... and --replicas are for --nats: give it too")
	}
	for _, u := range q.URLs {
		scheme, _, ok := strings.Cut(u, "://")
		if ok && scheme != "nats" && scheme != "tls" && scheme != "ws" && scheme != "wss" || u == "" {
			return result.Errorf(result.Usage, "--nats: want nats://HOST[:PORT] or tls://HOST[:PORT], got %q", u)
		}
	}
	return nil
}

// Worker has landgo worker's flags.
type Worker struct {
	Queue Queue
	Jobs  int
	Cache string
	Level confine.Level
	Quiet bool
	// Idle: it ends when there is no job.
	Idle bool

	confine string
}

// Add adds the flags to a set.
func (w *Worker) Add(set *pflag.FlagSet) {
	w.Queue.add(set)
	set.IntVar(&w.Jobs, "jobs", runtime.GOMAXPROCS(0), "how many searches run at a time, `N` (one for each processor)")
	set.Lookup("jobs").DefValue = "0" // help is the same on each machine
	set.StringVar(&w.Cache, "cache", "", "the `FOLDER` where programs to check are kept (one that is removed at the end)")
	set.StringVar(&w.confine, "confine", string(confine.Require), "the `LEVEL` to which engines are confined: require, best, off")
	set.BoolVar(&w.Idle, "until-idle", false, "end when there is no job")
	set.BoolVar(&w.Quiet, "quiet", false, "say nothing of jobs")
}

// Check checks what was asked for.
func (w *Worker) Check(args []string) (err error) {
	if w.Level, err = confine.ParseLevel(w.confine); err != nil {
		return result.Errorf(result.Usage, "--confine: %w", err)
	}
	switch {
	case len(args) > 0:
		return result.Errorf(result.Usage, "worker takes no argument, got %q", args[0])
	case !w.Queue.Given():
		return result.Errorf(result.Usage, "no server given: give --nats nats://HOST[:PORT]")
	case w.Jobs < 1:
		return result.Errorf(result.Usage, "--jobs: want 1 or more, got %d", w.Jobs)
	}
	return w.Queue.check(false)
}
