package find

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ctxfs/fs"
)

const (
	// textShare is how many of ten matches may come from providers that search
	// their texts by themselves, in a search of everything: mostly, tools and
	// skills are wanted.
	textShare = 3
	// poorMatch is the share of the best score below which a document makes room
	// for what was found in texts.
	poorMatch = 0.3
	// defaultTexts is how many matches in texts are found if no limit is given.
	defaultTexts = 100
)

// Find searches the documents of all providers, and the texts of those that
// search by themselves; paths are those of the tree. Whatever was reported
// before the call is found: Find waits until the index has it, which is a matter
// of milliseconds, or until ctx ends.
func (f *Finder) Find(ctx context.Context, query string, opts Options) ([]fs.Match, error) {
	f.Start()
	if err := f.current(ctx); err != nil {
		return nil, err
	}
	if opts.In == "" {
		return f.findEverywhere(ctx, query, opts)
	}
	folder, in, _ := strings.Cut(opts.In, "/")
	for _, s := range f.sources {
		if t, ok := s.Provider.(fs.Searcher); ok && s.Folder == folder {
			return f.findInTexts(ctx, s, t, query, in, cmp.Or(opts.Limit, defaultTexts))
		}
	}
	return f.documents.Search(query, opts), nil
}

// findInTexts searches one provider that searches by itself: it returns the
// provider's matches, then the documents whose title matches the query.
func (f *Finder) findInTexts(ctx context.Context, s Source, texts fs.Searcher, query, in string, limit int) ([]fs.Match, error) {
	if c, ok := s.Provider.(fs.Canonical); ok {
		var err error
		if in, err = c.Canonical(ctx, in); err != nil {
			return nil, err
		}
	}
	titles := f.titles.Search(query, Options{In: strings.TrimSuffix(s.Folder+"/"+in, "/"), Limit: limit})
	found, err := texts.Search(ctx, query, in, limit)
	return titlesLast(inTree(s.Folder, found), titles, limit-textRoom(limit), limit), err
}

// findEverywhere searches all providers: first documents, then titles of those that
// search by themselves, then what these find, each group on a scale that continues
// below the previous one.
func (f *Finder) findEverywhere(ctx context.Context, query string, opts Options) ([]fs.Match, error) {
	matches := f.documents.Search(query, opts)
	limit := cmp.Or(opts.Limit, defaultTexts)
	room := max(textRoom(limit), limit-len(matches))
	titles := f.titles.Search(query, Options{Limit: max(1, room/3)})
	var found []fs.Match
	for _, s := range f.sources {
		if t, ok := s.Provider.(fs.Searcher); ok {
			more, err := t.Search(ctx, query, "", room)
			if err != nil {
				return nil, err
			}
			found = append(found, inTree(s.Folder, more)...)
		}
	}
	slices.SortStableFunc(found, func(a, b fs.Match) int { return cmp.Compare(b.Score, a.Score) })
	texts := append(titles, scaled(found, titles)...)
	return textsLast(matches, texts[:min(len(texts), room)], limit), nil
}

// textRoom returns how many of limit matches may be found in texts.
func textRoom(limit int) int { return (limit*textShare + 5) / 10 }

// inTree puts a folder before the paths of matches.
func inTree(folder string, found []fs.Match) []fs.Match {
	for i := range found {
		found[i].Path = folder + "/" + found[i].Path
	}
	return found
}

// textsLast puts what was found in texts after the documents; only poor matches
// among those make room for it.
func textsLast(documents, texts []fs.Match, limit int) []fs.Match {
	for len(documents)+len(texts) > limit && len(documents) > 0 && documents[len(documents)-1].Score < poorMatch*documents[0].Score {
		documents = documents[:len(documents)-1]
	}
	return append(documents, scaled(texts[:max(0, min(len(texts), limit-len(documents)))], documents)...)
}

// titlesLast puts documents that were found by their titles after what was found in
// texts, at most limit in all. If there are titles, at least most of the texts
// stay.
func titlesLast(texts, titles []fs.Match, most, limit int) []fs.Match {
	titles = titles[:min(len(titles), limit-min(len(texts), most))]
	texts = texts[:min(len(texts), limit-len(titles))]
	return append(texts, scaled(titles, texts)...)
}

// scaled gives the matches of another search scores that continue below those of
// the first.
func scaled(more, first []fs.Match) []fs.Match {
	if len(more) == 0 || len(first) == 0 {
		return more
	}
	factor := first[len(first)-1].Score / max(more[0].Score, 1e-9)
	for i := range more {
		more[i].Score *= min(factor, 1)
	}
	return more
}
