package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// CheckTarget reports, before anything is run, whether Write would refuse dir:
// it must be absent, empty or a run directory, unless force is set, and there
// must be leave to write.
func CheckTarget(dir string, force bool) error {
	st, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := workplace(dir)
		return err
	}
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("%s is a file; the output must be a directory", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if !force && len(entries) > 0 && !IsRun(dir) {
		return fmt.Errorf("%s is not empty and not a run of simnet (no summary.json); choose another directory, or --force to write beside what is there", dir)
	}
	_, err = workplace(dir)
	return err
}

// Earlier names the run that Write would replace in dir; "" if there is none.
func Earlier(dir string) string {
	if !IsRun(dir) {
		return ""
	}
	d, err := ReadSummary(dir)
	if err != nil {
		return "a run that this simnet cannot read"
	}
	s := d.Summary
	text := fmt.Sprintf("the run of %s, %s fidelity, seed %d, scenario %.12s", s.Scenario, s.Fidelity, s.Seed, s.SHA256)
	if d.Host != nil && d.Host.WrittenAt != "" {
		text += ", written " + d.Host.WrittenAt
	}
	if s.Partial {
		text += ", partial"
	}
	return text
}

// workplace returns where the temporary directory of dir is made: beside dir,
// so that it replaces dir in one step; inside it where that cannot be, because
// dir is a mount point, its parent is not ours, or somebody works in it. The
// error is that neither place can be written.
func workplace(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	parent := filepath.Dir(dir)
	st, err := os.Stat(dir)
	if err != nil {
		above := parent
		for ; filepath.Dir(above) != above; above = filepath.Dir(above) {
			if _, err := os.Stat(above); err == nil {
				break
			}
		}
		if err := probe(above, ""); err != nil {
			return "", fmt.Errorf("%s cannot be made: %w", dir, err)
		}
		return parent, nil
	}
	if here, err := os.Stat("."); err == nil && !os.SameFile(here, st) && probe(parent, dir) == nil {
		return parent, nil
	}
	if err := probe(dir, ""); err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", dir, err)
	}
	return dir, nil
}

// probe makes a directory in dir, moves it to to if that is given, and removes
// it.
func probe(dir, to string) error {
	tmp, err := os.MkdirTemp(dir, ".simnet.tmp-")
	if err != nil {
		return err
	}
	if to != "" {
		moved := filepath.Join(to, filepath.Base(tmp))
		if err := os.Rename(tmp, moved); err != nil {
			return errors.Join(err, os.Remove(tmp))
		}
		tmp = moved
	}
	return os.Remove(tmp)
}

// replaceDir calls fill on a new directory beside dir, or inside it where it
// must be, and moves what it made into place. Files in dir that are not simnet's stay.
func replaceDir(dir string, force bool, fill func(tmp string) error) (err error) {
	if err := CheckTarget(dir, force); err != nil {
		return err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	place, err := workplace(dir)
	if err != nil {
		return err
	}
	made, err := mkdirAll(place)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(place, "."+filepath.Base(dir)+".tmp-")
	if err != nil {
		return err
	}
	defer func() {
		os.RemoveAll(tmp)
		if err != nil {
			for _, d := range made { // only those still empty go
				os.Remove(d)
			}
		}
	}()
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := fill(tmp); err != nil {
		return err
	}
	if place == dir {
		return moveInto(tmp, dir)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(tmp, dir)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(owned, e.Name()) { // a stranger's file: it stays where it is
			return moveInto(tmp, dir)
		}
	}
	old := tmp + ".old"
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
}

// moveInto replaces simnet's files in dir by those of tmp, one by one.
func moveInto(tmp, dir string) error {
	for _, name := range owned {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
		err := os.Rename(filepath.Join(tmp, name), filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// mkdirAll is os.MkdirAll that returns the directories it made, deepest first.
func mkdirAll(dir string) (made []string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || filepath.Dir(d) == d {
			break
		}
		made = append(made, d)
	}
	return made, os.MkdirAll(dir, 0o755)
}
