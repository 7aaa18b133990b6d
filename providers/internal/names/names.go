// Package names makes file names of foreign names, by one rule for the whole
// tree.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxLen is the length in bytes of the longest name that is kept whole. File
// systems allow 255; this leaves room for what is added.
const maxLen = 100

// File returns the file name for a foreign name: letters and digits of any
// script (NFC), "_" and "-" stay, everything else becomes "_". An empty name
// becomes "_"; one over 100 bytes is cut and a short hash of the whole is
// added.
func File(name string) string {
	safe := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) {
			return r
		}
		return '_'
	}, norm.NFC.String(name))
	switch {
	case safe == "":
		return "_"
	case len(safe) <= maxLen:
		return safe
	}
	sum := sha256.Sum256([]byte(name))
	hash := "-" + hex.EncodeToString(sum[:4])
	cut := maxLen - len(hash)
	for !utf8.RuneStart(safe[cut]) {
		cut--
	}
	return safe[:cut] + hash
}

// Fold returns the form in which names are equal that differ only in letter
// case or in the way Unicode composes their letters.
func Fold(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

// Assign returns the file name of each foreign name, in the order given: of
// file names that are equal without regard to case, the first keeps its own and
// the later get "~2", "~3" and so on. For a result that does not depend on the
// order in which things were found, the caller must sort them first.
func Assign(foreign []string) []string {
	files := make([]string, len(foreign))
	taken := make(map[string]int, len(foreign))
	for i, name := range foreign {
		file := File(name)
		key := strings.ToLower(file)
		taken[key]++
		if n := taken[key]; n > 1 {
			file += "~" + strconv.Itoa(n)
		}
		files[i] = file
	}
	return files
}
