package scenarios

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/simnet/simnet/fabric"
)

// resolve makes a file name of a scenario relative to the scenario's directory.
func resolve(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// faults checks what does not need the graph; the builder finds the links.
func (c *validation) faults() {
	for i := range c.s.Faults {
		f := &c.s.Faults[i]
		where := fmt.Sprintf("faults[%d]", i)
		c.need(&f.Section, where, "at", f.At.Set())
		c.need(&f.Section, where, "link", f.Link.Set())
		if !c.need(&f.Section, where, "state", f.State.Set()) {
			continue
		}
		degraded := f.State.V == "degraded"
		if degraded && !f.Rate.Set() && !f.BER.Set() {
			c.errs.add(f.At.From, "", "%s: a degraded link needs rate or bit_error_rate", where)
		}
		if !degraded && f.Rate.Set() {
			c.errs.add(f.Rate.From, "degraded", "%s: rate has no meaning for a link that is %s", where, f.State.V)
		}
		if !degraded && f.BER.Set() {
			c.errs.add(f.BER.From, "degraded", "%s: bit_error_rate has no meaning for a link that is %s", where, f.State.V)
		}
		if f.State.V == "up" && f.Duration.Set() {
			c.errs.add(f.Duration.From, "", "%s: duration has no meaning for a link that comes up", where)
		}
		if f.BER.V > 0 && c.s.Run.Fidelity.V == "flow" {
			c.warn(f.BER.From, "bit_error_rate has no effect at flow fidelity")
		}
	}
}

// findLink returns the link that a fault names: two node names joined by "-",
// and "#2" for the second of several in parallel.
func findLink(g *fabric.Graph, name string) (fabric.LinkID, string, error) {
	ends, nth := name, 1
	if e, n, ok := strings.Cut(name, "#"); ok {
		x, err := strconv.Atoi(n)
		if err != nil || x < 1 {
			return 0, "", fmt.Errorf("%q: after # comes the number of a parallel link, from 1", name)
		}
		ends, nth = e, x
	}
	names := make([]string, len(g.Nodes))
	for i := range g.Nodes {
		names[i] = g.Nodes[i].Name
	}
	for i := range len(ends) { // names may hold hyphens: try each
		if ends[i] != '-' {
			continue
		}
		a, okA := g.NodeByName(ends[:i])
		b, okB := g.NodeByName(ends[i+1:])
		if !okA || !okB {
			continue
		}
		seen := 0
		for _, p := range g.PortsOf(a) {
			if g.Ports[p].Peer == b {
				if seen++; seen == nth {
					return g.Ports[p].Link, "", nil
				}
			}
		}
		if seen == 0 {
			return 0, "", fmt.Errorf("%s and %s are not neighbours", ends[:i], ends[i+1:])
		}
		return 0, "", fmt.Errorf("%s has %d links to %s, not %d", ends[:i], seen, ends[i+1:], nth)
	}
	a, b, ok := strings.Cut(ends, "-")
	if !ok {
		return 0, "", fmt.Errorf("%q is no link; it is written as two nodes, such as leaf0-spine1", name)
	}
	for _, x := range []string{a, b} {
		if _, found := g.NodeByName(x); !found {
			return 0, nearest(x, names), fmt.Errorf("there is no node named %q", x)
		}
	}
	return 0, "", fmt.Errorf("%q is no link", name)
}
