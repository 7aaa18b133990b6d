package providers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ctxfs/providers/find"
	"ctxfs/providers/internal/fulltext"
)

const (
	// saidPart is how many of ten matches may be of sessions and results, where
	// everything is searched: tools and skills are what is mostly wanted.
	saidPart = 3
	// poorMatch is the share of the best score below which a match makes room for
	// what was said.
	poorMatch = 0.3
	// allSaid is how much of what was said is found where no limit is given.
	allSaid = 100
)

// The folders in the root of which whole texts are searched.
const (
	transcriptsFolder = "transcripts"
	resultsFolder     = "results"
)

// addTexts adds to matches the sessions that have the words in their titles, and
// from the full-text indexes what was said in sessions and what is in results.
func (s *Set) addTexts(ctx context.Context, matches []find.Match, query string, opts find.Options) ([]find.Match, error) {
	limit := opts.Limit
	if limit == 0 {
		limit = allSaid
	}
	in, alone := strings.CutPrefix(opts.In+"/", transcriptsFolder+"/")
	in = strings.TrimSuffix(in, "/")
	switch {
	case opts.In == resultsFolder || strings.HasPrefix(opts.In, resultsFolder+"/"):
		found, err := s.results.Find(ctx, query, strings.TrimPrefix(opts.In[len(resultsFolder):], "/"), limit)
		return matchesIn(resultsFolder, found), err
	case alone:
		in, err := s.transcripts.Listed(ctx, in)
		if err != nil {
			return nil, err
		}
		opts.In = strings.TrimSuffix(transcriptsFolder+"/"+in, "/")
		titles := s.finder.titles.Search(query, opts)
		found, err := s.transcripts.Find(ctx, query, in, limit)
		return behind(matchesIn(transcriptsFolder, found), titles, limit-saidShare(limit), limit), err
	case opts.In == "":
		room := max(saidShare(limit), limit-len(matches))
		titles := s.finder.titles.Search(query, find.Options{Limit: max(1, room/3)})
		said, err := s.transcripts.Find(ctx, query, "", room)
		if err != nil {
			return nil, err
		}
		kept, err := s.results.Find(ctx, query, "", room)
		found := append(matchesIn(transcriptsFolder, said), matchesIn(resultsFolder, kept)...)
		slices.SortStableFunc(found, func(a, b find.Match) int { return cmp.Compare(b.Score, a.Score) })
		more := append(titles, scaled(found, titles)...)
		return beside(matches, more[:min(len(more), room)], limit), err
	}
	return matches, nil
}

func saidShare(limit int) int { return (limit*saidPart + 5) / 10 }

// matchesIn are matches of what a provider has found in its folder.
func matchesIn(folder string, found []fulltext.Found) []find.Match {
	all := make([]find.Match, len(found))
	for i, f := range found {
		all[i] = find.Match{Path: folder + "/" + f.Path, Title: f.Title, Why: f.Why, Score: f.Score}
	}
	return all
}

// beside puts what was said after the matches, of which only poor ones make room.
func beside(matches, said []find.Match, limit int) []find.Match {
	for len(matches)+len(said) > limit && len(matches) > 0 && matches[len(matches)-1].Score < poorMatch*matches[0].Score {
		matches = matches[:len(matches)-1]
	}
	return append(matches, scaled(said[:max(0, min(len(said), limit-len(matches)))], matches)...)
}

// behind puts titles of sessions after what was said in them. There are no more
// than limit; of what was said at least most stay, where there are titles.
func behind(said, titles []find.Match, most, limit int) []find.Match {
	titles = titles[:min(len(titles), limit-min(len(said), most))]
	said = said[:min(len(said), limit-len(titles))]
	return append(said, scaled(titles, said)...)
}

// scaled gives matches of another search scores that go on below those of the
// first.
func scaled(more, first []find.Match) []find.Match {
	if len(more) == 0 || len(first) == 0 {
		return more
	}
	factor := first[len(first)-1].Score / max(more[0].Score, 1e-9)
	for i := range more {
		more[i].Score *= min(factor, 1)
	}
	return more
}
