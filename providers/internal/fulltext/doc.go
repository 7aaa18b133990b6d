// Package fulltext finds words in many long texts: the transcripts of all
// sessions, of which it knows the blocks, and files of any text.
//
// # What is kept
//
// An index of words lies in one database. It is made of segments: each holds
// the words of some megabytes of text, and is never changed. When there are
// several of a size they become one. In a segment stand, for every word, the
// pieces of text that have it, as differences of a byte or two each. Pieces are
// the blocks of transcript.md, long ones cut. Nothing of the text itself is
// kept: it is read from the transcript when a match is shown.
//
// SQLite keeps the segments, so that what a process writes is there whole or not
// at all, and several may read and write. Its own full-text index is not used:
// to rank by how rare words are it visits every row that has one of them, which
// over a gigabyte takes seconds.
//
// # Never stale
//
// The index remembers how far each text is in it. What is behind that, and texts
// that it does not know, are read and searched at every query as they are. A
// text whose generation is another, or that is gone, does not count any more
// from that moment on, whatever the index still has of it. So an answer has what
// is published, and nothing else; only where very much is not indexed yet is the
// oldest left out, and Result tells so.
//
// # Ranking
//
// Words are cut and stemmed as package words does it. Of scripts without spaces
// pairs of characters are kept; one alone stands for the pairs that it begins.
// A piece counts by the rarity of the words that it has (BM25); of the best ones
// the text is read, and those come first that have all of the words, and have them
// side by side. A word that nobody used stands for the one of those in use that it
// may be a misspelling of; those are looked up by their first two letters.
package fulltext
