package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/simnet/simnet/scenarios"
	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload/nccl"
)

// ncclTest is what the flags of nccl-test ask for.
type ncclTest struct {
	scenarioFlags
	file                       string
	op, version, dtype, lo, hi string
	nodes, repeat              int
	factor                     int64
	explain                    bool

	v     *scenarios.Valid
	m     *nccl.Model
	shape nccl.Shape
	coll  nccl.Collective
	sizes []int64
}

func ncclTestCmd() *cobra.Command {
	var n ncclTest
	c := &cobra.Command{
		Use:   "nccl-test SCENARIO.yaml",
		Short: "Print the table of nccl-tests for the scenario's cluster",
		Long: "Predict all_reduce_perf and its siblings on the scenario's cluster: the algorithm and protocol\n" +
			"that NCCL's tuner would choose, and the time they take. Without --fidelity by the calibrated cost\n" +
			"model, which knows no contention; with it each call runs as flows over the scenario's network,\n" +
			"alone, so that hash collisions, oversubscription and faults show. Lay it beside a real log.",
		Example: "  simnet nccl-test scenarios/gpt3-175b-256.yaml --op all_reduce --nodes 2 -b 8 -e 8G\n" +
			"  simnet nccl-test scenarios/gpt3-175b-256.yaml --op all_gather -b 1M -e 1G -f 4 --fidelity flow --repeat 5",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			n.file = args[0]
			if err := n.prepare(); err != nil {
				return err
			}
			head := nccl.TableHead{Op: n.coll, Ranks: n.shape.Ranks(), Type: n.dtype, Lines: []string{
				fmt.Sprintf("simnet %s: %d nodes of %d GPUs of %s", Version, n.shape.Nodes, n.shape.GPUsPerNode, n.v.Spec.Name.V),
			}}
			rows, err := n.rows(c.Context(), &head)
			if err != nil {
				return err
			}
			return failed(nccl.WriteTable(c.OutOrStdout(), head, rows))
		},
	}
	n.register(c)
	c.Flags().Lookup("fidelity").Usage = "flow, hybrid or packet: run every call on that engine; without it the cost model answers"
	c.Flags().StringVar(&n.op, "op", "all_reduce", "all_reduce, all_gather, reduce_scatter, alltoall, sendrecv, broadcast, reduce")
	c.Flags().StringVar(&n.version, "nccl", "", "NCCL version (default: the newest known)")
	c.Flags().StringVarP(&n.dtype, "datatype", "d", "float", "element type")
	c.Flags().StringVarP(&n.lo, "minbytes", "b", "8", "smallest size; K, M, G are powers of 1024, as in nccl-tests")
	c.Flags().StringVarP(&n.hi, "maxbytes", "e", "8G", "largest size")
	c.Flags().Int64VarP(&n.factor, "stepfactor", "f", 2, "factor between sizes")
	c.Flags().IntVar(&n.nodes, "nodes", 0, "use only that many of the cluster's nodes")
	c.Flags().IntVar(&n.repeat, "repeat", 1, "with --fidelity: run each size with that many seeds, which hash paths differently, and print medians")
	c.Flags().BoolVar(&n.explain, "explain", false, "print for each size the tuner's choice, and with --fidelity its flows and how far they are off the cost model")
	return c
}

