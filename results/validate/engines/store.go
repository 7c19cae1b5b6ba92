package engines

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/simnet/simnet/results"
	"github.com/simnet/simnet/scenarios"
)

// Page is where the measurements are described; results name it as their
// source.
const Page = "docs/fidelity-engines.md"

// StoreFile is the name under which a table is written to be embedded again.
const StoreFile = "engine-errors.json"

//go:embed data/engine-errors.json
var stored []byte

// Stored returns the table that came with the program.
var Stored = sync.OnceValues(func() (*Table, error) {
	t := &Table{}
	d := json.NewDecoder(bytes.NewReader(stored))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("engines: %s: %w", StoreFile, err)
	}
	return t, nil
})

// Encode returns the table in the form that is embedded.
func (t *Table) Encode() ([]byte, error) {
	b, err := json.MarshalIndent(t, "", " ")
	return append(b, '\n'), err
}

// Of averages the rows of one engine and family: means over cases of the mean
// errors, the worst case of the others. ok is false if there is no such row.
func (t *Table) Of(engine string, f Family) (e results.FamilyError, ok bool) {
	e.Family = string(f)
	var step float64
	steps := 0
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Engine != engine || r.Family != f {
			continue
		}
		e.Cases++
		if r.Draws > 1 {
			if e.FewestDraws == 0 || r.Draws < e.FewestDraws {
				e.FewestDraws = r.Draws
			}
			e.MostDraws = max(e.MostDraws, r.Draws)
		}
		if a := t.row(r.Case, Again); a != nil && engine != "flow" {
			e.FCTChance += a.FCT.MeanAbs
		}
		e.FCTMeanAbs += r.FCT.MeanAbs
		e.FCTP99Abs = max(e.FCTP99Abs, r.FCT.P99Abs)
		e.FCTBias += r.FCT.Bias
		e.Finish += math.Abs(r.Finish)
		if r.Step != nil {
			step += *r.Step
			steps++
		}
	}
	if e.Cases == 0 {
		return e, false
	}
	n := float64(e.Cases)
	e.FCTMeanAbs, e.FCTBias, e.FCTChance, e.Finish = round(e.FCTMeanAbs/n), round(e.FCTBias/n), round(e.FCTChance/n), round(e.Finish/n)
	if steps > 0 {
		step = round(step / float64(steps))
		e.StepTime = &step
	}
	return e, true
}

// ErrorOf returns the measured error of the families that a run of v belongs
// to. It is nil at packet fidelity without a window, where there is none.
func ErrorOf(v *scenarios.Valid) (*results.EngineError, error) {
	engine := v.Spec.Run.Fidelity.V
	if engine == "packet" {
		if v.Spec.Run.Window == nil {
			return nil, nil
		}
		engine = "flow" // moves what the window leaves out
	}
	t, err := Stored()
	if err != nil {
		return nil, err
	}
	of, none := FamiliesOf(v)
	e := &results.EngineError{Engine: engine, Families: []results.FamilyError{}, Source: Page}
	for _, f := range of {
		if x, ok := t.Of(engine, f); ok {
			e.Families = append(e.Families, x)
		} else {
			none = append(none, string(f))
		}
	}
	slices.Sort(none)
	e.Unmeasured = slices.Compact(none)
	return e, nil
}
