package clients

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/config"
)

// merge puts together what the files say: ctxfs's own entries replace, disable
// or change others of their name, and one server in several files is one
// definition.
func (all *Discovery) merge(own, found []*Entry) {
	for _, d := range all.united(own, found) {
		all.Servers = append(all.Servers, &d.Server)
	}
}

// united returns the entries that are servers of their own, in the order in
// which they get their names.
func (all *Discovery) united(own, found []*Entry) (servers []*Entry) {
	own, found = all.withoutGateways(own), all.withoutGateways(found)
	ours := newOwnEntries(own, found)
	changes := make(map[*Entry]bool)
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
	slices.SortStableFunc(found, func(a, b *Entry) int {
		return cmp.Or(btoi(a.Disabled)-btoi(b.Disabled), btoi(a.Trust != trusted)-btoi(b.Trust != trusted))
	})
	for _, d := range found {
		if twin := twinOf(d, servers); twin != nil {
			twin.AlsoIn = append(twin.AlsoIn, d.Source)
			if !d.Limits.IsEmpty() {
				twin.Limits = twin.Limits.And(d.Limits)
				twin.Notes = append(twin.Notes, "the limits that ctxfs's own configuration sets to the tools of "+d.EntryText()+" hold for it too")
			}
			if twin.Login.Same(config.Login{}) {
				twin.Login = d.Login
			}
			all.pass(d, "it is the same server as "+twin.EntryText())
			continue
		}
		switch o := ours.replacing(d); {
		case o == nil:
			servers = append(servers, d)
		case o.Disabled:
			o.AlsoIn = append(o.AlsoIn, d.Source)
			all.pass(d, "it is disabled by "+o.EntryText())
		default:
			all.pass(d, "it is replaced by "+o.EntryText())
		}
	}
	rank := make(map[*Entry]int, len(servers))
	for i, d := range servers {
		rank[d] = i
	}
	names := []string{"ctxfs"}
	for _, c := range clients() {
		names = append(names, c.agent.ID)
	}
	clientRank := func(d *Entry) int { return slices.Index(names, d.Client) }
	slices.SortFunc(servers, func(a, b *Entry) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			btoi(a.Project != "")-btoi(b.Project != ""),
			cmp.Compare(clientRank(a), clientRank(b)),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Project, b.Project),
			cmp.Compare(rank[a], rank[b]),
		)
	})
	return servers
}

// withoutGateways leaves out the entries through which agents reach ctxfs: as a
// server it would only show ctxfs itself.
func (all *Discovery) withoutGateways(defs []*Entry) (servers []*Entry) {
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
func (d *Entry) isGateway() bool {
	return d.Transport == config.Stdio && filepath.Base(d.Command) == "ctxfs" && len(d.Args) > 0 && d.Args[0] == "serve"
}

// twinOf finds the definition of the same server from another file.
func twinOf(d *Entry, all []*Entry) *Entry {
	for _, o := range all {
		if o.Origin() != d.Origin() && o.Same(&d.Server) && (o.Dir == d.Dir || !o.rooted() && !d.rooted()) {
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
func FolderNames(servers []*config.Server) []string {
	foreign := make([]string, len(servers))
	for i, d := range servers {
		foreign[i] = d.Name
	}
	return names.Assign(foreign)
}
