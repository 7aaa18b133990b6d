// Package sqlite reads databases that belong to other programs, beside those
// programs, and keeps databases of our own.
//
// A foreign database is read with [View] so that its owner never notices: no
// file is created beside it, nothing is written, and where the format allows it
// no lock is held, so that the owner is never refused. What View reads is one
// state of the database, never half a transaction.
//
//   - A database with a write-ahead log that is in use is read through that log:
//     readers of such a database hold up no writer.
//   - Any other is read without locks, and what was read counts only if neither
//     the file nor its journal has changed meanwhile; else it is read again.
//
// This is the only importer of the SQLite library, which works without cgo and
// has FTS5.
package sqlite
