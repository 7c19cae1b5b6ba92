package hpcc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simnet/simnet/sim"
)

const (
	goodTopology = "3 1 2\n2\n0 2 100Gbps 1000ns 0.000000\n1 2 100Gbps 0.001ms 0\n"
	goodFlows    = "2\n0 1 3 100 1000000 2.000000000\n0 1 3 100 5000 2.5\n"
	goodConfig   = "ENABLE_QCN 1\nCC_MODE 1\nPACKET_PAYLOAD_SIZE 1000\nKMIN_MAP 1 100000000000 400\nKMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 100000000000 0.2\n"
)

// write puts inputs into a directory and returns their names; an empty text
// writes nothing and gives an empty name.
func write(t *testing.T, topology, flows, config, paths string) (names [4]string) {
	t.Helper()
	dir := t.TempDir()
	for i, f := range []struct{ name, text string }{{"topology.txt", topology}, {"flow.txt", flows}, {"config.txt", config}, {"paths.txt", paths}} {
		if f.text == "" {
			continue
		}
		names[i] = filepath.Join(dir, f.name)
		if err := os.WriteFile(names[i], []byte(f.text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func load(t *testing.T, topology, flows, config, paths string) (*Case, error) {
	t.Helper()
	n := write(t, topology, flows, config, paths)
	c, err := Load(n[0], n[1], n[2], n[3])
	return c, err
}

func TestLoad(t *testing.T) {
	c, err := load(t, goodTopology, goodFlows, goodConfig, "# comment\n0 1 10000 1000000 2.000000000 0-2-1\n")
	if err != nil {
		t.Fatal(err)
	}
	if f := c.Flows[1]; f.SrcPort != 10001 || f.Bytes != 5000 || f.PG != 3 || f.Start != 2500*sim.Millisecond {
		t.Errorf("second flow %+v", f)
	}
	if l := c.Topology.Links[1]; l.Delay != sim.Microsecond || l.Rate != 100*sim.Gbps {
		t.Errorf("second link %+v", l)
	}
	if len(c.Path[0]) != 2 || len(c.AckPath[0]) != 2 || c.Graph.Ports[c.AckPath[0][0]].Node != 1 {
		t.Errorf("paths %v, %v", c.Path, c.AckPath)
	}
	if k := c.Config.KMax[0]; k.Value != 1600e3 {
		t.Errorf("Kmax %v", k)
	}
	if got := c.standalone(0); got != 88000*sim.Nanosecond {
		t.Errorf("standalone %v", got)
	}
}

func TestBadInput(t *testing.T) {
	head := "3 1 2\n2\n"
	for _, c := range []struct{ file, text, want string }{
		{"topology", "\n", "topology.txt:1:1: the file is empty; expected: nodes switches links"},
		{"topology", "3 1\n", "topology.txt:1:4: the line ends before links; expected: nodes switches links"},
		{"topology", "3 1 x\n", `topology.txt:1:5: links: "x" is not a whole number`},
		{"topology", "3 4 2\n", "topology.txt:1:3: switches: 4 of 3 nodes"},
		{"topology", "8 4 1 1 9 H100\n", "topology.txt:1:7: this is the six-field header of a SimAI topology"},
		{"topology", "3 2 2\n2\n", "topology.txt:3:1: the file ends with 1 switch ids missing"},
		{"topology", "3 1 2\n2 1\n", "topology.txt:2:3: more switch ids than the 1 announced"},
		{"topology", "3 2 2\n2 2\n", "topology.txt:2:3: switch 2 is listed twice"},
		{"topology", "3 1 2\n3\n", "topology.txt:2:1: switch id: 3, must be from 0 to 2"},
		{"topology", head + "0 2 100Gbps 1000ns\n", "topology.txt:3:19: the line ends before error_rate; expected: a b rate delay error_rate"},
		{"topology", head + "0 2 100Gbps 1000ns 0 7\n", `topology.txt:3:22: unexpected "7" after error_rate`},
		{"topology", head + "0 0 100Gbps 1000ns 0\n", "topology.txt:3:3: node 0 is linked to itself"},
		{"topology", head + "0 3 100Gbps 1000ns 0\n", "topology.txt:3:3: node: 3, must be from 0 to 2"},
		{"topology", head + "0 2 100G 1000ns 0\n", `topology.txt:3:5: rate: "100G" has an unknown unit "G"`},
		{"topology", head + "0 2 100 1000ns 0\n", `topology.txt:3:5: rate: "100" has no unit; write 100bps for bit/s, or 100Gbps`},
		{"topology", head + "0 2 0Gbps 1000ns 0\n", "topology.txt:3:5: rate: must be above zero"},
		{"topology", head + "0 2 100Gbps 1000furlongs 0\n", `topology.txt:3:13: delay: "1000furlongs" has an unknown unit "furlongs"`},
		{"topology", head + "0 2 100Gbps -1ns 0\n", `topology.txt:3:13: delay: "-1ns" is not a time from 0 to 1e6 s`},
		{"topology", head + "0 2 100Gbps 1000ns 2\n", "topology.txt:3:20: error_rate: 2, must be from 0 to 1"},
		{"topology", head + "0 2 100Gbps 1000ns 0\n", "topology.txt:4:1: the file ends after 1 links; 2 announced at"},
		{"topology", goodTopology + "0 2 1Gbps 1ns 0\n", "topology.txt:5:1: more links than the 2 announced at"},
		{"flow", " \n", "flow.txt:1:1: the file is empty; expected the number of flows"},
		{"flow", "0 1 3 100 1000 2.0\n", "flow.txt:1:1: the first line must hold the number of flows alone"},
		{"flow", "1\n0 1 3 1000 2.0\n", "flow.txt:2:12: the line has five fields"},
		{"flow", "1\n0 2 3 100 1000 2.0\n", "flow.txt:2:3: dst: node 2 is a switch"},
		{"flow", "1\n0 0 3 100 1000 2.0\n", "flow.txt:2:3: dst: a flow from host 0 to itself"},
		{"flow", "1\n0 1 0 100 1000 2.0\n", "flow.txt:2:5: pg: 0 is the control class (pause frames); flows take 1 to 7"},
		{"flow", "1\n0 1 8 100 1000 2.0\n", "flow.txt:2:5: pg: 8, must be from 0 to 7"},
		{"flow", "1\n0 1 3 100 0 2.0\n", "flow.txt:2:11: bytes: 0, must be at least 1"},
		{"flow", "1\n0 1 3 100 1000 soon\n", `flow.txt:2:16: start_s: "soon" is not a number`},
		{"flow", "0\n", "flow.txt: no flows to run"},
		{"flow", "2\n0 1 3 100 1000 2.0\n", "flow.txt:3:1: the file ends after 1 flows; 2 announced at"},
		{"flow", "1\n0 1 3 100 1000 2.0\n0 1 3 100 1000 2.0\n", "flow.txt:3:1: more flows than the 1 announced at"},
		{"config", "CC_MODE 10\n", "config.txt:1:1: CC_MODE: 10 (HPCC-PINT) is not supported; supported: 0 none, 1 DCQCN, 3 HPCC, 7 TIMELY, 8 DCTCP"},
		{"config", "\nCC_MODE 2\n", "config.txt:2:1: CC_MODE: 2 is unknown"},
		{"config", "CC_MODE\n", "config.txt:1:8: CC_MODE has no value"},
		{"config", "CC_MODE 1 1\n", `config.txt:1:11: unexpected "1" after the value of CC_MODE`},
		{"config", "CC_MODE 1\nCC_MODE 1\n", "config.txt:2:1: CC_MODE is given twice; first at"},
		{"config", "CC_MODE 8\nENABLE_QCN 0\n", "config.txt:2:1: ENABLE_QCN: 0 marks nothing, but CC_MODE 8 (DCTCP) reacts to nothing else"},
		{"config", "ENABLE_QCN 2\n", `config.txt:1:12: ENABLE_QCN: "2", must be 0 or 1`},
		{"config", "RATE_AI 20\n", `config.txt:1:9: RATE_AI: "20" has no unit`},
		{"config", "MIN_RATE 0Mb/s\n", "config.txt:1:10: MIN_RATE: must be above zero"},
		{"config", "EWMA_GAIN 2\n", "config.txt:1:11: EWMA_GAIN: 2, must be from"},
		{"config", "RP_TIMER 0\n", "config.txt:1:10: RP_TIMER: must be above zero"},
		{"config", "L2_BACK_TO_ZERO 1\n", "config.txt:1:1: L2_BACK_TO_ZERO: restarting a chunk from its beginning is not supported"},
		{"config", "RATE_BOUND 0\n", "config.txt:1:1: RATE_BOUND: 0 (no rate pacing) is not supported"},
		{"config", "LINK_DOWN 5 0\n", "config.txt:1:13: LINK_DOWN has 2 values, needs 3"},
		{"config", "LINK_DOWN 5 0 1\n", "config.txt:1:1: LINK_DOWN: there is no link between 0 and 1"},
		{"config", "KMIN_MAP 2 1 2\n", "config.txt:1:10: KMIN_MAP: 2 entries announced, but 2 values follow"},
		{"config", "KMIN_MAP 2 1 2 1 3\n", "config.txt:1:16: KMIN_MAP: 1 is given twice"},
		{"config", "KMIN_MAP 1 100000000000 5000\n", "config.txt: KMAX_MAP: 1600 kB at 100000000000 bit/s is below the 5000 kB of KMIN_MAP"},
		{"config", "KMIN_MAP 1 7 5\n", "config.txt: KMAX_MAP: has no entry for 7 bit/s, which KMIN_MAP has"},
		{"config", "KMIN_MAP 1 25000000000 5\n", "config.txt:1:1: KMIN_MAP: has no entry for 100000000000 bit/s, the rate of the link at"},
		{"config", "PMAX_MAP 1 100000000000 20\n", "config.txt:1:25: PMAX_MAP value: 20, must be from 0 to 1"},
		{"paths", "0 1 10000 1000 2.0\n", "paths.txt:1:19: the line ends before path"},
		{"paths", "0 1 10000 1000 2.0 0-1\n", "paths.txt:1:20: path: there is no link between 0 and 1"},
		{"paths", "0 1 10000 1000 2.0 1-2-0\n", "paths.txt:1:20: the path leads from 1 to 0, the flow from 0 to 1"},
		{"paths", "0 1 10000 1000 2.0 0-9-1\n", "paths.txt:1:22: node: 9, must be from 0 to 2"},
		{"paths", "0 1 1 1 1 0-2-1\n0 1 1 1 1 0-2-1\n", "paths.txt:2:1: the path of flow 0 to 1 from port 1 is given twice"},
	} {
		in := map[string]string{"topology": goodTopology, "flow": goodFlows, "config": goodConfig}
		in[c.file] = c.text
		_, err := load(t, in["topology"], in["flow"], in["config"], in["paths"])
		if err == nil {
			t.Errorf("%s %q was accepted, want %s", c.file, c.text, c.want)
			continue
		}
		if got := err.Error(); !strings.Contains(got, string(filepath.Separator)+c.want) {
			t.Errorf("%s %q:\n got %s\nwant %s", c.file, c.text, got, c.want)
		}
	}
	if _, err := load(t, "4 2 2\n2 3\n0 2 1Gbps 1ns 0\n1 3 1Gbps 1ns 0\n", "1\n0 1 3 100 1 2\n", "ENABLE_QCN 0\nCC_MODE 0\n", ""); err == nil ||
		!strings.Contains(err.Error(), "flow.txt:2:1: no path from switch2 to 1") {
		t.Errorf("hosts apart: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	c, err := load(t, "4 1 3\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0.01\n1 2 100Gbps 1us 0\n", goodFlows,
		goodConfig+"ENABLE_QNC 1\nUSE_DYNAMIC_PFC_THRESHOLD 0\nL2_ACK_INTERVAL 4000\nENABLE_TRACE 1\nU_TARGET 0.9\nPFC_OUTPUT_FILE x\nLB_MODE 3\n", "0 1 7 1 1 0-2-1\n")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(c.Warnings, "\n")
	for _, want := range []string{
		"unknown key ENABLE_QNC has no effect; was ENABLE_QCN meant?",
		"unknown key LB_MODE has no effect",
		"left out, so that defaults count: SIMULATOR_STOP_TIME, ALPHA_RESUME_INTERVAL, ",
		"USE_DYNAMIC_PFC_THRESHOLD 0 has no effect",
		"an ACK every 4 packets",
		"ENABLE_TRACE 1 has no effect",
		"without effect at CC_MODE 1 (DCQCN): U_TARGET",
		"PFC_OUTPUT_FILE",
		"the error rate of 1 links",
		"host 1 has 2 links",
		"has no path for 2 of 2 flows",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in\n%s", want, all)
		}
	}
}
