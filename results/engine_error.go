package results

import (
	"fmt"
	"strings"
)

// EngineError is the measured error of a cheaper engine against the packet
// engine on runs like this one.
type EngineError struct {
	Engine string `json:"engine"` // "flow" or "hybrid"
	// Families are the kinds of run that this one belongs to.
	Families []FamilyError `json:"families"`
	// Unmeasured names what is in this run and was never compared.
	Unmeasured []string `json:"unmeasured,omitempty"`
	Source     string   `json:"source"` // where the comparison is described
}

// FamilyError is the error on one kind of run, over its cases. All are
// fractions of the packet engine's value.
type FamilyError struct {
	Family string `json:"family"` // "training step", "incast", ...
	Cases  int    `json:"cases"`
	// FewestDraws and MostDraws are how many packet runs, with other random
	// numbers, a case's means are over; zero where nothing is random.
	FewestDraws int `json:"fewest_draws,omitempty"`
	MostDraws   int `json:"most_draws,omitempty"`
	// FCTMeanAbs and FCTBias are the mean absolute and signed error of
	// completion times, averaged over cases; FCTP99Abs is the 99th percentile
	// of the worst case.
	FCTMeanAbs float64 `json:"fct_mean_abs"`
	FCTP99Abs  float64 `json:"fct_p99_abs"`
	FCTBias    float64 `json:"fct_bias"`
	// FCTChance is FCTMeanAbs of the packet engine against itself over as many
	// other draws; zero for an engine without chance.
	FCTChance float64 `json:"fct_chance,omitempty"`
	// Finish is the mean absolute error of the end of the last flow; StepTime
	// that of the step time, nil where there is no step.
	Finish   float64  `json:"finish"`
	StepTime *float64 `json:"step_time,omitempty"`
}

// text is the error in one clause.
func (e *EngineError) text(reason string) string {
	if e == nil {
		return "error against packet: " + reason
	}
	var parts []string
	fewest, most := 0, 0
	for i := range e.Families {
		f := &e.Families[i]
		if f.FewestDraws > 0 && (fewest == 0 || f.FewestDraws < fewest) {
			fewest = f.FewestDraws
		}
		most = max(most, f.MostDraws)
		cases := "case"
		if f.Cases != 1 {
			cases = "cases"
		}
		whole := "end of the last flow " + humanPercent(f.Finish)
		if f.StepTime != nil {
			whole = "step time " + humanPercent(*f.StepTime)
		}
		chance := ""
		if f.FCTChance > 0 {
			chance = fmt.Sprintf(" (of packets against packets %s)", humanPercent(f.FCTChance))
		}
		parts = append(parts, fmt.Sprintf("%s (%d %s): %s, completion times %s mean%s", f.Family, f.Cases, cases, whole, humanPercent(f.FCTMeanAbs), chance))
	}
	var s string
	if len(parts) > 0 {
		means := ""
		if most > 1 {
			means = ", mean over " + Draws(fewest, most)
		}
		s = fmt.Sprintf("error of the %s engine against packet on comparable runs%s, %s; see %s", e.Engine, means, strings.Join(parts, "; "), e.Source)
	}
	if len(e.Unmeasured) > 0 {
		if s != "" {
			s += "; "
		}
		s += "error against packet never measured for " + strings.Join(e.Unmeasured, ", ")
	}
	if s == "" {
		s = "error against packet: " + reason
	}
	return s
}

// Draws says how many runs with other random numbers a mean is over.
func Draws(fewest, most int) string {
	switch {
	case most <= 1:
		return "one draw"
	case fewest == most:
		return fmt.Sprintf("%d draws", most)
	}
	return fmt.Sprintf("%d to %d draws", fewest, most)
}
