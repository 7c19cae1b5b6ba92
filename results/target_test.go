package results

import (
	"os"
	"path/filepath"
	"testing"
)

func fillSummary(tmp string) error {
	return os.WriteFile(filepath.Join(tmp, "summary.json"), []byte("{}"), 0o644)
}

// The working directory and a link are written into, not replaced.
func TestReplaceDirKeepsPlace(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := replaceDir(link, false, fillSummary); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", st, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "summary.json")); err != nil {
		t.Error(err)
	}

	work := filepath.Join(base, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	if err := replaceDir(".", false, fillSummary); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 || entries[0].Name() != "summary.json" {
		t.Errorf("%v %v", entries, err)
	}
}

// A place where nothing can be made is refused before the run, and a probe
// leaves nothing behind.
func TestCheckTargetProbes(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err == nil {
		if err := CheckTarget("/proc/nothing/here", false); err == nil {
			t.Error("a directory in /proc was accepted")
		}
	}
	dir := t.TempDir()
	if err := CheckTarget(filepath.Join(dir, "a", "b"), false); err != nil {
		t.Error(err)
	}
	if err := CheckTarget(dir, false); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
