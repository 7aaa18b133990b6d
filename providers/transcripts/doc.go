// Package transcripts shows the chat histories of all coding agents on the
// machine: a folder for each session, with the whole of it as text.
//
// # Where things come from
//
// Package agents knows where each agent keeps its sessions and reads them as
// events (package event). Of the events package render makes text. This package
// keeps the list of sessions (catalogue), finds out what is new on disk (scan,
// news), has it rendered (queue), and shows the folders and files.
//
// # What is kept
//
// A session's text is rendered once, into the cache folder, and grows there with
// the session: the reader's state is kept beside it, so that what was appended
// to a log is all that is read, also after a restart. Long results are not kept
// twice: their place in the log is, and they are cut from it when they are read.
// Whoever asks for the text of a session that was not rendered yet waits for
// that; in the background all are rendered, the newest first.
//
// All of the cache can be thrown away at any time. Two processes may write it at
// the same time: what they write is the same bytes at the same places.
//
// # Growing
//
// The text of a log that is only appended to only grows. While it does, it is
// live; after some minutes of quiet it is not, and the kernel may keep it. If
// what was rendered is no longer what the source says, it is rendered anew as
// the next generation, which replaces the file as a whole.
package transcripts
