package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"landgo/internal/confine"
	"landgo/internal/explore/config"
	"landgo/internal/grade/flags"
	"landgo/internal/process"
	"landgo/internal/result"
)

func (a *app) gradeCommand() *cobra.Command {
	var f flags.Grade
	cmd := &cobra.Command{
		Use:   flags.GradeCommand + " [flags] COURSE.yaml SUBMISSIONS\n  landgo grade --one SUBMISSION [flags] COURSE.yaml",
		Short: "check a class: each submission with each test of a course",
		Long: `grade builds each submission and checks it with each test of the course's file.
SUBMISSIONS has a folder or an archive (zip, tar, tar.gz, tar.bz2) for each student.
It prints a matrix of students and tests, and the mistakes that were made, the most
frequent first.

Finished work is kept in the run's folder (--run): the same command goes on after
an interrupt or a crash, and a program that was checked isn't checked again.
Builds and searches are confined; where the kernel or the container hasn't got
what that takes, grade refuses to run unless --confine best allows it.

With --one it grades one submission and prints what the student may see. --format
prints the tables for graders and CI.

With --nats the searches are handed out to workers ("landgo worker") by a NATS
server or cluster with JetStream; with --serve landgo is that server itself.

The exit status is 0 when all is decided, 4 when a person has to decide about a
result, 3 after an interrupt. Bugs in submissions don't change it.
docs/grading.md has all of the course's file, and more on workers.`,
		Example: `  landgo grade course.yaml submissions
  landgo grade --html report --csv points.csv course.yaml submissions
  landgo grade --one submission.zip --format gradescope course.yaml
  landgo grade --nats nats://10.0.0.5 --creds lab.creds course.yaml submissions`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.Check(args); err != nil {
				return err
			}
			return become(flags.Program)
		},
	}
	f.Add(cmd.Flags())
	completeWords(cmd, "format", config.Formats, false)
	completeWords(cmd, "confine", confine.Levels, false)
	return cmd
}

func (a *app) workerCommand() *cobra.Command {
	var f flags.Worker
	cmd := &cobra.Command{
		Use:   flags.WorkerCommand + " --nats URL[,URL...] [flags]",
		Short: "do jobs of landgo grade, and parts of landgo run, on this machine",
		Long: `worker takes jobs of landgo grade from a NATS server or cluster, and does them:
each is one program and one test. It does parts of the search of landgo run --nats,
too. It does what is of its own version and engine only. Engines are confined as
grade's are. --jobs is how many jobs, and how many parts, it has at a time.

A job whose worker is killed is given out again. After an interrupt the worker gives
its jobs back and ends. It waits for jobs, and for a server that is away.`,
		Example: `  landgo worker --nats nats://10.0.0.5 --creds lab.creds
  landgo worker --nats tls://a.example.org,tls://b.example.org --tls-ca ca.pem --jobs 8`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.Check(args); err != nil {
				return err
			}
			return become(flags.Program)
		},
	}
	f.Add(cmd.Flags())
	completeWords(cmd, "confine", confine.Levels, false)
	return cmd
}

// become makes this process another program of landgo's, with the same arguments.
// Grading needs a server and a client of NATS, among others. These start slower than a
// small guest runs, so it isn't in landgo itself.
func become(name string) error {
	path, err := process.Beside(name)
	if err != nil {
		return err
	}
	signal.Reset(syscall.SIGPIPE)
	return result.Errorf(result.BadEngine, "%s can't be started: %w", path, syscall.Exec(path, append([]string{name}, os.Args[1:]...), os.Environ()))
}
