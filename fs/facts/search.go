package facts

import (
	"context"
	"time"
)

// Searcher is a provider that searches its texts by itself, because they are too
// large to be held in memory. What it finds is merged with the documents of the
// other providers by its [Evidence]. If it is Documented too, its documents are
// titles of texts, which count for less.
type Searcher interface {
	// Search returns at most limit matches of a query at and below a path, "" for
	// all, the best first, each with its Evidence; paths are relative to the
	// provider's root. It computes locally, and ends with ctx.
	Search(ctx context.Context, query, below string, limit int) (Findings, error)
}

// Findings are what a Searcher has found.
type Findings struct {
	Matches []Match
	// Shares says of each word of the query in how many of all texts it is, from 0
	// to 1, by the word's stem (as package words makes it); nil if there is no text.
	Shares map[string]float64
	// Guessed are the words that no text has and for which others were looked up
	// that are spelled much the same.
	Guessed map[string]bool
}

// Canonical is a provider that shows the same thing at several paths.
type Canonical interface {
	// Canonical returns the path that documents and matches use for what is at
	// path, both relative to the provider's root. A path that does not exist is
	// returned unchanged. It is called before each search below a path.
	Canonical(ctx context.Context, path string) (string, error)
}

// Match is one thing that a search found.
type Match struct {
	// Path is that of a file, or of a folder with a file that describes it:
	// relative to the root that was searched, the provider's or the tree's.
	Path  string `json:"path"`
	Title string `json:"title"`
	// Why is one line: what the thing is for, or the line that has the words.
	Why string `json:"why"`
	// Score compares the matches of one search; higher is better.
	Score float64 `json:"score"`
	// Kind says what it is in one word: "tool", "skill", "session".
	Kind string `json:"kind,omitempty"`
	// Signature is the name of something that can be called, with what it takes, on
	// one line: "github/create_issue(owner, repo, title, labels?[])"; "" for anything
	// else. What its marks mean says arguments.Signature.
	Signature string `json:"signature,omitempty"`
	// Use is the command that uses it, with placeholders such as "…" for values; ""
	// if it is used by reading Path.
	Use string `json:"use,omitempty"`
	// Whole is the path of the folder that the match stands for, such as that of a
	// skill or a session, relative to the same root as Path; "" if that is Path.
	Whole string `json:"whole,omitempty"`
	// More is how many further matches In has that would have been listed, had they
	// not been left out in favor of others.
	More int    `json:"more,omitempty"`
	In   string `json:"in,omitempty"`
	// Known and Quiet are those of the [fs.Document].
	Known []string `json:"-"`
	Quiet bool     `json:"-"`
	// Evidence is by what it is compared with matches of other providers.
	Evidence Evidence `json:"-"`
}

// Evidence is what speaks for a match, on a scale that all providers share.
type Evidence struct {
	// Words says how well the match has each word of the query that it has, by the
	// word's stem: from 0 to 1, where 1 is the word itself in the most telling
	// place, such as a name.
	Words map[string]float64
	// Together is from 0 to 1: how many of the words follow each other as in the
	// query.
	Together float64
	// Time is when it was said or last used; zero if it is timeless.
	Time time.Time
	// Place is the folder on disk that it is about, or "".
	Place string
	// Own reports whether the words are the user's own.
	Own bool
	// Session is the agent's id of the session in which they were said, or "".
	Session string
	// Aside reports whether the query asks for something else, see [fs.Document].
	Aside bool
	// Part is the path of what it is a part of, such as a session, relative to the
	// same root as the match; "" stands for the first folder on its path.
	Part string
}
