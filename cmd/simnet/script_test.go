package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite golden transcripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"simnet": func() { os.Exit(Main(os.Args[1:])) }})
}

// Each script under testdata/script is a story that a user could type.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("SCENARIOS", filepath.Join(root, "scenarios"))
			e.Setenv("ROOT", root)
			if conf := os.Getenv("SLURM_CONF"); conf != "" {
				e.Setenv("SLURM_CONF", conf)
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "slurm" {
				return false, fmt.Errorf("unknown condition %s", cond)
			}
			// A controller that answers, with a node that is up.
			out, err := exec.Command("sinfo", "--noheader", "--states=idle,mixed,allocated", "--format=%D").Output()
			return err == nil && len(strings.TrimSpace(string(out))) > 0, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":  exits,
			"chakra": writeChakra,
		},
	})
}

// exits CODE COMMAND... runs a command and asserts its exit code; its output is
// kept for stdout and stderr assertions in files out.txt and err.txt.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	c := exec.Command(args[1], args[2:]...)
	c.Dir = ts.Getenv("WORK")
	c.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "TMPDIR=" + ts.Getenv("TMPDIR")}
	if conf := ts.Getenv("SLURM_CONF"); conf != "" {
		c.Env = append(c.Env, "SLURM_CONF="+conf)
	}
	var out, msg strings.Builder
	c.Stdout, c.Stderr = &out, &msg
	err := c.Run()
	for name, s := range map[string]string{"out.txt": out.String(), "err.txt": msg.String()} {
		if e := os.WriteFile(ts.MkAbs(name), []byte(s), 0o644); e != nil {
			ts.Fatalf("%v", e)
		}
	}
	if c.ProcessState == nil {
		ts.Fatalf("%v", err)
	}
	if got := c.ProcessState.ExitCode(); got != atoi(ts, args[0]) {
		ts.Fatalf("exit code %d, want %s\n%s%s", got, args[0], out.String(), msg.String())
	}
}

func atoi(ts *testscript.TestScript, s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			ts.Fatalf("%q is no exit code", s)
		}
		n = 10*n + int(c-'0')
	}
	return n
}
