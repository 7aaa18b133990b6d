// Package transcripts shows the chat histories of all coding agents on the
// machine: a folder for each session, with the whole of it as text.
//
// # The packages, in their order
//
//   - event: what all histories have in common, a list of events
//   - render: events as text
//   - agents: for each agent, where it keeps its sessions and how they are read
//     as events
//   - source: the files that agents have written
//   - archive: sessions that their agents may delete
//   - catalogue: the list of all sessions, and the tree that they are shown in
//   - scan: finds the sessions and puts them into the catalogue
//   - cache: renders sessions and stores their texts on disk
//   - folders: the folders and files that a user sees
//
// This package joins them: it announces what has changed, keeps house, searches,
// answers which session a client means, and has the settings and the status.
//
// # From a log to a transcript
//
// A line that an agent appends to a log is noticed by the watch
// (scan.Scanner.Changed, Inspect), which puts the log's new Stat into the
// catalogue (Catalogue.Put). The session is then queued (Cache.Touched), its entry
// updated from where the last run stopped (Cache.Current, source.Lines.Next, the
// agent's Reader.Record, render.Transcript.Append), and what was appended published
// (Catalogue.Publish), which announces it to readers. A reader of a session that
// was not rendered yet waits for that; in the background all are rendered, the
// newest first.
//
// # What is stored
//
// A session's text is rendered once, into the cache folder, and grows there with
// the session: the reader's state is stored with it, so that only what was appended
// to a log is read, also after a restart. Long results are not stored twice: their
// place in the log is, and they are read from there. The cache can be deleted at
// any time.
//
// # Growing
//
// The text of a log that is only appended to only grows. While it does, the session
// is live; after some minutes of quiet it is not, and the kernel may cache its text.
// If what was rendered is no longer what the source says, it is rendered again as
// the next generation, which replaces the file as a whole.
package transcripts
