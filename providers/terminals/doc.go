// Package terminals shows what terminals have shown: the folder terminals.
//
// Everything in it comes from the plain files that package record writes, one
// folder for each terminal. Who records is another process; it is never asked,
// and nothing here waits for it. The newest part of a terminal's log is <id>.txt,
// the one before it <id>.1.txt and so on; the folder <id> has what else there is.
//
// The folders are live: their names, and the sizes of what grows, are never kept
// by anybody, so that a line can be read as soon as it is written. That something
// has changed is told as well, for those who follow files by inotify, but not more
// often than every [newsPause].
//
// A terminal whose recorder was killed has ended: it is shown so, with what is
// known. The table [terminals] of config.toml limits what is kept.
package terminals
