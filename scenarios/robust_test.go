package scenarios

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLoaderNeverPanics: whatever a slip of the hand makes of a scenario, the
// loader answers with errors that have positions, or with a scenario whose
// effective configuration loads again.
func TestLoaderNeverPanics(t *testing.T) {
	files, _ := shippedFiles(t)
	var texts []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	pieces := []string{":", "- ", "{", "}", "[", "]", "0", "9", "-1", "x", " ", "\n", "null", "true", "1e9", "GB", "Gbps", "%", "*a", "&a ", "!!str ", "'", "\"", "#", "\t", "~", "<<", "é"}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "file")
		for range rapid.IntRange(1, 4).Draw(t, "slips") {
			lines := strings.Split(text, "\n")
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			switch rapid.IntRange(0, 4).Draw(t, "slip") {
			case 0:
				lines = append(lines[:i:i], lines[i+1:]...)
			case 1:
				lines = append(lines[:i+1:i+1], lines[i:]...)
			case 2:
				lines[i] = "  " + lines[i]
			default:
				at := rapid.IntRange(0, len(lines[i])).Draw(t, "column")
				end := min(len(lines[i]), at+rapid.IntRange(0, 3).Draw(t, "cut"))
				lines[i] = lines[i][:at] + rapid.SampledFrom(pieces).Draw(t, "piece") + lines[i][end:]
			}
			text = strings.Join(lines, "\n")
		}
		v, err := Parse("slip.yaml", []byte(text), []string{"cluster.nodes=8"})
		if err != nil {
			es, ok := err.(Errors)
			if !ok || len(es) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			for _, e := range es {
				if e.Msg == "" || e.At.Kind == FromFile && (e.At.Line < 1 || e.At.Column < 1) || e.At.Kind != FromFile && e.At.Kind != FromSet {
					t.Errorf("no position: %+v\n%s", e, text)
				}
			}
			return
		}
		if _, err := Parse("slip.yaml", v.Effective(), nil); err != nil {
			t.Errorf("effective configuration of\n%s\n%v", text, err)
		}
	})
}