// prepare reads the scenario and the flags.
func (n *ncclTest) prepare() error {
	var err error
	if n.v, err = n.load(n.file); err != nil {
		return err
	}
	if n.coll, err = nccl.ParseCollective(n.op); err != nil {
		return badInput(err)
	}
	version, err := parseVersion(n.version)
	if err != nil {
		return badInput(err)
	}
	n.shape = n.v.NCCLShape()
	if n.nodes < 0 || n.fidelity != "" && n.nodes > n.shape.Nodes {
		return badInput(fmt.Errorf("simnet nccl-test: --nodes %d: the cluster of %s has %d", n.nodes, n.file, n.shape.Nodes))
	}
	if n.nodes > 0 {
		n.shape.Nodes = n.nodes
	}
	if n.m, err = nccl.NewModel(n.shape, version, n.v.NCCLEnv().For(n.coll)); err != nil {
		return badInput(err)
	}
	element, err := nccl.TypeBytes(n.dtype)
	if err != nil {
		return badInput(err)
	}
	from, err := parseSize(n.lo)
	if err != nil {
		return badInput(err)
	}
	to, err := parseSize(n.hi)
	if err != nil {
		return badInput(err)
	}
	if n.factor < 2 {
		return badInput(fmt.Errorf("simnet nccl-test: --stepfactor %d: want at least 2", n.factor))
	}
	if n.repeat < 1 || n.repeat > 1 && n.fidelity == "" {
		return badInput(fmt.Errorf("simnet nccl-test: --repeat %d: want at least 1, and --fidelity with more: the cost model has no seed", n.repeat))
	}
	n.sizes = nccl.Sweep(n.coll, n.shape.Ranks(), from, to, n.factor, element)
	return nil
}

// rows makes the table by the cost model or by an engine, and says in the head
// which it was.
func (n *ncclTest) rows(ctx context.Context, head *nccl.TableHead) ([]nccl.TableRow, error) {
	var rows []nccl.TableRow
	if n.fidelity == "" {
		head.Lines = append(head.Lines, "predicted by the calibrated cost model; in-place equals out-of-place")
		for _, b := range n.sizes {
			t, choice := n.m.Time(n.coll, b)
			rows = append(rows, nccl.TableRow{Bytes: b, OutOfPlace: t, InPlace: t})
			if n.explain {
				head.Lines = append(head.Lines, fmt.Sprintf("%12d  %v", b, choice))
			}
		}
		return rows, nil
	}
	runs, err := n.seeds()
	if err != nil {
		return nil, err
	}
	head.Lines = append(head.Lines, fmt.Sprintf("%s fidelity: each call alone on the network of the scenario (%s); in-place equals out-of-place",
		n.v.Spec.Run.Fidelity.V, n.v.Spec.Cluster.Fabric.Topology.V))
	if n.repeat > 1 {
		head.Lines = append(head.Lines, fmt.Sprintf("medians of seeds %d to %d", runs[0].Spec.Seed.V, runs[len(runs)-1].Spec.Seed.V))
	}
	inside := "links inside a node or NVLink domain are not simulated: their share of a call's time is the cost model's"
	if n.m.Shape().Nodes == 1 {
		inside = "the ranks share a node or NVLink domain, whose links are not simulated: the times are the cost model's, at any fidelity"
	}
	head.Lines = append(head.Lines, inside)
	for _, b := range n.sizes {
		var times []sim.Time
		var last *scenarios.CollectiveRun
		for _, v := range runs {
			r, err := v.RunCollective(ctx, n.m, n.coll, b, scenarios.BuildOptions{Threads: runtime.GOMAXPROCS(0)})
			if err != nil {
				return nil, failed(err)
			}
			times, last = append(times, r.Time), r
		}
		slices.Sort(times)
		t := times[len(times)/2]
		rows = append(rows, nccl.TableRow{Bytes: b, OutOfPlace: t, InPlace: t})
		if n.explain {
			line := fmt.Sprintf("%12d  %v: %d flows, %.2f of the cost model's time", b, last.Choice, last.Flows, float64(t)/float64(last.Parts.Total()))
			if n.repeat > 1 {
				line += fmt.Sprintf(", %v to %v", times[0], times[len(times)-1])
			}
			head.Lines = append(head.Lines, line)
		}
	}
	return rows, nil
}

// seeds returns the scenario with its seed and those that follow.
func (n *ncclTest) seeds() ([]*scenarios.Valid, error) {
	runs := []*scenarios.Valid{n.v}
	for i := 1; i < n.repeat; i++ {
		f := n.scenarioFlags
		f.seed = strconv.FormatUint(n.v.Spec.Seed.V+uint64(i), 10)
		v, err := f.load(n.file)
		if err != nil {
			return nil, err
		}
		runs = append(runs, v)
	}
	return runs, nil
}
