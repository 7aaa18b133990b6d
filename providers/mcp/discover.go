package mcp

import (
	"cmp"
	"slices"
	"strings"

	"ctxfs/providers/internal/names"
)

// merge puts together what the clients' files say, in the order of the
// agents: ctxfs's own entries replace or disable others of their name, and
// one server in several files is one definition. The result is in the order
// in which servers get their names.
func merge(own, found []*definition) []*definition {
	ours := make(map[string]*definition, len(own))
	for _, d := range own {
		ours[d.name] = d
	}
	all := slices.Clone(own)
	// An entry that is disabled in one file does not hide that the same server
	// is wanted in another.
	slices.SortStableFunc(found, func(a, b *definition) int { return btoi(a.disabled) - btoi(b.disabled) })
	for _, d := range found {
		if twin := twinOf(d, all); twin != nil {
			twin.also = append(twin.also, d.source)
			continue
		}
		if o := ours[d.name]; o != nil {
			if o.disabled {
				o.also = append(o.also, d.source)
			}
			continue
		}
		all = append(all, d)
	}
	rank := make(map[*definition]int, len(all))
	for i, d := range all {
		rank[d] = i
	}
	slices.SortFunc(all, func(a, b *definition) int {
		return cmp.Or(
			cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)),
			cmp.Compare(clientRank(a), clientRank(b)),
			cmp.Compare(a.name, b.name),
			cmp.Compare(rank[a], rank[b]),
		)
	})
	return all
}

// twinOf finds the definition of the same server from another file.
func twinOf(d *definition, all []*definition) *definition {
	for _, o := range all {
		if o.file != d.file && o.same(d) {
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

func clientRank(d *definition) int {
	return 1 + slices.IndexFunc(agents(), func(a agent) bool { return a.name == d.client })
}

// fileNames gives each definition the name of its folder.
func fileNames(all []*definition) []string {
	foreign := make([]string, len(all))
	for i, d := range all {
		foreign[i] = d.name
	}
	return names.Assign(foreign)
}
