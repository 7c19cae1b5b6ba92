package results

import (
	"fmt"
	"strings"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/sim"
)

// nodeFindings explains tensor-parallel communication by the loads of the links
// inside a node.
func nodeFindings(r *Run) []Finding {
	var f []Finding
	for i := range r.NodeLinks {
		l := &r.NodeLinks[i]
		x := Finding{Kind: "node_links", Where: l.Job}
		groups := make([]string, len(l.Groups))
		across := false
		for k, g := range l.Groups {
			groups[k] = strings.ReplaceAll(strings.Trim(fmt.Sprint(g), "[]"), " ", ",")
			for _, a := range g {
				across = across || a/l.Island != g[0]/l.Island
			}
		}
		where := fmt.Sprintf("stay inside the NVLink islands of %d", l.Island)
		if across {
			where = fmt.Sprintf("cross the NVLink islands of %d", l.Island)
			x.Knob = fmt.Sprintf("parallel.tp %d, groups of neighbours in an island, data parallelism across islands", l.Island)
		}
		x.Text = fmt.Sprintf("Links inside a node: tensor-parallel groups of %d (GPUs %s) %s. A step all-reduces %s in each, over %s at %s/s: %s",
			l.TP, strings.Join(groups, " and "), where, humanBytes(l.Bytes), ringsText(l.Rings), humanBytes(int64(l.BusBW/8)), loadText(l.Tensor))
		if b := totalUsed(l.Data); b > 0 {
			x.Text += "; the gradients of replicas in the node: " + loadText(l.Data)
		}
		if l.Rings > 0 && l.InOrder < l.BusBW {
			x.Text += fmt.Sprintf(". One ring in order of rank would reach %s/s", humanBytes(int64(l.InOrder/8)))
		}
		f = append(f, x)
	}
	return f
}

func ringsText(n int) string {
	if n == 0 {
		return "PCIe, for no ring of NVLinks passes all members,"
	}
	if n == 1 {
		return "one ring of NVLinks"
	}
	return fmt.Sprintf("%d rings of NVLinks", n)
}

func totalUsed(l []scenarios.LinkLoad) int {
	n := 0
	for i := range l {
		n += l[i].Used
	}
	return n
}

// loadText lists the loaded classes of links, then those that carry nothing.
func loadText(l []scenarios.LinkLoad) string {
	var parts, idle []string
	var busy sim.Time
	for i := range l {
		x := &l[i]
		name := x.Class + " links"
		if x.Class == "socket" {
			name = "links between sockets"
		}
		if x.Across {
			name += " between islands"
		}
		if x.Used == 0 {
			idle = append(idle, name)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s over %d of %d %s", humanBytes(x.Bytes), x.Used, x.Links, name))
		busy = max(busy, x.Time)
	}
	text := "up to " + strings.Join(parts, ", ")
	if len(idle) > 0 {
		text += ", none over " + strings.Join(idle, ", ")
	}
	if busy > 0 {
		text += fmt.Sprintf("; the busiest link is taken for %s", humanTime(busy))
	}
	return text
}
