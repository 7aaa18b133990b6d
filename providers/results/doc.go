// Package results stores what is too long to return: results of tool calls and
// outputs of commands, each whole in a file of its own, and shows them as the
// folder results.
//
// # Files
//
// A result is a plain file in a state folder. Its name describes it, sorts by
// time, and never changes:
//
//	2026-11-21T04-01-02Z.github.list_issues.k7f2q.json
//
// It appears whole or not at all: it is written elsewhere on the same file
// system (in .store, which the tree does not show) and renamed. The folder
// belongs to no process: the background process and commands write to it at the
// same time, and one that is killed leaves nothing but a draft that is removed
// later.
//
// What a name cannot hold (the original names from the server, the number of lines)
// is in a journal, .store/journal, one line for each result, written before its
// file appears. A line without a file is ignored, and a file without a line is
// shown with what its name says.
//
// # Form
//
// Text is stored so that line-oriented tools work on it: one JSON value is
// indented, JSON Lines stay as they are, both with their numbers and the order
// of their keys unchanged (see [Store.Save]).
//
// # Finding
//
// All text is in a full-text index in the cache folder; see package fulltext.
//
// # Limits
//
// The table [results] of config.toml limits the size of all files (max_size)
// and their age (max_age). Beyond them the oldest are deleted, after each save
// and when the provider starts, but never one that is younger than an hour.
//
// # Order
//
// [Store] (store.go) saves results as a [Draft] (draft.go) in a form (form.go)
// under a name (name.go), with a line in the journal (journal.go), within
// limits (limits.go, prune.go); index.go is what the folder holds, table.go its
// INDEX.tsv, [Provider] (provider.go, find.go) the folder of the tree.
package results
