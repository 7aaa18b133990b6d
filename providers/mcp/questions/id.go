package questions

import "crypto/rand"

// The letters and digits of an ID, without those that look like others, and without
// vowels, which would make words.
const (
	idLetters = "23456789bcdfghjkmnpqrstvwxz"
	idLength  = 5
)

// NewID returns a random ID that begins with a letter and for which used reports
// false.
func NewID(first string, used func(id string) bool) string {
	for {
		raw := make([]byte, 2*idLength)
		_, _ = rand.Read(raw) // never fails
		id := []byte(first)
		for _, b := range raw {
			if int(b) < 256/len(idLetters)*len(idLetters) && len(id) < len(first)+idLength {
				id = append(id, idLetters[int(b)%len(idLetters)])
			}
		}
		if len(id) == len(first)+idLength && !used(string(id)) {
			return string(id)
		}
	}
}
