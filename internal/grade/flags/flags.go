// Package flags has the flags of landgo grade and landgo worker. landgo has their help
// and checks them; landgo-class, which it becomes then, does the work.
package flags

import (
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"landgo/internal/confine"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// Program is the name of the program that grades.
const Program = "landgo-class"

// The commands, as landgo and landgo-class call them.
const (
	GradeCommand  = "grade"
	WorkerCommand = "worker"
	// LendCommand hands out the parts of a search for landgo run, which starts it.
	LendCommand = "lend"
)

// Grade has landgo grade's flags and arguments.
type Grade struct {
	Course, Submissions string
	One, Run, CSV, HTML string
	Jobs                int
	// Format is one of config.Formats.
	Format string
	JSON   bool
	Quiet  bool
	Level  confine.Level
	Queue  Queue
	// Serve is the address at which landgo is the queue's server itself, or "".
	Serve string

	confine string
}

// Add adds the flags to a set.
func (g *Grade) Add(set *pflag.FlagSet) {
	set.StringVar(&g.One, "one", "", "grade this one `SUBMISSION`, a folder or an archive")
	set.StringVar(&g.Run, "run", "landgo-grade", "the `FOLDER` where what is done is kept")
	set.IntVar(&g.Jobs, "jobs", runtime.GOMAXPROCS(0), "how many builds or searches run at a time, `N` (one for each processor); with --nats or --serve, 0 leaves the searches to the workers")
	set.Lookup("jobs").DefValue = "0" // help is the same on each machine
	set.StringVar(&g.confine, "confine", string(confine.Require), "the `LEVEL` to which builds and engines are confined: require, best, off")
	set.StringVar(&g.CSV, "csv", "", "write the matrix to this `FILE`, for a spreadsheet")
	set.StringVar(&g.HTML, "html", "", "write pages into this `FOLDER`: index.html, and what students may see beneath students/")
	set.StringVar(&g.Format, "format", config.TextFormat, "the `FORMAT` of the tables: "+strings.Join(config.Formats, ", "))
	set.BoolVar(&g.JSON, "json", false, "print the tables as one JSON object: --format json")
	set.BoolVar(&g.Quiet, "quiet", false, "show no progress")
	set.StringVar(&g.Serve, "serve", "", "be the server that workers ask for jobs, at this `HOST:PORT`")
	g.Queue.add(set)
}

// forOne are the formats in which a document is one student's.
var forOne = []string{"gradescope", "autolab"}

// Check checks what was asked for; args are the words that aren't flags.
func (g *Grade) Check(args []string) (err error) {
	if g.JSON {
		g.Format = config.JSONFormat
	}
	if g.Level, err = confine.ParseLevel(g.confine); err != nil {
		return result.Errorf(result.Usage, "--confine: %w", err)
	}
	want, least := 2, 1
	if g.One != "" {
		want = 1
	}
	if g.Queue.Given() || g.Serve != "" {
		least = 0
	}
	switch {
	case len(args) < want && want == 1:
		return result.Errorf(result.Usage, "want the course's file")
	case len(args) != want:
		return result.Errorf(result.Usage, "want the course's file and the folder of submissions, got %s", counted(len(args), "argument"))
	case g.Jobs < least:
		return result.Errorf(result.Usage, "--jobs: want %d or more, got %d", least, g.Jobs)
	case !slices.Contains(config.Formats, g.Format):
		return result.Errorf(result.Usage, "--format: no format is called %q%s: use one of %s", g.Format, config.DidYouMean("%s", g.Format, config.Formats), strings.Join(config.Formats, ", "))
	case g.One == "" && slices.Contains(forOne, g.Format):
		return result.Errorf(result.Usage, "--format %s is for one student's submission: give --one SUBMISSION", g.Format)
	case slices.Contains([]string{g.CSV, g.HTML, g.Run}, "-"):
		return result.Errorf(result.Usage, "--csv, --html and --run want a name: standard output has the tables, and a file of the name - is ./-")
	case g.Serve != "" && g.Queue.Given():
		return result.Errorf(result.Usage, "--serve is a server of its own: leave out --nats")
	}
	g.Course = args[0]
	if g.One == "" {
		g.Submissions = args[1]
	}
	if g.Serve != "" {
		if err := checkServe(g.Serve, &g.Queue); err != nil {
			return err
		}
	}
	return g.Queue.check(g.Serve != "")
}

// checkServe: what a stranger on the network could read or change isn't sent in the
// clear.
func checkServe(address string, q *Queue) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return result.Errorf(result.Usage, "--serve: want HOST:PORT, got %q", address)
	}
	ip := net.ParseIP(host)
	if local := host == "localhost" || ip != nil && ip.IsLoopback(); !local && q.Cert == "" {
		return result.Errorf(result.Usage, "--serve %s: others of the network could read and change what is sent: give --tls-cert and --tls-key, or serve at 127.0.0.1 and forward the port by ssh", address)
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
