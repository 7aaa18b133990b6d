package main

import (
	"context"
	"log/slog"
	"time"

	"ctxfs/fs"
	"ctxfs/providers"
	"ctxfs/providers/find"
	"ctxfs/providers/find/suggest"
)

// openFinder opens a finder of the world's catalogues, as a command does without the
// background process.
func (w *replayWorld) openFinder() {
	quiet := slog.New(slog.DiscardHandler)
	p := w.app.Places
	list := providers.New(providers.Options{
		Home: p.Home, Config: p.Config, Cache: p.Cache, State: p.State, Offline: true, Log: quiet,
		LookupEnv: func(string) (string, bool) { return "", false },
		Env: func(string) fs.Env {
			return fs.Env{Changed: func(string) {}, Log: quiet, Now: time.Now, Built: time.Now()}
		},
	})
	w.Cleanup(func() { list.Close() })
	w.finder = list.Finder()
}

// candidates are what is found for the words of the user, with what says how sure it is.
func (w *replayWorld) candidates(words string) []suggest.Candidate {
	w.Helper()
	if all, ok := w.hints[words]; ok {
		return all
	}
	if w.finder == nil {
		w.openFinder()
	}
	all := suggest.Candidates(w.Context(), func(ctx context.Context, want string) ([]fs.Match, error) {
		return w.finder.Find(ctx, want, find.Options{Limit: usualMatches})
	}, words)
	w.hints[words] = all
	return all
}

// told are the lines that a hook adds to the words of the user. It leaves out what was
// told or used before.
func (r *replay) tells(words string) []suggest.Suggestion {
	return suggest.Choose(r.world.candidates(words), r.bar, fs.Moment{Time: time.Now(), Root: "/home/user/.agentctx"}, func(m fs.Match) bool {
		key := keyOf(m)
		return r.told[key] || r.seen[key] != "" || r.ever[key]
	})
}
