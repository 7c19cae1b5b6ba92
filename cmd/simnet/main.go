package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// Version is the version of the model: results of two versions may differ, so
// it enters summary.json and the addresses of cached results.
const Version = "0.1.0"

// commit is set by the Makefile; go install falls back on the build info.
var commit string

func main() {
	// Simulation allocates in bulk and keeps what it allocates: a lazier
	// collector is worth several percent and no memory to speak of.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	os.Exit(Main(os.Args[1:]))
}

// Main runs the command line and returns the exit code; tests call it too.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var f failure
	if errors.As(err, &f) {
		if f.msg != "" {
			fmt.Fprintln(os.Stderr, f.msg)
		}
		return f.code
	}
	fmt.Fprintln(os.Stderr, "simnet: "+err.Error())
	return exitInput // cobra's own errors: unknown verb or flag
}

// Exit codes of DESIGN: nothing else is ever returned.
const (
	exitFailed = 1
	exitInput  = 2
)

// failure is an error with its exit code. The message is printed as it is:
// loaders have put file:line:column in front already.
type failure struct {
	code int
	msg  string
}

func (f failure) Error() string { return f.msg }

// badInput marks err as the user's input being wrong.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return failure{exitInput, err.Error()}
}

// failed marks err as a failure of the run itself.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return failure{exitFailed, "simnet: " + err.Error()}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "simnet",
		Short:         "Simulate training steps on GPU-cluster networks",
		Long:          "simnet replays 3D-parallel training steps as flows over switches with finite\nbuffers, PFC, ECN, DCQCN and ECMP, at flow, hybrid or packet fidelity.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddCommand(verbs()...)
	explainUsage(root)
	return root
}

func verbs() []*cobra.Command {
	return []*cobra.Command{runCmd(), checkCmd(), topoCmd(), plotCmd(), reportCmd(), replayCmd(), importCmd(), catalogCmd(), sweepCmd(), workerCmd(), compareCmd(), schemaCmd(), ncclTestCmd(), calibrateCmd(), validateCmd(), benchCmd(), versionCmd()}
}
