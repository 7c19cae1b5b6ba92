package scenarios

import (
	"fmt"
	"strings"
)

// Control names the congestion control of a run with packets: the algorithm, for
// DCQCN the preset with the parameters that set how fast a rate comes back, and
// the keys that differ from the preset. It is "" at flow fidelity.
func (v *Valid) Control() string {
	if v.Spec.Run.Fidelity.V == "flow" {
		return ""
	}
	cc := &v.Spec.Cluster.Transport.CC
	if cc.Algorithm.V != "dcqcn" {
		if cc.Algorithm.V == "none" {
			return "no congestion control"
		}
		return strings.ToUpper(cc.Algorithm.V)
	}
	d := &v.Packet.CC.DCQCN
	text := fmt.Sprintf("DCQCN, preset %s (rate timer %s, R_AI %s)", cc.Preset.V, timeText(d.RateTimer), rateText(d.AI))
	var own []string
	for _, k := range ccKeys["dcqcn"] {
		if o := writtenAt(cc, k); o.Kind >= FromFile {
			own = append(own, k)
		}
	}
	if len(own) > 0 {
		text += "; of the scenario: " + strings.Join(own, ", ")
	}
	return text
}
