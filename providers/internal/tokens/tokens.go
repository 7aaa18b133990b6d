// Package tokens counts what a text costs in a prompt.
package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// vocabulary takes some 15 ms and 10 MB, so whoever counts nothing does
// without.
var vocabulary = sync.OnceValue(codec.NewO200kBase)

// Count is the number of tokens of a text for models of OpenAI from GPT-4o on
// (o200k); those of others count much the same. Lines count alone what they do
// in their text, as long as none is blank and none begins with "/". It may be
// called at the same time by many.
func Count(text string) int {
	n, err := vocabulary().Count(text)
	if err != nil {
		return len(text) // no text has more; only a matcher with a time limit fails
	}
	return n
}
