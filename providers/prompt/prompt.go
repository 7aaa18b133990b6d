// Package prompt makes the one text that is meant for the prompt of an agent: where
// things are, the names of what there is, and how to read and call it. It is
// AGENTS.md in the tree's root, and what ctxfs prompt prints.
//
// The text is a function of the facts and of a budget of tokens: equal facts
// give equal bytes, so that cached prompts stay valid. State that changes by itself
// (whether a server runs, what runs in a terminal, how many results there are) is
// left out, and what changes most often comes last.
//
// The order of its parts: prompt.go (pages for a budget), sections.go (the fixed
// text of each folder), plan.go (what is added in which order, and what it may
// cost), render.go.
package prompt

import (
	"errors"
	"fmt"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/tokens"
)

// Budget is how many tokens AGENTS.md has at most; it has names, and what skills are for
// where there is room.
const Budget = 600

// Folder is a folder in the tree's root, with the status of its provider.
type Folder struct {
	Name string
	fs.Status
	// Inside has the things inside of items, by the name of the item, such as the
	// tools of a server. The page names them if there is room; it may be nil.
	Inside map[string][]Thing
}

// Thing is something inside of an item.
type Thing struct {
	Name  string
	About string // one sentence, or ""
}

// BudgetError reports that a budget is too small for any page.
type BudgetError struct {
	Budget int
	Least  int // tokens of the shortest page, which has no names
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("a budget of %s is too small: the shortest page has %d", wording.Count(e.Budget, "tokens"), e.Least)
}

// Unlimited returns the page with the names of all items and what else a page of names
// says of them, however long it is. Facts with equal pages of this kind also have equal
// pages for every budget of names.
func Unlimited(folders []Folder) string {
	p := newPlan(folders)
	return p.render(p.names)
}

// Page returns the page with as many names of items as fit in Budget tokens; for
// the rest it says how many there are, and where. If even the page without names is
// longer than that, it returns that page.
func Page(folders []Folder) string {
	p := newPlan(folders)
	text, err := p.fill(Budget, p.names)
	if err != nil {
		return p.render(0)
	}
	return text
}

// Filled returns the page with everything that fits in a budget of tokens: the
// names of items, then those of the things inside, then a sentence on each. The
// error is a *BudgetError.
func Filled(folders []Folder, budget int) (string, error) {
	p := newPlan(folders)
	text, err := p.fill(budget, len(p.steps))
	if err != nil {
		return "", &BudgetError{Budget: budget, Least: tokens.Count(p.render(0))}
	}
	return text, nil
}

// Tokens returns the number of tokens of a text (encoding o200k).
func Tokens(text string) int { return tokens.Count(text) }

// maxToken is the length of the longest token in bytes, which is all spaces.
const maxToken = 128

var errTooLong = errors.New("the page is longer than its budget")

// fill returns the page with the most steps, up to limit, that fits in a budget.
func (p *plan) fill(budget, limit int) (string, error) {
	best, err := p.within(budget, limit)
	if err == nil {
		return best, nil
	}
	if best, err = p.within(budget, 0); err != nil {
		return "", err
	}
	low, high := 0, limit // low fits, high does not
	for high-low > 1 {
		n := (low + high) / 2
		if text, err := p.within(budget, n); err == nil {
			best, low = text, n
		} else {
			high = n
		}
	}
	// A complete list needs no words on what is left out.
	for n := low + 2; n <= min(low+ahead, limit); n++ {
		if text, err := p.within(budget, n); err == nil {
			best = text
		}
	}
	return best, nil
}

// ahead is how many steps these words are worth.
const ahead = 8

// within returns the page with n steps, if it fits in a budget.
func (p *plan) within(budget, n int) (string, error) {
	text := p.render(n)
	if len(text) > maxToken*max(budget, 0) || tokens.Count(text) > budget {
		return "", errTooLong
	}
	return text, nil
}
