package providers

import (
	"context"
	"strings"

	"ctxfs/providers/find"
	"ctxfs/providers/transcripts"
)

const (
	// saidPart is how many of ten matches may be what was said in sessions, where
	// everything is searched: tools and skills are what is mostly wanted.
	saidPart = 3
	// poorMatch is the share of the best score below which a match makes room for
	// what was said.
	poorMatch = 0.3
	// allSaid is how much of what was said is found where no limit is given.
	allSaid = 100
)

// transcriptsFolder is the folder of transcripts in the root.
const transcriptsFolder = "transcripts"

// addSessions adds to matches the sessions that have the words in their titles,
// and what was said in sessions, from the full-text index.
func (s *Set) addSessions(ctx context.Context, matches []find.Match, query string, opts find.Options) ([]find.Match, error) {
	limit := opts.Limit
	if limit == 0 {
		limit = allSaid
	}
	in, alone := strings.CutPrefix(opts.In+"/", transcriptsFolder+"/")
	in = strings.TrimSuffix(in, "/")
	switch {
	case alone:
		titles := s.finder.titles.Search(query, opts)
		found, err := s.transcripts.Find(ctx, query, in, limit)
		return behind(inTranscripts(found), titles, limit-saidShare(limit), limit), err
	case opts.In == "":
		room := max(saidShare(limit), limit-len(matches))
		titles := s.finder.titles.Search(query, find.Options{Limit: max(1, room/3)})
		found, err := s.transcripts.Find(ctx, query, "", room)
		said := append(titles, scaled(inTranscripts(found), titles)...)
		return beside(matches, said[:min(len(said), room)], limit), err
	}
	return matches, nil
}

func saidShare(limit int) int { return (limit*saidPart + 5) / 10 }

func inTranscripts(found []transcripts.Found) []find.Match {
	all := make([]find.Match, len(found))
	for i, f := range found {
		all[i] = find.Match{Path: transcriptsFolder + "/" + f.Path, Title: f.Title, Why: f.Why, Score: f.Score}
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
