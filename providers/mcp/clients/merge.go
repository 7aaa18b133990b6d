package clients

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/config"
)

// add adds the servers that the entries make: ctxfs's own entries replace, disable,
// or change others of their name, and one server in several files becomes one. The
// servers are resolved, and in the order of naming.
func (all *Discovery) add(own, found []*Entry) {
	var servers []*Entry
	own, found = all.withoutGateways(own), all.withoutGateways(found)
	ours := newOverrides(own, found)
	changes := make(map[*Entry]bool)
	for _, e := range found {
		for _, o := range ours.changing(e) {
			e.overrideBy(o)
			changes[o] = true
		}
		for _, o := range ours.limiting(e) {
			e.limitBy(o)
		}
		e.resolve()
	}
	for _, o := range own {
		if changes[o] {
			all.passOver(o, "it changes the servers of that name")
			continue
		}
		o.resolve()
		servers = append(servers, o)
	}
	// An entry that is disabled in one file, or not trusted, does not keep the same
	// server from being used by another. A user's own comes before those of projects,
	// since it may be called from everywhere.
	slices.SortStableFunc(found, func(a, b *Entry) int {
		return cmp.Or(
			btoi(a.Disabled)-btoi(b.Disabled), btoi(a.Trust != trusted)-btoi(b.Trust != trusted),
			btoi(a.Project != "")-btoi(b.Project != ""),
		)
	})
	for _, e := range found {
		if twin := twinOf(e, servers); twin != nil {
			twin.AlsoIn = append(twin.AlsoIn, e.Source)
			if twin.Project != "" && e.Project != "" && twin.Project != e.Project {
				twin.twins = append(twin.twins, e)
			}
			if !e.Limits.IsEmpty() {
				twin.Limits = twin.Limits.And(e.Limits)
				twin.Notes = append(twin.Notes, "the limits that ctxfs's own configuration sets for the tools of "+e.EntryText()+" apply to it too")
			}
			if twin.Login.Same(config.Login{}) {
				twin.Login = e.Login
			}
			all.passOver(e, "it is the same server as "+twin.EntryText())
			continue
		}
		switch o := ours.replacing(e); {
		case o == nil:
			servers = append(servers, e)
		case o.Disabled:
			o.AlsoIn = append(o.AlsoIn, e.Source)
			all.passOver(e, "it is disabled by "+o.EntryText())
		default:
			all.passOver(e, "it is replaced by "+o.EntryText())
		}
	}
	sortByName(servers)
	for _, e := range servers {
		e.belong()
		all.Servers = append(all.Servers, &e.Server)
	}
}

// sortByName sorts servers by name; for one name those of the user come before
// those of projects, then they follow the order of clients.
func sortByName(servers []*Entry) {
	rank := make(map[*Entry]int, len(servers))
	for i, e := range servers {
		rank[e] = i
	}
	names := []string{"ctxfs"}
	for _, c := range clients() {
		names = append(names, c.agent.ID)
	}
	clientRank := func(e *Entry) int { return slices.Index(names, e.Client) }
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
}

// withoutGateways leaves out the entries that agents use to reach ctxfs: as a
// server it would only show ctxfs itself.
func (all *Discovery) withoutGateways(entries []*Entry) (servers []*Entry) {
	for _, e := range entries {
		if e.isGateway() {
			all.passOver(e, "it is ctxfs itself, for agents without a shell")
			continue
		}
		servers = append(servers, e)
	}
	return servers
}

// isGateway reports whether the entry starts `ctxfs serve`.
func (e *Entry) isGateway() bool {
	return e.Transport == config.Stdio && filepath.Base(e.Command) == "ctxfs" && len(e.Args) > 0 && e.Args[0] == "serve"
}

// twinOf returns the entry of another file that starts the same server, or nil. Of
// two projects both must be trusted: only then the server belongs to both. What belongs
// to the home folder runs there, and is no other's.
func twinOf(e *Entry, all []*Entry) *Entry {
	for _, o := range all {
		if o.Project != "" && e.Project != "" && o.Project != e.Project && (e.Trust != trusted || e.Disabled || e.ofHome || o.ofHome) {
			continue
		}
		if o.Origin() != e.Origin() && o.Same(&e.Server) && (o.Dir == e.Dir || !o.rooted() && !e.rooted()) {
			return o
		}
	}
	return nil
}

// btoi orders false before true.
func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FolderNames returns the name of the folder of each server.
func FolderNames(servers []*config.Server) []string {
	foreign := make([]string, len(servers))
	for i, d := range servers {
		foreign[i] = d.Name
	}
	return names.Assign(foreign)
}
