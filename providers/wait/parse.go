package wait

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"ctxfs/fs/await"
)

// Separator stands between two conditions, as a word of its own.
const Separator = ","

// The words of conditions that are followed by a value. That of idle may be left out.
const (
	forWord  = "--for"
	idleWord = "--idle"
)

// Parse reads conditions from words: a kind, a name, and what is waited for, with
// [Separator] between two conditions. Its errors are for people.
func Parse(words []string) (all []await.Condition, err error) {
	for rest := words; len(words) > 0; {
		i := 0
		for i < len(rest) && rest[i] != Separator {
			if rest[i] == forWord && i+1 < len(rest) {
				i++ // its pattern may be a separator
			}
			i++
		}
		if i == 0 {
			return nil, errors.New("there is no condition before " + Separator + " or after it")
		}
		c, err := parse(rest[:i])
		if err != nil {
			return nil, err
		}
		if all = append(all, c); i == len(rest) {
			break
		}
		rest = rest[i+1:]
	}
	return all, nil
}

func parse(words []string) (c await.Condition, err error) {
	c.Kind = words[0]
	until := func(word string) error {
		if c.Until != "" {
			return fmt.Errorf("%s %s: wait for one of %s and %s, or for both with %q between two conditions", c.Kind, c.Name, c.Until, word, Separator)
		}
		c.Until = word
		return nil
	}
	for rest := words[1:]; len(rest) > 0 && err == nil; rest = rest[1:] {
		word, value, given := strings.Cut(rest[0], "=")
		if !strings.HasPrefix(word, "--") {
			word, given = rest[0], false
		}
		next := len(rest) > 1
		switch {
		case word == forWord:
			if !given && !next {
				return c, errors.New("--for needs a regular expression")
			}
			if !given {
				value, rest = rest[1], rest[1:]
			}
			if err = until(word); err == nil {
				c.Pattern, err = value, checkPattern(value)
			}
		case word == idleWord:
			if !given && next && rest[1] != "" && rest[1][0] >= '0' && rest[1][0] <= '9' {
				value, given, rest = rest[1], true, rest[1:]
			}
			if err = until(word); given && err == nil {
				c.Quiet, err = time.ParseDuration(value)
				if err != nil || c.Quiet <= 0 {
					err = fmt.Errorf(`--idle takes a time such as 2s or 1m, not %q`, value)
				}
			}
		case strings.HasPrefix(word, "--"):
			if given {
				return c, fmt.Errorf("%s takes no value", word)
			}
			err = until(word)
		case c.Name == "" && c.Until == "" && rest[0] != "":
			c.Name = rest[0]
		default:
			err = until(rest[0])
		}
	}
	return c, err
}

func checkPattern(pattern string) error {
	if pattern == "" {
		return errors.New("--for needs a regular expression, not an empty one")
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return fmt.Errorf("--for: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return nil
}

// Split splits a line into words as a shell does: at blanks, with quotes and backslashes,
// but without expanding anything.
func Split(line string) (words []string, err error) {
	var word strings.Builder
	inWord, quote := false, rune(0)
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote == 0 && strings.ContainsRune(" \t\n", r):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case r == quote:
			quote = 0
		case r == '\\' && i+1 < len(runes) && (quote == 0 || quote == '"' && strings.ContainsRune(`"\`, runes[i+1])):
			i++
			word.WriteRune(runes[i])
			inWord = true
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
