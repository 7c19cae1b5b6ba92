package importer

import (
	"fmt"
	"math"
	"strings"
)

// Sonic is what a SONiC config_db.json says about buffers and congestion.
// Sizes are in bytes.
type Sonic struct {
	HWSKU     string
	Pools     []SonicPool
	Profiles  []SonicProfile // of priority groups and queues
	WRED      []SonicWRED
	Ports     []SonicPort
	PFC       []int // lossless classes of the ports, ascending
	files     []string
	notMapped []string
	warnings  []string
}

// SonicPool is a BUFFER_POOL.
type SonicPool struct {
	Name      string
	Ingress   bool
	Dynamic   bool
	Size      int64
	Xoff      int64 // headroom pool shared by all groups, 0 if each has its own
	sizeGiven bool
}

// SonicProfile is a BUFFER_PROFILE.
type SonicProfile struct {
	Name      string
	Pool      string
	Size      int64 // guaranteed
	Xon       int64
	XonOffset int64
	Xoff      int64 // headroom; 0 for a lossy or egress profile
	Dynamic   bool
	DynamicTh int   // alpha = 2^DynamicTh
	StaticTh  int64 // if not Dynamic
}

// Alpha is the dynamic threshold's share of the free pool.
func (p SonicProfile) Alpha() float64 { return math.Pow(2, float64(p.DynamicTh)) }

// SonicWRED is a WRED_PROFILE's green thresholds: lossless traffic is green.
type SonicWRED struct {
	Name       string
	ECN        string // ecn_none, ecn_all, ecn_green, ...
	Kmin, Kmax int64
	PmaxPct    int64
	used       int // queues that name it
}

// SonicPort is a PORT.
type SonicPort struct {
	Name string
	Gbps int64
	MTU  int64
	PFC  []int  // classes with pause enabled
	PG   string // profile of its lossless priority group
}

// Warnings implements Result.
func (s *Sonic) Warnings() []string { return s.warnings }

