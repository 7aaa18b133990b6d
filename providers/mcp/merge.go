package mcp

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
)

// merge puts together what the files say: ctxfs's own entries replace, disable
// or change others of their name, and one server in several files is one
// definition.
func (all *discovery) merge(own, found []*entry) {
	for _, d := range all.united(own, found) {
		all.servers = append(all.servers, &d.definition)
	}
}

// united returns the entries that are servers of their own, in the order in
// which they get their names.
func (all *discovery) united(own, found []*entry) (servers []*entry) {
	own, found = all.withoutGateways(own), all.withoutGateways(found)
	ours := newOwnEntries(own, found)
	changes := make(map[*entry]bool)
	for _, d := range found {
		for _, o := range ours.changing(d) {
			d.apply(o)
			changes[o] = true
		}
		for _, o := range ours.limiting(d) {
			d.limit(o)
		}
		d.finish()
	}
	for _, o := range own {
		if changes[o] {
			all.pass(o, "it changes the servers of that name")
			continue
		}
		o.finish()
		servers = append(servers, o)
	}
	// An entry that is disabled in one file, or not trusted, does not hide that
	// the same server is wanted in another.
	slices.SortStableFunc(found, func(a, b *entry) int {
		return cmp.Or(btoi(a.disabled)-btoi(b.disabled), btoi(a.trust != trusted)-btoi(b.trust != trusted))
	})
	for _, d := range found {
		if twin := twinOf(d, servers); twin != nil {
			twin.also = append(twin.also, d.source)
			if !d.limits.IsEmpty() {
				twin.limits = twin.limits.And(d.limits)
				twin.notes = append(twin.notes, "the limits that ctxfs's own configuration sets to the tools of "+d.entry()+" hold for it too")
			}
			if twin.login.same(loginEntry{}) {
				twin.login = d.login
			}
			all.pass(d, "it is the same server as "+twin.entry())
			continue
		}
		switch o := ours.replacing(d); {
		case o == nil:
			servers = append(servers, d)
		case o.disabled:
			o.also = append(o.also, d.source)
			all.pass(d, "it is disabled by "+o.entry())
		default:
			all.pass(d, "it is replaced by "+o.entry())
		}
	}
	rank := make(map[*entry]int, len(servers))
	for i, d := range servers {
		rank[d] = i
	}
	names := []string{"ctxfs"}
	for _, c := range clients() {
		names = append(names, c.name)
	}
	clientRank := func(d *entry) int { return slices.Index(names, d.client) }
	slices.SortFunc(servers, func(a, b *entry) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)),
			btoi(a.project != "")-btoi(b.project != ""),
			cmp.Compare(clientRank(a), clientRank(b)),
			cmp.Compare(a.name, b.name),
			cmp.Compare(a.project, b.project),
			cmp.Compare(rank[a], rank[b]),
		)
	})
	return servers
}

// withoutGateways leaves out the entries through which agents reach ctxfs: as a
// server it would only show ctxfs itself.
func (all *discovery) withoutGateways(defs []*entry) (servers []*entry) {
	for _, d := range defs {
		if d.isGateway() {
			all.pass(d, "it is ctxfs itself, for agents without a shell")
			continue
		}
		servers = append(servers, d)
	}
	return servers
}

// isGateway tells whether the entry starts `ctxfs serve`.
func (d *entry) isGateway() bool {
	return d.transport == stdio && filepath.Base(d.command) == "ctxfs" && len(d.args) > 0 && d.args[0] == "serve"
}

// twinOf finds the definition of the same server from another file.
func twinOf(d *entry, all []*entry) *entry {
	for _, o := range all {
		if o.origin() != d.origin() && o.same(&d.definition) && (o.dir == d.dir || !o.rooted() && !d.rooted()) {
			return o
		}
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// folderNames gives each server the name of its folder.
func folderNames(servers []*definition) []string {
	foreign := make([]string, len(servers))
	for i, d := range servers {
		foreign[i] = d.name
	}
	return names.Assign(foreign)
}
