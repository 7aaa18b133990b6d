// Package prompt makes the one text that is meant for the prompt of an agent:
// where things are, what there is by name, and how to look and call. It is
// AGENTS.md in the tree's root, and what ctxfs prompt prints.
//
// The text is a function of the facts and of a budget of tokens: equal facts
// give equal bytes, so that caches of prompts hold. What comes and goes by
// itself (whether a server runs, what runs in a terminal, how many results there
// are) is not in it, and what changes most often stands last.
package prompt

import (
	"errors"
	"fmt"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/tokens"
)

// Budget is the most tokens of AGENTS.md, which names things and no more.
const Budget = 600

// Folder is a folder in the tree's root and what its provider says of itself.
type Folder struct {
	Name string
	fs.Status
	// Inside is what items hold, by the name of the item: the tools of a server.
	// It is told where there is room for it, and may be nil.
	Inside map[string][]Thing
}

// Thing is something in an item.
type Thing struct {
	Name  string
	About string // its first sentence, or ""
}

// BudgetError tells that a budget is too small for any page.
type BudgetError struct {
	Budget int
	Least  int // tokens of the shortest page, which names nothing
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("a budget of %s is too small: the shortest page has %d", wording.Count(e.Budget, "tokens"), e.Least)
}

// Names is the page with the names of all items, however long it is. Pages are
// equal whose Names are.
func Names(folders []Folder) string {
	p := newPlan(folders)
	return p.render(p.names)
}

// Page names what the folders hold, in at most Budget tokens: of many items as
// many as there is room for, and how many more there are where. Only where the
// page without any name is longer already, that is the page.
func Page(folders []Folder) string {
	return newPlan(folders).page(counted)
}

// Estimated is Page, made without the vocabulary that counts tokens: it names
// fewer things, because it takes what they cost at most.
func Estimated(folders []Folder) string {
	return newPlan(folders).page(estimated)
}

// whole is the page with the names of all items, if it surely keeps to Budget: the
// estimated page and the counted one.
func whole(folders []Folder) (string, error) {
	p := newPlan(folders)
	return p.within(Budget, p.names, estimated)
}

func (p *plan) page(cost measure) string {
	text, err := p.fill(Budget, p.names, cost)
	if err != nil {
		return p.render(0)
	}
	return text
}

// Filled is the page with all that there is room for in a budget of tokens: the
// names of items, then those of the things inside, then a sentence on each. It
// fails with a *BudgetError.
func Filled(folders []Folder, budget int) (string, error) {
	p := newPlan(folders)
	text, err := p.fill(budget, len(p.steps), counted)
	if err != nil {
		return "", &BudgetError{Budget: budget, Least: tokens.Count(p.render(0))}
	}
	return text, nil
}

// Tokens is how many tokens a text has (o200k).
func Tokens(text string) int { return tokens.Count(text) }

// maxToken is how many bytes a token has at most: some are as many spaces.
const maxToken = 128

var errTooLong = errors.New("no room")

// measure is what a page that was just rendered costs, in tokens.
type measure func(p *plan, text string) int

func counted(_ *plan, text string) int { return tokens.Count(text) }

// fill is the page with the most steps, up to limit, that keeps to a budget.
func (p *plan) fill(budget, limit int, cost measure) (string, error) {
	best, err := p.within(budget, limit, cost)
	if err == nil {
		return best, nil
	}
	if best, err = p.within(budget, 0, cost); err != nil {
		return "", err
	}
	low, high := 0, limit // low fits, high does not
	for high-low > 1 {
		n := (low + high) / 2
		if text, err := p.within(budget, n, cost); err == nil {
			best, low = text, n
		} else {
			high = n
		}
	}
	// A list that is whole saves the words on what is left out of it.
	for n := low + 2; n <= min(low+ahead, limit); n++ {
		if text, err := p.within(budget, n, cost); err == nil {
			best = text
		}
	}
	return best, nil
}

// ahead is how many steps a few words are worth.
const ahead = 8

// within is the page with n steps, if it keeps to a budget.
func (p *plan) within(budget, n int, cost measure) (string, error) {
	text := p.render(n)
	if len(text) > maxToken*max(budget, 0) || cost(p, text) > budget {
		return "", errTooLong
	}
	return text, nil
}
