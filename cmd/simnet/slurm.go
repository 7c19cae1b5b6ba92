package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	for {
		select {
		case <-c.Context().Done():
			return failed(fmt.Errorf("interrupted; Slurm job %s goes on, simnet sweep cancel %s ends it", id, s.dir))
		case <-time.After(slurmPoll):
		}
		left := len(s.missing())
		if left == 0 {
			return nil
		}
		q, err := exec.CommandContext(c.Context(), "squeue", "--noheader", "--jobs", id).Output()
		if err != nil {
			// squeue answers with an error once the job has left its memory.
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				return failed(err)
			}
			q = nil
		}
		if len(bytes.TrimSpace(q)) == 0 && len(s.missing()) > 0 {
			return failed(fmt.Errorf("job %s of Slurm has ended with %d points missing; logs in %s", id, left, logs))
		}
	}
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
