// Package tokens counts the tokens of a text in a prompt.
package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// vocabulary takes some 15 ms and 10 MB, so it is loaded on first use.
var vocabulary = sync.OnceValue(codec.NewO200kBase)

// Count returns the number of tokens of a text for OpenAI models from GPT-4o on
// (o200k); other models count much the same. The counts of the lines of a text
// add up to its count, as long as none is blank and none begins with "/". It is
// safe for concurrent use.
func Count(text string) int {
	n, err := vocabulary().Count(text)
	if err != nil {
		return len(text) // no text has more; only a matcher with a time limit fails
	}
	return n
}
