// Package results keeps what is too long to hand over: results of tool calls
// and outputs of commands, each whole in a file of its own, and shows them as
// the folder results.
//
// # Files
//
// A result is a plain file in a state folder. Its name tells what it is, sorts
// by time, and never changes:
//
//	2026-11-21T04-01-02Z.github.list_issues.k7f2q.json
//
// It appears whole or not at all: it is written elsewhere on the same file
// system (in .store, which nobody sees) and renamed. The folder belongs to no
// process: the background process and commands write into it at the same time,
// and one that is killed leaves nothing but a draft that is cleared away later.
//
// What a name cannot tell (the names as the server gives them, the number of
// lines) stands in a journal, .store/journal, one line for each result,
// written before its file appears. A line without a file means nothing, and a
// file without a line is shown with what its name tells.
//
// # Form
//
// Text is stored so that tools that work by lines are of use: one JSON value is
// indented, JSON Lines stay as they are, both with their numbers and the order
// of their keys as they came (see [Store.Save]).
//
// # Finding
//
// Whatever is text is in a full-text index in the cache folder, whole; see
// package fulltext.
//
// # Limits
//
// The table [results] of config.toml limits the size of all files (max_size)
// and their age (max_age). Beyond them the oldest are deleted, after each save
// and when the provider starts, but never one that is younger than an hour.
package results
