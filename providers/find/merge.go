package find

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/find/suggest"
)

const (
	// candidates is how many matches each source is asked for, at least.
	candidates = 40
	// mostOfOne is how many matches of one server or other folder are listed before
	// others, and mostOfText of one text.
	mostOfOne  = 3
	mostOfText = 1
	// defaultTexts is how many matches in texts are found if no limit is given.
	defaultTexts = 100
)

// Find searches the documents of all providers, and the texts of those that search by
// themselves; paths are those of the tree. Scores are from 0 to about 1: the share of
// the query that a match has, whatever kind of thing it is, see [GoodScore]. Whatever
// was reported before the call is found: Find waits until the index has it, which is
// a matter of milliseconds, or until ctx ends.
func (f *Finder) Find(ctx context.Context, query string, opts Options) ([]facts.Match, error) {
	f.Start()
	if err := f.worker.Settled(ctx); err != nil {
		return nil, err
	}
	f.remember(query, opts.Caller)
	folder, in, _ := strings.Cut(opts.In, "/")
	limit := cmp.Or(opts.Limit, defaultTexts)
	wanted := max(candidates, 2*limit)
	documents := f.documents.find(query, Options{In: opts.In, Limit: wanted})
	titles := f.titles.find(query, Options{In: opts.In, Limit: wanted})
	all := []facts.Findings{documents}
	for _, s := range f.sources {
		t, ok := s.Provider.(facts.Searcher)
		if !ok || folder != "" && folder != s.Folder {
			continue
		}
		if c, ok := s.Provider.(facts.Canonical); ok && folder != "" {
			var err error
			if in, err = c.Canonical(ctx, in); err != nil {
				return nil, err
			}
			titles = f.titles.find(query, Options{In: strings.TrimSuffix(folder+"/"+in, "/"), Limit: wanted})
		}
		found, err := t.Search(ctx, query, in, wanted)
		if err != nil {
			return nil, err
		}
		inTree(s.Folder, found.Matches)
		all = append(all, found)
	}
	for i := range titles.Matches {
		m := &titles.Matches[i]
		m.Evidence.Part = m.Whole
	}
	scale := newScale(f.documents.asked(query), all, f.now())
	if f.projects != nil && opts.Caller.Dir != "" {
		scale.project, _ = f.projects.Of(opts.Caller)
	}
	scale.measure(documents, 1)
	if folder != "" { // of one kind, which the index ranks better
		keepOrder(documents.Matches)
	}
	scale.measure(titles, titleFactor)
	for _, found := range all[1:] {
		scale.measure(found, textFactor)
	}
	var matches []facts.Match
	for _, found := range append(all, titles) {
		matches = append(matches, found.Matches...)
	}
	slices.SortStableFunc(matches, compareMatches)
	return fold(matches, limit), nil
}

// compareMatches puts the best first, equally good ones by path.
func compareMatches(a, b facts.Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
}

// inTree puts a folder before the paths of matches.
func inTree(folder string, found []facts.Match) {
	for i := range found {
		m := &found[i]
		m.Path = folder + "/" + m.Path
		if m.Whole != "" {
			m.Whole = folder + "/" + m.Whole
		}
		if m.Evidence.Part != "" {
			m.Evidence.Part = folder + "/" + m.Evidence.Part
		}
	}
}

func sortedWords(all map[string]float64) []string { return slices.Sorted(maps.Keys(all)) }

// keepOrder gives the scores of some matches to them in their order: the best to the
// first.
func keepOrder(matches []facts.Match) {
	scores := make([]float64, len(matches))
	for i, m := range matches {
		scores[i] = m.Score
	}
	slices.Sort(scores)
	for i := range matches {
		matches[i].Score = scores[len(scores)-1-i]
	}
}

// fold returns the best limit of matches, which are sorted. It takes only a few from one
// server, session or file while others are left; the last one taken says how many more
// would have been listed.
func fold(matches []facts.Match, limit int) []facts.Match {
	count := make(map[string]int)
	var listed, rest []facts.Match
	for _, m := range matches {
		part := partOf(m)
		if count[part]++; count[part] > most(m) {
			rest = append(rest, m)
			continue
		}
		if listed = append(listed, m); len(listed) == limit {
			break
		}
	}
	room := limit - len(listed)
	listed = append(listed, rest[:min(room, len(rest))]...)
	slices.SortStableFunc(listed, compareMatches)
	left := make(map[string]int)
	for _, m := range rest[min(room, len(rest)):] {
		left[partOf(m)]++
	}
	for i := range slices.Backward(listed) {
		m := &listed[i]
		if part := partOf(*m); left[part] > 0 {
			m.More, m.In, left[part] = left[part], part, 0
		}
	}
	return listed
}

// partOf returns the path of what a match is a part of.
func partOf(m facts.Match) string {
	if m.Evidence.Part != "" {
		return m.Evidence.Part
	}
	return suggest.Folder(m.Path)
}

// most returns how many matches may be listed of what a match is a part of.
func most(m facts.Match) int {
	if m.Evidence.Part != "" {
		return mostOfText
	}
	return mostOfOne
}
