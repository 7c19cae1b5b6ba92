package importer

import (
	"fmt"
	"strings"
)

// YAML implements Result: cluster size and one job.
func (m *Megatron) YAML() []byte {
	body, cluster := newMap(), newMap()
	cluster.setInt("nodes", m.Nodes)
	if m.GPUsPerNode > 0 {
		cluster.set("node", flowMap().set("gpus", m.GPUsPerNode))
	}
	body.setMap("cluster", cluster)
	job := newMap().set("name", "train").set("model", m.Shape.yaml()).set("parallel", m.parallelYAML())
	batch := flowMap()
	batch.setInt("global", m.globalBatch())
	batch.set("micro", m.Micro)
	job.set("batch", batch).set("precision", m.Precision).set("grad_precision", m.GradPrecision).set("recompute", m.Recompute)
	if m.Optimizer != "" {
		job.set("optimizer", m.Optimizer)
	}
	nccl := newMap()
	for _, v := range m.NCCL {
		nccl.set(v[0], v[1])
	}
	job.setMap("nccl", nccl)
	body.set("jobs", []yamlMap{job})
	notMapped := append(m.Shape.left(), m.notMapped...)
	return document{kind: "megatron", from: m.files, what: m.what(), notMapped: notMapped, warnings: m.warnings, body: body}.bytes()
}

// globalBatch is Megatron-LM's default if none is given.
func (m *Megatron) globalBatch() int64 {
	if m.Global > 0 || m.DP == 0 {
		return m.Global
	}
	return m.Micro * m.DP
}

func (m *Megatron) what() string {
	var b strings.Builder
	if total, active := m.Shape.Params(); m.Shape.Layers > 0 {
		fmt.Fprintf(&b, "%s parameters", paramsText(total))
		if active != total {
			fmt.Fprintf(&b, ", %s of them met by a token", paramsText(active))
		}
		b.WriteString("; ")
	}
	fmt.Fprintf(&b, "tp %d, pp %d, cp %d, ep %d", m.TP, m.PP, m.CP, m.EP)
	if m.DP > 0 {
		fmt.Fprintf(&b, ", dp %d", m.DP)
	}
	b.WriteString(". Set cluster.node to a preset.")
	return b.String()
}

func (m *Megatron) parallelYAML() yamlMap {
	p := newMap().set("tp", m.TP).set("pp", m.PP)
	p.setInt("dp", m.DP)
	if m.CP > 1 {
		p.set("cp", m.CP)
	}
	if m.EP > 1 {
		p.set("ep", m.EP)
	}
	if m.VirtualStages > 1 {
		p.set("virtual_stages", m.VirtualStages).set("schedule", "interleaved")
	} else if m.PP > 1 {
		p.set("schedule", "1f1b")
	}
	p.setInt("zero", m.ZeRO)
	for _, f := range []struct {
		key string
		on  bool
	}{
		{"fsdp", m.FSDP}, {"sequence_parallel", m.SequenceParallel}, {"overlap_grad_reduce", m.OverlapGrad},
		{"overlap_param_gather", m.OverlapParam}, {"overlap_p2p", m.OverlapP2P}, {"overlap_tp", m.OverlapTP},
	} {
		if f.on {
			p.set(f.key, true)
		}
	}
	if m.BucketElements > 0 {
		width := map[string]int64{"fp32": 4}[m.GradPrecision]
		p.set("bucket", bytesText(m.BucketElements*max(2, width)), fmt.Sprintf("%d elements", m.BucketElements))
	}
	if m.PPBeforeDP {
		p.set("rank_order", "tp-cp-ep-pp-dp")
	}
	return p
}
