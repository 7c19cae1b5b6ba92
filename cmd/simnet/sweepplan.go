package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/scenarios"
)

// sweep is a planned study in its directory:
//
//	sweep.json            the plan: points with their content addresses
//	points/HASH.yaml      effective scenario of each point
//	points/HASH/          run directory of each finished point
//	failed/HASH.txt       why a point failed
//	sweep.csv, scaling*   tables and curves, once all points are done
type sweep struct {
	Schema  string
	Study   string
	Version string
	Points  []sweepPoint
	Curve   *scenarios.Curve `json:",omitempty"`

	dir string
}

// sweepPoint is one run. Base is where relative paths in the scenario start,
// From the place in the study that names the point, for messages.
type sweepPoint struct {
	Name string
	Hash string
	At   map[string]string
	Base string
	From string
}

const sweepSchema = "simnet.sweep/1"

// planSweep writes the plan of st into dir, which must be absent, empty, or a
// sweep: points that it has finished under the same content address stay valid.
func planSweep(st *scenarios.Study, dir string) (*sweep, error) {
	if err := checkSweepTarget(dir); err != nil {
		return nil, badInput(err)
	}
	s := &sweep{Schema: sweepSchema, Study: st.Name, Version: Version, Curve: st.Curve, dir: dir}
	if err := ensureDir(filepath.Join(dir, "points")); err != nil {
		return nil, err
	}
	for i := range st.Points {
		p := &st.Points[i]
		base, err := filepath.Abs(p.Valid.Dir)
		if err != nil {
			return nil, failed(err)
		}
		q := sweepPoint{Name: p.Name, Hash: p.Hash, At: p.At, Base: base, From: p.From.Position()}
		s.Points = append(s.Points, q)
		if err := writeAtomically(s.pointDir(q)+".yaml", p.Valid.Canonical()); err != nil {
			return nil, failed(err)
		}
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, failed(err)
	}
	return s, failed(writeAtomically(filepath.Join(dir, "sweep.json"), append(b, '\n')))
}

func checkSweepTarget(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "sweep.json")); err != nil {
		return fmt.Errorf("%s is not empty and not a sweep of simnet (no sweep.json); choose another directory", dir)
	}
	return nil
}

// openSweep reads the plan in dir.
func openSweep(dir string) (*sweep, error) {
	file := filepath.Join(dir, "sweep.json")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, badInput(fmt.Errorf("%s is not a sweep: it has no sweep.json", dir))
	}
	if err != nil {
		return nil, failed(err)
	}
	s := &sweep{dir: dir}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, badInput(fmt.Errorf("%s: %w", file, err))
	}
	if s.Schema != sweepSchema || s.Version != Version {
		return nil, badInput(fmt.Errorf("%s: made by simnet %s (%s), this is %s: sweep the study again", file, s.Version, s.Schema, Version))
	}
	return s, nil
}

func (s *sweep) pointDir(p sweepPoint) string { return filepath.Join(s.dir, "points", p.Hash) }

func (s *sweep) failedFile(p sweepPoint) string {
	return filepath.Join(s.dir, "failed", p.Hash+".txt")
}

// state tells how far a point is from the files alone.
func (s *sweep) state(p sweepPoint) string {
	if results.IsRun(s.pointDir(p)) {
		return "done"
	}
	if _, err := os.Stat(s.failedFile(p)); err == nil {
		return "failed"
	}
	return "to do"
}

// missing returns the points that have no result, each content address once.
func (s *sweep) missing() []sweepPoint {
	var out []sweepPoint
	seen := map[string]bool{}
	for _, p := range s.Points {
		if !seen[p.Hash] && s.state(p) != "done" {
			out = append(out, p)
		}
		seen[p.Hash] = true
	}
	return out
}

// runPoint runs one point. Its run directory appears whole or not at all, so a
// second writer of the same point does no harm.
func (s *sweep) runPoint(ctx context.Context, p sweepPoint) error {
	if s.state(p) == "done" {
		return nil
	}
	text, err := os.ReadFile(s.pointDir(p) + ".yaml")
	if err != nil {
		return err
	}
	err = func() error {
		v, err := scenarios.Parse(filepath.Join(p.Base, p.Hash[:12]+".yaml"), text, nil)
		if err != nil {
			return err
		}
		run, err := execute(ctx, v, nil)
		if err != nil {
			return err
		}
		if run.Partial && ctx.Err() != nil {
			return ctx.Err()
		}
		run.Warnings = portable(run.Warnings, filepath.Join(p.Base, p.Hash[:12]+".yaml"))
		_, err = results.Write(run, s.pointDir(p), results.WriteOptions{NoPlots: true, NoReport: true})
		return err
	}()
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s: point %s: %s", p.From, p.Name, strings.TrimPrefix(err.Error(), "simnet: "))
		if e := ensureDir(filepath.Join(s.dir, "failed")); e != nil {
			return e
		}
		if e := writeAtomically(s.failedFile(p), []byte(err.Error()+"\n")); e != nil {
			return e
		}
	}
	if err == nil {
		_ = os.Remove(s.failedFile(p)) // absent, as a rule
	}
	return err
}

// runLocal runs the missing points on this machine, jobs at a time.
func (s *sweep) runLocal(c *cobra.Command, jobs int) error {
	todo := s.missing()
	if n := len(s.Points) - len(todo); n > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "%d of %d points are there already\n", n, len(s.Points))
	}
	queue := make(chan sweepPoint)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done, bad := 0, 0
	for range min(jobs, len(todo)) {
		wg.Go(func() {
			for p := range queue {
				err := s.runPoint(c.Context(), p)
				mu.Lock()
				done++
				switch {
				case err == nil:
					fmt.Fprintf(c.ErrOrStderr(), "[%d/%d] %s\n", done, len(todo), p.Name)
				case c.Context().Err() == nil:
					bad++
					fmt.Fprintf(c.ErrOrStderr(), "[%d/%d] %v\n", done, len(todo), err)
				}
				mu.Unlock()
			}
		})
	}
	for _, p := range todo {
		if c.Context().Err() != nil {
			break
		}
		queue <- p
	}
	close(queue)
	wg.Wait()
	if c.Context().Err() != nil {
		return failed(fmt.Errorf("interrupted; simnet sweep resume %s goes on", s.dir))
	}
	if bad > 0 {
		return failed(fmt.Errorf("%d of %d points failed; their messages are in %s, the others are kept", bad, len(todo), filepath.Join(s.dir, "failed")))
	}
	return nil
}
