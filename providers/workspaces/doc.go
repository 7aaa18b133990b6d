// Package workspaces is the folder workspaces: the places where agents and people work,
// each with a page to begin with and what that page is made of.
//
// A workspace is a folder on disk, see package workspaces of providers/internal. What is
// shown of it comes from three sides: from the folder itself, which the packages below
// this one look at; from what other providers have to say about it ([facts.Briefer]); and
// from notes that were left there.
//
// Reading causes no look at anything. A worker does so after something has changed
// (provider.go, survey.go), and publishes each page whole; the last one is served until
// the next is there. Pages are also kept in the cache, for commands that read the tree
// without a background process.
package workspaces
