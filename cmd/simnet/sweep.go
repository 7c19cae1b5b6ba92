package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/scenarios"
)

func sweepCmd() *cobra.Command {
	var out, on string
	var jobs int
	var sets, only []string
	c := &cobra.Command{
		Use:   "sweep STUDY.yaml",
		Short: "Run every point of a study; draw its curves. Finished points are never run again",
		Example: "  simnet sweep scenarios/scaling-gpt3-175b.yaml -o out/s\n" +
			"  simnet sweep status out/s",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkWhere(on, jobs); err != nil {
				return err
			}
			if err := wantStudy(args[0]); err != nil {
				return err
			}
			st, err := scenarios.LoadStudy(args[0], sets, Version)
			if err != nil {
				return badInput(err)
			}
			if st.Points, err = selectPoints(st.Points, only); err != nil {
				return badInput(err)
			}
			if out == "" {
				out = filepath.Join("out", st.Name)
			}
			s, err := planSweep(st, out)
			if err != nil {
				return err
			}
			return s.run(c, on, jobs)
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "directory of the study (default out/NAME)")
	c.Flags().StringVar(&on, "on", "local", "where the points run: local or slurm")
	c.Flags().IntVar(&jobs, "jobs", runtime.GOMAXPROCS(0), "points at a time (slurm: array tasks at a time)")
	c.Flags().StringArrayVar(&sets, "set", nil, "override a value in every point, key.path=value (repeatable)")
	c.Flags().StringArrayVar(&only, "only", nil, "run only the points at one value of an axis, AXIS=POINT (repeatable: several of one axis add up)")
	c.AddCommand(sweepStatusCmd(), sweepResumeCmd(), sweepCancelCmd())
	return c
}

// checkWhere checks where the points of a sweep are to run, and how many at a time.
func checkWhere(on string, jobs int) error {
	if places := []string{"local", "slurm"}; !slices.Contains(places, on) {
		return badInput(fmt.Errorf("simnet sweep: --on %s: want local or slurm%s", on, didYouMean(on, places)))
	}
	if jobs < 1 {
		return badInput(fmt.Errorf("simnet sweep: --jobs %d: want at least 1", jobs))
	}
	return nil
}

func sweepStatusCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "status DIR",
		Short: "Say which points are done, from the result files alone",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := openSweep(args[0])
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
			done := 0
			for _, p := range s.Points {
				state := s.state(p)
				if state == "done" {
					done++
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.Hash[:12], state, p.Name)
			}
			fmt.Fprintf(w, "%d of %d points done\t\t\n", done, len(s.Points))
			return failed(w.Flush())
		},
	}
}

func sweepResumeCmd() *cobra.Command {
	var on string
	var jobs int
	c := &cobra.Command{
		Use:   "resume DIR",
		Short: "Run what an interrupted sweep has left",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkWhere(on, jobs); err != nil {
				return err
			}
			s, err := openSweep(args[0])
			if err != nil {
				return err
			}
			return s.run(c, on, jobs)
		},
	}
	c.Flags().StringVar(&on, "on", "local", "where the points run: local or slurm")
	c.Flags().IntVar(&jobs, "jobs", runtime.GOMAXPROCS(0), "points at a time")
	return c
}

func sweepCancelCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel DIR",
		Short: "Cancel the Slurm jobs of a sweep; finished points stay",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := openSweep(args[0])
			if err != nil {
				return err
			}
			return s.cancelSlurm(c)
		},
	}
}

// workerCmd runs one point of a planned sweep: the contract between a sweep
// and whatever starts its tasks (a Slurm array, an indexed Kubernetes job).
func workerCmd() *cobra.Command {
	var task int
	c := &cobra.Command{
		Use:    "worker --task I DIR",
		Short:  "Run point I of a planned sweep",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := openSweep(args[0])
			if err != nil {
				return err
			}
			if task < 0 || task >= len(s.Points) {
				return badInput(fmt.Errorf("simnet worker: task %d of a sweep of %d points", task, len(s.Points)))
			}
			return failed(s.runPoint(c.Context(), s.Points[task]))
		},
	}
	c.Flags().IntVar(&task, "task", -1, "index of the point")
	return c
}

