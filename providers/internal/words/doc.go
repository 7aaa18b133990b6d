// Package words cuts text into the words by which it is found: whatever finds
// by words finds the same ones.
package words
