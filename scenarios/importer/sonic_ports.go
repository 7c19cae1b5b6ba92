package importer

import (
	"fmt"
	"sort"
	"strings"
)

func (r *sonicReader) ports() error {
	t, err := r.table("PORT")
	if err != nil {
		return err
	}
	r.portByID = map[string]int{}
	for _, name := range t.keys {
		row := t.vals[name]
		p := SonicPort{Name: name}
		mbps, err := field(row, "speed", 0, 0)
		if err != nil {
			return err
		}
		if mbps%1000 != 0 {
			return row.get("speed").at.errorf("speed %d of %s is no whole number of Gb/s", mbps, name).hint("SONiC counts Mb/s: 100G is 100000")
		}
		p.Gbps = mbps / 1000
		if mbps == 0 {
			r.s.warnings = append(r.s.warnings, fmt.Sprintf("%s: port %s has no speed", row.at, name))
		}
		if p.MTU, err = field(row, "mtu", 0, 64); err != nil {
			return err
		}
		r.portByID[name] = len(r.s.Ports)
		r.s.Ports = append(r.s.Ports, p)
	}
	return nil
}

func (r *sonicReader) pfc() error {
	t, err := r.table("PORT_QOS_MAP")
	if err != nil {
		return err
	}
	seen := map[int]bool{}
	for _, name := range t.keys {
		v := t.vals[name].get("pfc_enable")
		if v == nil {
			continue
		}
		cl, err := classes(token{v.text, v.at})
		if err != nil {
			return err
		}
		for _, c := range cl {
			seen[c] = true
		}
		// Older versions list several ports in one key: Ethernet0,Ethernet4.
		for _, id := range strings.Split(name, ",") {
			if i, ok := r.portByID[id]; ok {
				r.s.Ports[i].PFC = cl
			}
		}
	}
	for c := range 8 {
		if seen[c] {
			r.s.PFC = append(r.s.PFC, c)
		}
	}
	return nil
}

// groups joins ports to the profile of their lossless priority group.
func (r *sonicReader) groups() error {
	t, err := r.table("BUFFER_PG")
	if err != nil {
		return err
	}
	for _, key := range t.keys {
		v := t.vals[key].get("profile")
		if v == nil {
			continue
		}
		name := reference(v.text)
		if !r.profile[name] && name != "NULL" && len(r.profile) > 0 {
			var known []string
			for _, p := range r.s.Profiles {
				known = append(known, p.Name)
			}
			return v.at.errorf("priority group %s has profile %s, which is not in BUFFER_PROFILE", short(key), short(name)).meant(name, known)
		}
		if p, ok := r.s.find(name); !ok || p.Xoff == 0 && p.Xon == 0 {
			continue
		}
		ids, _, _ := strings.Cut(key, "|")
		for _, id := range strings.Split(ids, ",") {
			if i, ok := r.portByID[id]; ok {
				r.s.Ports[i].PG = name
			}
		}
	}
	return nil
}

func (s *Sonic) find(name string) (SonicProfile, bool) {
	for _, p := range s.Profiles {
		if p.Name == name {
			return p, true
		}
	}
	return SonicProfile{}, false
}

func (r *sonicReader) queues() error {
	t, err := r.table("QUEUE")
	if err != nil {
		return err
	}
	for _, key := range t.keys {
		v := t.vals[key].get("wred_profile")
		if v == nil {
			continue
		}
		name, found := reference(v.text), false
		for i := range r.s.WRED {
			if r.s.WRED[i].Name == name {
				r.s.WRED[i].used++
				found = true
			}
		}
		if !found && len(r.s.WRED) > 0 {
			var known []string
			for _, w := range r.s.WRED {
				known = append(known, w.Name)
			}
			return v.at.errorf("queue %s has wred_profile %s, which is not in WRED_PROFILE", short(key), short(name)).meant(name, known)
		}
	}
	return nil
}

// ECN is the marking profile that most queues name, the first of equals; nil
// if none marks.
func (s *Sonic) ECN() *SonicWRED {
	var best *SonicWRED
	for i := range s.WRED {
		w := &s.WRED[i]
		if w.ECN == "ecn_none" || w.Kmax == 0 {
			continue
		}
		if best == nil || w.used > best.used {
			best = w
		}
	}
	return best
}

// Speeds counts ports by speed, fastest first.
func (s *Sonic) Speeds() (gbps []int64, ports []int) {
	count := map[int64]int{}
	for _, p := range s.Ports {
		if p.Gbps == 0 {
			continue
		}
		if count[p.Gbps] == 0 {
			gbps = append(gbps, p.Gbps)
		}
		count[p.Gbps]++
	}
	sort.Slice(gbps, func(a, b int) bool { return gbps[a] > gbps[b] })
	for _, g := range gbps {
		ports = append(ports, count[g])
	}
	return gbps, ports
}

// Lossless is the priority-group profile with headroom that most ports use; of
// equals the one with most headroom. ok is false if no profile has headroom.
func (s *Sonic) Lossless() (SonicProfile, bool) {
	uses := map[string]int{}
	for _, p := range s.Ports {
		uses[p.PG]++
	}
	var best SonicProfile
	ok := false
	for _, p := range s.Profiles {
		if p.Xoff == 0 {
			continue
		}
		if !ok || uses[p.Name] > uses[best.Name] || uses[p.Name] == uses[best.Name] && p.Xoff > best.Xoff {
			best, ok = p, true
		}
	}
	return best, ok
}