// run runs what is missing and puts the study together.
func (s *sweep) run(c *cobra.Command, on string, jobs int) error {
	var err error
	if on == "slurm" {
		err = s.runSlurm(c, jobs)
	} else {
		err = s.runLocal(c, jobs)
	}
	if err != nil {
		return err
	}
	return s.collect(c)
}

// collect writes the tables and curves of a complete sweep. They follow from
// the points' summaries alone, so an interrupted sweep ends with the same
// bytes as one that went through.
func (s *sweep) collect(c *cobra.Command) error {
	var csv strings.Builder
	stuck := 0
	csv.WriteString("point,gpus,network_active_s,step_s,tokens_per_s,tflops_per_gpu,mfu,ecn_marked,cnps,pfc_pauses,drops\n")
	dirs := make([]*results.Dir, len(s.Points))
	training := true
	for i, p := range s.Points {
		d, err := results.ReadSummary(s.pointDir(p))
		if err != nil {
			return failed(err)
		}
		dirs[i] = d
		if u := d.Summary.Network.Unfinished; u != nil {
			fmt.Fprintf(c.ErrOrStderr(), "point %s is partial: %s\n", p.Name, u.Text(d.Summary.Network))
			if !u.Asked {
				stuck++
			}
		}
		m, n := d.Summary, d.Summary.Network
		step := results.Step{}
		if m.Step != nil {
			step = *m.Step
		} else {
			training = false
		}
		fmt.Fprintf(&csv, "%q,%d,%g,%g,%g,%g,%g,%d,%d,%d,%d\n", p.Name, m.GPUs, n.ActiveS, step.MeanS, step.TokensPerS, step.TFLOPsPerGPU, step.MFU,
			count(n.ECNMarked), count(n.CNPs), count(n.PFCPauses), count(n.Drops))
	}
	if err := writeAtomically(filepath.Join(s.dir, "sweep.csv"), []byte(csv.String())); err != nil {
		return failed(err)
	}
	draw := func() error { return s.drawVariants(c) }
	if training {
		draw = func() error { return s.drawCurves(c, dirs) }
	}
	if err := draw(); err != nil {
		return err
	}
	s.explainNodes(c, dirs)
	fmt.Fprintf(c.OutOrStdout(), "%d points in %s\n", len(s.Points), s.dir)
	if stuck > 0 {
		return failed(fmt.Errorf("%d of %d points have flows that never arrived; their results are partial", stuck, len(s.Points)))
	}
	return nil
}

// count prints a counter that an engine may not model.
func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// ensureDir makes a directory of the sweep.
func ensureDir(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return failed(err)
	}
	return nil
}

// selectPoints keeps the points that lie at one AXIS=POINT of only for every
// axis that only names.
func selectPoints(points []scenarios.Point, only []string) ([]scenarios.Point, error) {
	wanted := map[string][]string{}
	for _, o := range only {
		axis, at, ok := strings.Cut(o, "=")
		if !ok || !slices.ContainsFunc(points, func(p scenarios.Point) bool { return p.At[axis] == at }) {
			return nil, fmt.Errorf("simnet sweep: --only %s: no point of the study lies there", o)
		}
		wanted[axis] = append(wanted[axis], at)
	}
	kept := slices.DeleteFunc(slices.Clone(points), func(p scenarios.Point) bool {
		for axis, at := range wanted {
			if !slices.Contains(at, p.At[axis]) {
				return true
			}
		}
		return false
	})
	if len(kept) == 0 {
		return nil, fmt.Errorf("simnet sweep: --only %s: no point of the study lies at all of them", strings.Join(only, ", "))
	}
	return kept, nil
}
