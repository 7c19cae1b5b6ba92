package workload

// Traffic is a prediction of what a step puts on the network.
type Traffic struct {
	Flows int64
	Bytes int64 // payload, summed over flows
}

func (a *Traffic) add(flows, bytes int64) {
	a.Flows += flows
	a.Bytes += flows * bytes
}

// Traffic returns what the job's processes will put on the network in one step, from the
// job's shape alone. Rings count a flow a rank and bucket. It is exact for the pipeline and
// for gradients, and leaves out expert- and context-parallel exchanges, which
// depend on placement.
func (t *Training) Traffic() Traffic {
	var a Traffic
	p := &t.j.Parallel
	passes := int64(t.micro) * int64(p.VirtualStages)
	for s := range p.PP {
		st := &t.stages[s]
		for d := range t.width {
			r := t.replica(s, d)
			forward, backward := passes, passes
			if s == p.PP-1 {
				forward -= int64(t.micro)
			}
			if s == 0 {
				backward -= int64(t.micro)
			}
			a.add(forward*int64(len(r.next.remote)), t.j.boundaryBytes())
			a.add(backward*int64(len(r.prev.remote)), t.j.boundaryBytes())
		}
		ops := int64(1)
		if p.OverlapGrad {
			ops = 0
			for _, b := range st.buckets {
				ops += b
			}
		}
		kind := allReduce
		if p.ZeRO >= 1 {
			kind = reduceScatter
		}
		layers := int64(0)
		for v := range p.VirtualStages {
			_, n := t.j.chunkLayers(v*p.PP + s)
			layers += int64(n)
		}
		for i, plans := range [][]groupPlan{st.dense, st.expert} {
			params := []int64{st.common, st.experts}[i]
			for k := range plans {
				pl := &plans[k]
				if pl.local != nil || pl.n == 1 || params == 0 {
					continue
				}
				rails := int64(len(pl.rails))
				flows := rails * int64(len(pl.rails[0]))
				per := func(k collKind, bytes int64) int64 { return k.passes() * int64(pl.n-1) * bytes / rails / int64(pl.n) }
				if p.ZeRO == 3 {
					units := layers * int64(p.UnitsPerLayer)
					n := int64(t.micro) * units
					gathers := int64(2)
					if p.Regather && t.j.Recompute == RecomputeFull {
						gathers = 3
					}
					a.add(flows*n, per(reduceScatter, t.j.gradBytes(params))/max(1, units))
					a.add(gathers*flows*n, per(allGather, t.j.paramBytes(params))/max(1, units))
					continue
				}
				if kind == allReduce && t.j.Transport.Algorithm == "tree" {
					a.add(4*(flows-rails)*ops, t.j.gradBytes(params)/rails/2/ops)
				} else {
					a.add(flows*ops, per(kind, t.j.gradBytes(params))/ops)
				}
				if p.ZeRO >= 1 {
					n := int64(1)
					if p.OverlapParam {
						n = 0
						for _, b := range st.buckets {
							n += b
						}
					}
					a.add(flows*n, per(allGather, t.j.paramBytes(params))/n)
				}
			}
		}
	}
	if t.embed != nil {
		r := t.replica(0, 0)
		h, _ := t.hopTo(r, p.PP-1, 0) // checked by New
		a.add(2*int64(t.width*len(h.remote)), t.j.gradBytes(ceilDiv(t.j.Model.embeddingParams(), int64(p.TP))))
	}
	return a
}
