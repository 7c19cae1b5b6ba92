package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every simnet command in a sh block of the README works as it stands there.
// make demo and make test are left to the CI script and to people.
func TestReadmeCommands(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	out := t.TempDir()
	ran, inside := 0, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inside = line == "```sh"
			continue
		}
		cmd, ok := strings.CutPrefix(line, "bin/simnet ")
		if !inside || !ok {
			continue
		}
		cmd, _, _ = strings.Cut(cmd, " #")
		var args []string
		for _, a := range strings.Fields(cmd) {
			if strings.HasPrefix(a, "out/") {
				a = filepath.Join(out, a)
			}
			args = append(args, a)
		}
		ran++
		t.Run(strings.Join(strings.Fields(cmd), " "), func(t *testing.T) {
			if code := quietly(t, args); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
	if ran < 5 {
		t.Fatalf("only %d commands found in the README", ran)
	}
}

// quietly runs a command line with its output in the test's log directory.
func quietly(t *testing.T, args []string) int {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	w, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	oldOut, oldIn := os.Stdout, os.Stdin
	os.Stdout, os.Stdin = w, null
	defer func() { os.Stdout, os.Stdin = oldOut, oldIn }()
	return Main(args)
}
