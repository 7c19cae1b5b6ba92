package importer

import (
	"fmt"
	"os"
	"strings"
)

// Result is a parsed foreign file. The concrete types (*NodeTopology,
// *Megatron, *HFModel, *Sonic, *Trace, ...) hold what was read, for programs
// that want more than the fragment.
type Result interface {
	// YAML is the fragment of a scenario, with comments that name the source
	// and list what was not mapped.
	YAML() []byte
	// Warnings says what was read with a doubt, each with its place.
	Warnings() []string
}

// Kind is a foreign format.
type Kind struct {
	Name        string
	Description string // one line
	Usage       string // the files it takes
	MinFiles    int
	MaxFiles    int // 0: no limit
	parse       func([]source) (Result, error)
}

// Kinds lists the formats in the order of the documentation.
func Kinds() []Kind {
	return []Kind{
		{"nvidia-topo", "link matrix of a node, as printed by nvidia-smi topo -m", "FILE", 1, 1, one(parseNvidiaTopo)},
		{"nccl-topo", "NCCL topology XML (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE) and graph XML (NCCL_GRAPH_DUMP_FILE)", "TOPO.xml [GRAPH.xml]", 1, 2, parseNCCL},
		{"megatron", "Megatron-LM launch line or shell script", "SCRIPT", 1, 1, one(parseMegatron)},
		{"hf", "Hugging Face config.json of a model", "config.json", 1, 1, one(parseHF)},
		{"sonic", "SONiC config_db.json of a switch: buffers, PFC, ECN, port speeds", "config_db.json", 1, 1, one(parseSonic)},
		{"simai", "SimAI or AICB workload text, SimAI topology text", "FILE...", 1, 2, parseSimAI},
		{"chakra", "Chakra execution traces, one file a rank", "PREFIX.RANK.et...", 1, 0, parseChakra},
		{"htsim", "htsim connection matrix (.cm) and fat-tree description (.topo)", "FILE...", 1, 2, parseHtsim},
		{"goal", "GOAL schedule in text (LogGOPSim, ATLAHS)", "FILE", 1, 1, one(parseGOAL)},
	}
}

// one adapts a parser of a single file.
func one[R Result](parse func(source) (R, error)) func([]source) (Result, error) {
	return func(s []source) (Result, error) {
		r, err := parse(s[0])
		if err != nil {
			return nil, err
		}
		return r, nil
	}
}

// Import reads files as the named kind. Errors in a file's content are *Error.
func Import(kind string, files []string) (Result, error) {
	k, err := lookup(kind)
	if err != nil {
		return nil, err
	}
	sources := make([]source, 0, len(files))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source{f, data})
	}
	return k.run(sources)
}

func lookup(kind string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == kind {
			return k, nil
		}
		names = append(names, k.Name)
	}
	msg := fmt.Sprintf("importer: unknown kind %q", kind)
	if s := nearest(kind, names); s != "" {
		return Kind{}, fmt.Errorf("%s (did you mean %s?)", msg, s)
	}
	return Kind{}, fmt.Errorf("%s (known: %s)", msg, strings.Join(names, ", "))
}

func (k Kind) run(sources []source) (Result, error) {
	if n := len(sources); n < k.MinFiles || k.MaxFiles > 0 && n > k.MaxFiles {
		return nil, fmt.Errorf("importer: %s takes %s, not %s", k.Name, k.Usage, plural(n, "file"))
	}
	for _, s := range sources {
		if len(s.data) == 0 {
			return nil, place{file: s.name}.errorf("the file is empty")
		}
	}
	return k.parse(sources)
}
