package main

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"ctxfs/mounts/gateway"
)

// Find looks through the lines of the INDEX files: the more of the words one
// has, the better.
func (b *backend) Find(ctx context.Context, q gateway.Query) ([]gateway.Match, error) {
	type ranked struct {
		gateway.Match
		hits int
	}
	var found []ranked
	wanted := strings.Fields(strings.ToLower(q.Words))
	for _, folder := range []string{"mcps", "skills"} {
		var index bytes.Buffer
		if err := b.Read(ctx, folder+"/INDEX.md", &index); err != nil {
			return nil, err
		}
		for line := range strings.Lines(index.String()) {
			name, why, ok := strings.Cut(strings.TrimSpace(line), " — ")
			if !ok {
				continue
			}
			path := "skills/" + name + "/SKILL.md"
			if server, tool, ok := strings.Cut(name, "/"); ok && folder == "mcps" {
				path = "mcps/" + server + "/tools/" + tool + ".json"
			}
			if q.In != "" && path != q.In && !strings.HasPrefix(path, q.In+"/") {
				continue
			}
			hits := 0
			for _, w := range wanted {
				if strings.Contains(strings.ToLower(line), w) {
					hits++
				}
			}
			if hits > 0 {
				found = append(found, ranked{gateway.Match{Path: path, Why: why}, hits})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(a.Path, b.Path))
	})
	var matches []gateway.Match
	for _, m := range found[:min(len(found), q.Limit)] {
		matches = append(matches, m.Match)
	}
	return matches, nil
}
