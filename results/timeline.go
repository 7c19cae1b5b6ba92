package results

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/simnet/simnet/sim"
	"github.com/simnet/simnet/workload"
)

// counterQueues is how many queues the trace shows as counters: the hottest.
const counterQueues = 8

// writeTimeline writes timeline.json in the Trace Event Format that Perfetto
// and chrome://tracing open: a process a job and replica, a thread a pipeline
// stage, and counters for the hottest queues and the CNPs. Times are
// microseconds with picosecond digits.
func writeTimeline(w io.Writer, r *Run) error {
	o := bufio.NewWriterSize(w, 1<<16)
	o.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	first := true
	event := func(format string, args ...any) {
		if !first {
			o.WriteByte(',')
		}
		first = false
		o.WriteByte('\n')
		fmt.Fprintf(o, format, args...)
	}
	pid := 0
	for i := range r.Jobs {
		pid = writeSpans(event, pid, &r.Jobs[i])
	}
	for i := range r.Traces {
		pid = writeTrace(event, pid, &r.Traces[i])
	}
	if len(r.Report.Queues) > 0 {
		pid++
		event(`{"ph":"M","pid":%d,"name":"process_name","args":{"name":"network"}}`, pid)
		for k := range r.Report.Queues[:min(counterQueues, len(r.Report.Queues))] {
			q := &r.Report.Queues[k]
			name := quote("queue " + r.Graph.PortName(q.Port))
			last := int64(-1)
			for b, m := range q.Max {
				if m != last {
					event(`{"ph":"C","pid":%d,"name":%s,"ts":%s,"args":{"bytes":%d}}`, pid, name, micros(q.Start+sim.Time(b)*q.Bin), m)
					last = m
				}
			}
		}
		last := int64(-1)
		for b, n := range r.Report.Bins.CNPs {
			if n != last {
				event(`{"ph":"C","pid":%d,"name":"CNPs per bin","ts":%s,"args":{"cnps":%d}}`, pid, micros(r.Report.Bins.Start+sim.Time(b)*r.Report.Bins.Bin), n)
				last = n
			}
		}
	}
	o.WriteString("\n]}\n")
	return o.Flush()
}

// writeSpans numbers a process for each replica from pid+1 on and returns the
// last number used.
func writeSpans(event func(string, ...any), pid int, j *workload.Result) int {
	base := pid
	type track struct{ replica, stage int32 }
	seenReplica, seen := map[int32]int{}, map[track]bool{}
	for i := range j.Timeline {
		s := &j.Timeline[i]
		p, ok := seenReplica[s.Replica]
		if !ok {
			p = base + 1 + len(seenReplica)
			seenReplica[s.Replica] = p
			event(`{"ph":"M","pid":%d,"name":"process_name","args":{"name":%s}}`, p, quote(fmt.Sprintf("%s replica %d", j.Job, s.Replica)))
		}
		if k := (track{s.Replica, s.Stage}); !seen[k] {
			seen[k] = true
			event(`{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":"stage %d"}}`, p, s.Stage, s.Stage)
			event(`{"ph":"M","pid":%d,"tid":%d,"name":"thread_sort_index","args":{"sort_index":%d}}`, p, s.Stage, s.Stage)
		}
		name := string(s.Kind)
		if s.Micro >= 0 {
			name += " " + strconv.Itoa(int(s.Micro))
		}
		event(`{"ph":"X","pid":%d,"tid":%d,"cat":%s,"name":%s,"ts":%s,"dur":%s}`, p, s.Stage, quote(string(s.Kind)), quote(name), micros(s.Start), micros(s.End-s.Start))
	}
	return base + len(seenReplica)
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}

// micros prints t in microseconds exactly.
func micros(t sim.Time) string {
	s := fmt.Sprintf("%d.%06d", t/sim.Microsecond, t%sim.Microsecond)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Span is a bar of the timeline read back.
type Span struct {
	Process string // "train replica 0"
	Stage   int
	Kind    string
	Micro   int // -1 if none
	Start   sim.Time
	End     sim.Time
}

func readTimeline(path string) ([]Span, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var t struct {
		TraceEvents []struct {
			Ph, Cat, Name string
			Pid, Tid      int
			Ts, Dur       json.Number
			Args          struct{ Name string }
		}
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	process := map[int]string{}
	var out []Span
	for _, e := range t.TraceEvents {
		switch {
		case e.Ph == "M" && e.Name == "process_name":
			process[e.Pid] = e.Args.Name
		case e.Ph == "X":
			start, err1 := parseMicros(e.Ts.String())
			dur, err2 := parseMicros(e.Dur.String())
			if err1 != nil || err2 != nil {
				return nil, fmt.Errorf("%s: span %s: bad time", path, e.Name)
			}
			s := Span{Process: process[e.Pid], Stage: e.Tid, Kind: e.Cat, Micro: -1, Start: start, End: start + dur}
			if n, err := strconv.Atoi(strings.TrimPrefix(e.Name, e.Cat+" ")); err == nil {
				s.Micro = n
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func parseMicros(s string) (sim.Time, error) {
	whole, frac, _ := strings.Cut(s, ".")
	if len(frac) > 6 {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.ParseInt(whole+(frac + "000000")[:6], 10, 64)
	return sim.Time(n), err
}
