package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Slurm support needs sbatch, squeue and scancel, nothing site-specific: state
// comes from the result files and squeue, never from accounting, which is
// often off.

// slurmScript is the batch script of an array task. A task that dies of a
// signal asks for a requeue, at most maxRequeues times; one that fails by
// itself does not, since it would fail again.
const slurmScript = `#!/bin/sh
%q worker --task "$SLURM_ARRAY_TASK_ID" %q
rc=$?
if [ "$rc" -gt 128 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt %d ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$rc"
`

const (
	maxRequeues = 3
	// slurmPoll is how often squeue is asked: sbatch --wait returns late.
	slurmPoll = 2 * time.Second
)

// runSlurm submits the missing points as one array and waits for it.
func (s *sweep) runSlurm(c *cobra.Command, jobs int) error {
	index := map[string]int{}
	for i, p := range s.Points {
		if _, ok := index[p.Hash]; !ok {
			index[p.Hash] = i
		}
	}
	var tasks []string
	for _, p := range s.missing() {
		tasks = append(tasks, strconv.Itoa(index[p.Hash]))
	}
	if len(tasks) == 0 {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return failed(err)
	}
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return failed(err)
	}
	logs := filepath.Join(dir, "slurm")
	if err := ensureDir(logs); err != nil {
		return err
	}
	sub := exec.CommandContext(c.Context(), "sbatch", "--parsable", "--requeue", "--open-mode=append",
		"--job-name=simnet-"+s.Study, fmt.Sprintf("--array=%s%%%d", strings.Join(tasks, ","), jobs),
		"--output="+filepath.Join(logs, "%a.log"))
	sub.Stdin = strings.NewReader(fmt.Sprintf(slurmScript, self, dir, maxRequeues))
	var out, msg bytes.Buffer
	sub.Stdout, sub.Stderr = &out, &msg
	if err := sub.Run(); err != nil {
		return failed(fmt.Errorf("sbatch: %w: %s", err, strings.TrimSpace(msg.String())))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out.String()), ";")
	if err := writeAtomically(filepath.Join(logs, "job"), []byte(id+"\n")); err != nil {
		return failed(err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "Slurm job %s: %d points\n", id, len(tasks))
	told := map[string]bool{}
	say := func(what string) {
		if !told[what] {
			fmt.Fprintf(c.ErrOrStderr(), "Slurm job %s: %s\n", id, what)
			told[what] = true
		}
	}
	for {
		select {
		case <-c.Context().Done():
			return failed(fmt.Errorf("interrupted; Slurm job %s goes on, simnet sweep cancel %s ends it", id, s.dir))
		case <-time.After(slurmPoll):
		}
		if len(s.missing()) == 0 {
			return nil
		}
		queue, err := slurmQueue(c.Context(), id)
		switch {
		case err != nil && c.Context().Err() == nil:
			// The controller may restart: its jobs go on meanwhile.
			say(err.Error() + "; asking again")
		case err == nil && len(queue) == 0:
			return s.slurmLeft(id, logs)
		}
		for _, reason := range queue {
			if reason != "" && !slices.Contains(usualReasons, reason) {
				say("waits: " + reason)
			}
		}
	}
}

// usualReasons are why a task waits in its turn; any other (held, nodes down,
// limits of an account) may last until somebody acts.
var usualReasons = []string{"None", "Resources", "Priority", "JobArrayTaskLimit", "BeginTime", "Cleaning"}

// slurmQueue returns, for each line that squeue has of a job, why it waits; ""
// for one that does not.
func slurmQueue(ctx context.Context, id string) ([]string, error) {
	q, err := exec.CommandContext(ctx, "squeue", "--noheader", "--jobs", id, "--format=%T|%r").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		// This is the answer once the job has left Slurm's memory.
		if bytes.Contains(exit.Stderr, []byte("Invalid job id")) {
			return nil, nil
		}
		return nil, fmt.Errorf("squeue: %s", bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range strings.Fields(strings.ReplaceAll(string(q), " ", "_")) {
		state, reason, _ := strings.Cut(l, "|")
		if state != "PENDING" {
			reason = ""
		}
		out = append(out, strings.ReplaceAll(reason, "_", " "))
	}
	return out, nil
}

// slurmLeft is about the points that a job has left undone; nil if there are
// none.
func (s *sweep) slurmLeft(id, logs string) error {
	left := s.missing()
	if len(left) == 0 {
		return nil
	}
	var lines []string
	failures := 0
	for _, p := range left {
		if b, err := os.ReadFile(s.failedFile(p)); err == nil {
			failures++
			lines = append(lines, strings.TrimSpace(string(b)))
		}
	}
	rest := ""
	if n := len(left) - failures; n > 0 {
		rest = fmt.Sprintf("; %d were ended from outside (cancelled, time limit, killed %d times): simnet sweep resume %s --on slurm goes on", n, maxRequeues+1, s.dir)
	}
	lines = append(lines, fmt.Sprintf("simnet: job %s of Slurm has ended with %d points missing, %d of which failed%s; logs in %s", id, len(left), failures, rest, logs))
	return failure{exitFailed, strings.Join(lines, "\n")}
}

// cancelSlurm cancels the array of the sweep.
func (s *sweep) cancelSlurm(c *cobra.Command) error {
	id, err := os.ReadFile(filepath.Join(s.dir, "slurm", "job"))
	if errors.Is(err, os.ErrNotExist) {
		return badInput(fmt.Errorf("%s has no Slurm job", s.dir))
	}
	if err != nil {
		return failed(err)
	}
	if msg, err := exec.CommandContext(c.Context(), "scancel", strings.TrimSpace(string(id))).CombinedOutput(); err != nil {
		return failed(fmt.Errorf("scancel: %w: %s", err, bytes.TrimSpace(msg)))
	}
	fmt.Fprintf(c.OutOrStdout(), "cancelled Slurm job %s\n", bytes.TrimSpace(id))
	return nil
}
