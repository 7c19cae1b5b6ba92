package results

import "testing"

func TestEngineErrorText(t *testing.T) {
	step := .004
	e := &EngineError{Engine: "flow", Source: "docs/fidelity-engines.md", Families: []FamilyError{
		{Family: "training step", Cases: 3, FCTMeanAbs: .06, Finish: .02, StepTime: &step}, {Family: "link fault", Cases: 1, FCTMeanAbs: .081, Finish: .03}}}
	for _, c := range []struct {
		e    *EngineError
		want string
	}{
		{e, "error of the flow engine against packet on comparable runs, training step (3 cases): step time 0.4 %, completion times 6.0 % mean; link fault (1 case): end of the last flow 3.0 %, completion times 8.1 % mean; see docs/fidelity-engines.md"},
		{&EngineError{Engine: "hybrid", Source: "x.md", Families: []FamilyError{
			{Family: "incast", Cases: 2, FCTMeanAbs: .03, FCTChance: .029, Finish: .01, FewestDraws: 4, MostDraws: 8}, {Family: "all-to-all", Cases: 1, Finish: .02}}},
			"error of the hybrid engine against packet on comparable runs, mean over 4 to 8 draws, incast (2 cases): end of the last flow 1.0 %, completion times 3.0 % mean (of packets against packets 2.9 %); all-to-all (1 case): end of the last flow 2.0 %, completion times 0.0 % mean; see x.md"},
		{&EngineError{Engine: "flow", Unmeasured: []string{"recorded operations"}}, "error against packet never measured for recorded operations"},
		{nil, "error against packet: no reason"},
	} {
		if got := c.e.text("no reason"); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
