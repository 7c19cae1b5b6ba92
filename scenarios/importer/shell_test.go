package importer

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wordsOf runs a script and returns the words of its last command that begins
// with show.
func wordsOf(t *testing.T, script string) []string {
	t.Helper()
	sh := newShell(source{name: "s.sh"}, script)
	sh.run(textOf(script), nil, 0)
	if sh.err != nil {
		t.Fatalf("%v in\n%s", sh.err, script)
	}
	for i := len(sh.commands) - 1; i >= 0; i-- {
		w := sh.commands[i].words
		if string(w[0].b) == "show" {
			var out []string
			for _, x := range w[1:] {
				out = append(out, string(x.b))
			}
			return out
		}
	}
	t.Fatalf("no command show in\n%s", script)
	return nil
}

// shellScripts use what launch scripts use; bash knows the same answers.
var shellScripts = []string{
	`show a "b c" 'd $e' f\ g`,
	"show a \\\n  b # comment\n",
	`X=3; Y="$X 4"; show $Y "$Y" ${X}5 '$X'`,
	`A=(1 "2 3" 4); A+=(5); show ${A[@]} "${A[@]}" $A ${A[0]}`,
	`A=("--a 1" "--b 2"); show ${A[@]}`,
	`X=; show ${X:-d} ${X-e} ${NONE_SET:-"f g"} ${NONE_SET-h} ${NONE_SET:-${X:-i}}`,
	`N=8; show $((N*2)) $(( $N + 1 )) $(((N-2)/3%2)) $((-N)) $((${N}*N - 1))`,
	`N=4; M=$((N*N)); export K=$M L="x y"; show $K "$L"`,
	`X=a; X+=b; show $X`,
	`if [ "a" = "b" ]; then R=1; elif [ 3 -gt 2 ]; then R=2; else R=3; fi; show $R`,
	`if [ -z "" ]; then R=1; else R=2; fi; if [ -n "x" ]; then R=${R}1; fi; show $R`,
	`if [ 2 -eq 2 ]; then if [ 1 -ne 1 ]; then R=1; else R=2; fi; fi; show $R`,
	`if [ 1 -lt 1 ]; then R=1; elif [ 1 -le 1 ]; then R=2; elif [ 1 -ge 1 ]; then R=3; fi; show $R`,
	`if [ a != a ]; then R=1; else R=2; fi; show $R`,
	`O="--x 1 --y '2 3'"; bash -c "show $O"`,
	`O="--x 1"; eval "show $O z"`,
	`O="--x 1"; eval show $O`,
	"cat <<EOF > /dev/null\nshow not this $X\nEOF\nshow this",
	"show a b > /dev/stdout 2>&1",
	`f() { Z=1; }; f; show "q\"r" "s\$t"`,
	`show "" '' x`,
}

// TestShellAgainstBash holds the words against those that bash printed, one a
// line: go test -update asks bash again.
func TestShellAgainstBash(t *testing.T) {
	const file = "testdata/bash.golden"
	const prelude = "show() { printf '%s\\n' \"$@\"; }; export -f show\n"
	if *update {
		var b strings.Builder
		for _, s := range shellScripts {
			out, err := exec.Command("bash", "--norc", "-c", prelude+s).Output()
			if err != nil {
				t.Fatalf("bash: %v in\n%s", err, s)
			}
			fmt.Fprintf(&b, "$ %s\n%s", s, out)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	for _, s := range shellScripts {
		fmt.Fprintf(&b, "$ %s\n%s\n", s, strings.Join(wordsOf(t, s), "\n"))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("-bash +importer:\n%s", d)
	}
}

// TestShellWords has cases with fixed answers, and what bash knows and the
// importer cannot: unknown values stay as written.
func TestShellWords(t *testing.T) {
	for _, c := range []struct {
		script string
		want   []string
	}{
		{shellScripts[0], []string{"a", "b c", "d $e", "f g"}},
		{shellScripts[3], []string{"1", "2", "3", "4", "5", "1", "2 3", "4", "5", "1", "1"}},
		{shellScripts[6], []string{"16", "9", "0", "-8", "63"}},
		{`show $1 ${UNSET} $(hostname) "$(date)" ` + "`pwd`" + ` $@`, []string{"$1", "${UNSET}", "$(hostname)", "$(date)", "`pwd`", "$@"}},
		{`X=ab; show ${X%b} $((1/0)) $((X+1))`, []string{"${X%b}", "$((1/0))", "$((X+1))"}},
		{`if grep -q x /proc/cpuinfo; then R=1; else R=2; fi; show $R`, []string{"1"}},
		{`if [ "$UNSET" == yes ]; then R=1; else R=2; fi; show $R`, []string{"1"}},
		{`if [ 1 -eq 2 ]; then R=1; if false; then R=3; fi; else R=2; fi; show $R`, []string{"2"}},
	} {
		if got := wordsOf(t, c.script); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\n got %q\nwant %q", c.script, got, c.want)
		}
	}
}

// TestShellWarnings names what is not evaluated, with its place.
func TestShellWarnings(t *testing.T) {
	script := "D=$(dirname $0)\nfor i in 1 2; do\n  X=$i\ndone\nif [ $UNSET -eq 1 ]; then\n  Y=2\nfi\nV=abc\nW=${V#a}\n"
	sh := newShell(source{name: "s.sh"}, script)
	sh.run(textOf(script), nil, 0)
	want := []string{
		`s.sh:1:3: a command's output is not known: "$(dirname $0)"`,
		`s.sh:2:1: for is not followed: its body is read once`,
		`s.sh:5:4: the condition is not evaluated: its branch is read`,
		`s.sh:9:3: the expansion ${V#a} is not evaluated`,
	}
	if !reflect.DeepEqual(sh.warnings, want) {
		t.Errorf("got  %q\nwant %q", sh.warnings, want)
	}
}