// sonicTables are the tables read, for the hint at a misspelt one.
var sonicTables = []string{"BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "WRED_PROFILE", "PORT", "PORT_QOS_MAP", "QUEUE", "DEVICE_METADATA"}

func parseSonic(src source) (*Sonic, error) {
	root, err := parseJSON(src)
	if err != nil {
		return nil, err
	}
	s := &Sonic{files: []string{src.name}}
	r := &sonicReader{root: root, s: s}
	r.metadata()
	for _, step := range []func() error{r.pools, r.profiles, r.wred, r.ports, r.pfc, r.groups, r.queues} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if len(s.Pools)+len(s.Profiles)+len(s.WRED)+len(s.Ports) == 0 {
		e := root.at.errorf("none of the tables BUFFER_POOL, BUFFER_PROFILE, WRED_PROFILE and PORT is there").hint("is it a config_db.json?")
		for _, k := range root.keys {
			if n := nearest(strings.ToUpper(k), sonicTables); n != "" {
				_ = e.hint("is %s on line %d meant as %s?", short(k), root.vals[k].at.line, n)
			}
		}
		return nil, e
	}
	for _, k := range root.keys {
		if !r.read[k] {
			s.notMapped = append(s.notMapped, k)
		}
	}
	return s, nil
}

type sonicReader struct {
	root     *jsonValue
	s        *Sonic
	read     map[string]bool
	profile  map[string]bool
	pool     map[string]bool
	portByID map[string]int
}

// table returns a table's rows in file order.
func (r *sonicReader) table(name string) (*jsonValue, error) {
	if r.read == nil {
		r.read = map[string]bool{}
	}
	r.read[name] = true
	t := r.root.get(name)
	if t == nil {
		return &jsonValue{kind: '{'}, nil
	}
	if t.kind != '{' {
		return nil, t.at.errorf("%s is %s, not a table", name, t.kindName())
	}
	for _, k := range t.keys {
		if t.vals[k].kind != '{' {
			return nil, t.vals[k].at.errorf("%s of %s is %s, not a row", short(k), name, t.vals[k].kindName()).hint(`{"field": "value", ...}`)
		}
	}
	return t, nil
}

func (r *sonicReader) metadata() {
	t, err := r.table("DEVICE_METADATA")
	if err != nil {
		return
	}
	if h := t.get("localhost").get("hwsku"); h != nil {
		r.s.HWSKU = h.text
	}
}

// field reads an integer field, def if absent.
func field(row *jsonValue, key string, def, lo int64) (int64, error) {
	v := row.get(key)
	if v == nil {
		return def, nil
	}
	return v.integer(key, lo)
}

func (r *sonicReader) pools() error {
	t, err := r.table("BUFFER_POOL")
	if err != nil {
		return err
	}
	r.pool = map[string]bool{}
	for _, name := range t.keys {
		row := t.vals[name]
		p := SonicPool{Name: name, Dynamic: true}
		if v := row.get("type"); v != nil {
			switch v.text {
			case "ingress", "both":
				p.Ingress = true
			case "egress":
			default:
				return v.at.errorf("type %s of pool %s", short(v.text), name).meant(v.text, []string{"ingress", "egress", "both"})
			}
		}
		if v := row.get("mode"); v != nil {
			if v.text != "dynamic" && v.text != "static" {
				return v.at.errorf("mode %s of pool %s", short(v.text), name).meant(v.text, []string{"dynamic", "static"})
			}
			p.Dynamic = v.text == "dynamic"
		}
		p.sizeGiven = row.get("size") != nil
		if p.Size, err = field(row, "size", 0, 0); err != nil {
			return err
		}
		if p.Xoff, err = field(row, "xoff", 0, 0); err != nil {
			return err
		}
		if !p.sizeGiven {
			r.s.warnings = append(r.s.warnings, fmt.Sprintf("%s: pool %s has no size: the buffer manager computes it when the switch runs; set switch.buffer", row.at, name))
		}
		r.pool[name] = true
		r.s.Pools = append(r.s.Pools, p)
	}
	return nil
}

// reference strips the brackets of older versions: [BUFFER_POOL|name].
func reference(v string) string {
	v = strings.TrimSuffix(strings.TrimPrefix(v, "["), "]")
	if i := strings.LastIndexByte(v, '|'); i >= 0 {
		v = v[i+1:]
	}
	return v
}

func (r *sonicReader) profiles() error {
	t, err := r.table("BUFFER_PROFILE")
	if err != nil {
		return err
	}
	r.profile = map[string]bool{}
	for _, name := range t.keys {
		p, err := r.oneProfile(name, t.vals[name])
		if err != nil {
			return err
		}
		r.profile[name] = true
		r.s.Profiles = append(r.s.Profiles, p)
	}
	return nil
}

func (r *sonicReader) oneProfile(name string, row *jsonValue) (SonicProfile, error) {
	p := SonicProfile{Name: name}
	if v := row.get("pool"); v != nil {
		p.Pool = reference(v.text)
		if !r.pool[p.Pool] && len(r.pool) > 0 {
			var known []string
			for _, k := range r.s.Pools {
				known = append(known, k.Name)
			}
			return p, v.at.errorf("profile %s is of pool %s, which is not in BUFFER_POOL", name, short(p.Pool)).meant(p.Pool, known)
		}
	}
	var err error
	for _, f := range []struct {
		key string
		to  *int64
	}{{"size", &p.Size}, {"xon", &p.Xon}, {"xon_offset", &p.XonOffset}, {"xoff", &p.Xoff}, {"static_th", &p.StaticTh}} {
		if *f.to, err = field(row, f.key, 0, 0); err != nil {
			return p, err
		}
	}
	if v := row.get("dynamic_th"); v != nil {
		th, err := v.integer("dynamic_th", -9)
		if err != nil {
			return p, err
		}
		if th > 6 {
			return p, v.at.errorf("dynamic_th is %d, outside -9 to 6", th).hint("alpha is 2 to this power")
		}
		if row.get("static_th") != nil {
			return p, v.at.errorf("profile %s has both dynamic_th and static_th", name)
		}
		p.Dynamic, p.DynamicTh = true, int(th)
	}
	return p, nil
}
