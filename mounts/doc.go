// Package mounts shows a tree somewhere and keeps what is shown alive: as a
// FUSE mount or in a plain folder.
//
// One background process per home ([Server]) owns the tree; a mount or a
// synced folder is a view of it, so any number of views share one set of
// providers. Commands reach the process over a socket in the state folder
// (package control); the last view that ends, ends it.
//
// Nothing here trusts the past. What is mounted is read from the kernel's
// mount table ([Points]); a mount whose process was killed is found there and
// taken away before a new one takes its place ([Mend]).
package mounts
