package find

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/find/suggest"
)

// batch is how many documents are analysed before they are inserted together.
const batch = 256

// Update replaces the documents at and below a path, "" for all, by those given.
// Their paths are relative to the same root; those outside the path are ignored.
// An unchanged document costs next to nothing, another about 0.1 ms. A concurrent
// search may see a part of the update.
func (x *index) Update(prefix string, docs iter.Seq[fs.Document]) {
	x.updating.Lock()
	defer x.updating.Unlock()
	gone := make(map[string]bool)
	x.mu.RLock()
	for p := range x.ids {
		if below(p, prefix) {
			gone[p] = true
		}
	}
	x.mu.RUnlock()
	var fresh []analysis
	for d := range docs {
		if !below(d.Path, prefix) {
			continue
		}
		delete(gone, d.Path)
		sum := digest(x.seed, d)
		if id, known := x.ids[d.Path]; known && x.docs[id].sum == sum { // only updates write, and there is one at a time
			continue
		}
		if fresh = append(fresh, x.analyse(d, sum)); len(fresh) == batch {
			x.change(nil, fresh)
			fresh = fresh[:0]
		}
	}
	x.change(gone, fresh)
}

// below reports whether a path is at or below another one.
func below(p, prefix string) bool {
	rest, ok := strings.CutPrefix(p, prefix)
	return ok && (prefix == "" || rest == "" || rest[0] == '/')
}

// change removes documents and inserts others.
func (x *index) change(gone map[string]bool, fresh []analysis) {
	if len(gone) == 0 && len(fresh) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for p := range gone {
		x.remove(x.ids[p])
	}
	for _, a := range fresh {
		x.put(a)
	}
	x.refresh()
}

func (x *index) put(a analysis) {
	if id, known := x.ids[a.path]; known {
		x.remove(id)
	}
	id := uint32(len(x.docs))
	if last := len(x.freeDocs) - 1; last >= 0 {
		id, x.freeDocs = x.freeDocs[last], x.freeDocs[:last]
	} else {
		x.docs = append(x.docs, document{})
	}
	doc := a.document
	doc.group = x.groups.enter(suggest.Folder(doc.path))
	doc.terms = make([]*term, 0, len(a.counts))
	for text, count := range a.counts {
		t := x.terms[text]
		if t == nil {
			t = &term{text: strings.Clone(text)}
			x.terms[t.text] = t
		}
		at, _ := t.find(id)
		t.postings = slices.Insert(t.postings, at, posting{id, *count})
		doc.terms = append(doc.terms, t)
		x.dirty[t] = true
	}
	doc.name = make([]*term, 0, len(a.name))
	for _, n := range a.name {
		doc.name = append(doc.name, x.terms[n])
	}
	for f, n := range doc.length {
		x.words[f] += int(n)
	}
	x.docs[id], x.ids[doc.path] = doc, id
}

func (x *index) remove(id uint32) {
	doc := &x.docs[id]
	for _, t := range doc.terms {
		if at, found := t.find(id); found {
			t.postings = slices.Delete(t.postings, at, at+1)
		}
		x.dirty[t] = true
	}
	for f, n := range doc.length {
		x.words[f] -= int(n)
	}
	x.groups.leave(doc.group)
	delete(x.ids, doc.path)
	*doc = document{}
	x.freeDocs = append(x.freeDocs, id)
}

// refresh updates what depends on the set of documents.
func (x *index) refresh() {
	sizes := make([]int, len(x.groups.sizes))
	var added []*term
	removed := false
	for t := range x.dirty {
		if len(t.postings) == 0 {
			delete(x.terms, t.text)
			removed = true
			continue
		}
		if t.spread == 0 {
			added = append(added, t)
		}
		t.spread = 0
		for _, p := range t.postings {
			g := x.docs[p.doc].group
			t.spread += x.groups.share(sizes[g]+1) - x.groups.share(sizes[g])
			sizes[g]++
		}
		for _, p := range t.postings {
			sizes[x.docs[p.doc].group] = 0
		}
	}
	clear(x.dirty)
	if removed {
		x.vocabulary = slices.DeleteFunc(x.vocabulary, func(t *term) bool { return len(t.postings) == 0 })
	}
	x.learn(added)
	x.groups.total = 0
	for _, n := range x.groups.sizes {
		x.groups.total += x.groups.share(n)
	}
}

// learn adds terms to the vocabulary.
func (x *index) learn(words []*term) {
	const few = 100 // inserting up to as many one by one is faster than sorting
	if len(words) > few {
		x.vocabulary = append(x.vocabulary, words...)
		slices.SortFunc(x.vocabulary, func(a, b *term) int { return cmp.Compare(a.text, b.text) })
		return
	}
	for _, t := range words {
		at := len(x.vocabulary) - len(x.atOrAfter(t.text))
		x.vocabulary = slices.Insert(x.vocabulary, at, t)
	}
}

// term is a word in the form used for lookups, with its documents.
type term struct {
	text     string
	postings []posting // by document
	spread   float64   // how many documents have it, see groups.share
}

// posting says how often a word occurs in the fields of a document.
type posting struct {
	doc   uint32
	count [fields]uint8
}

func (t *term) find(id uint32) (at int, found bool) {
	return slices.BinarySearchFunc(t.postings, id, func(p posting, id uint32) int { return cmp.Compare(p.doc, id) })
}

// groups counts the documents of the folders they belong to: mostly servers.
type groups struct {
	ids   map[string]uint32
	names []string
	sizes []int
	free  []uint32
	total float64 // all documents, see share

	shares []float64
}

// share returns how much n documents of one group count towards how common a word
// is: each further one counts less.
func (g *groups) share(n int) float64 {
	for len(g.shares) <= n {
		g.shares = append(g.shares, math.Pow(float64(len(g.shares)), 0.2))
	}
	return g.shares[n]
}

func (g *groups) enter(name string) uint32 {
	id, known := g.ids[name]
	if !known {
		id = uint32(len(g.sizes))
		if last := len(g.free) - 1; last >= 0 {
			id, g.free = g.free[last], g.free[:last]
		} else {
			g.names, g.sizes = append(g.names, ""), append(g.sizes, 0)
		}
		g.ids[name], g.names[id] = id, name
	}
	g.sizes[id]++
	return id
}

func (g *groups) leave(id uint32) {
	if g.sizes[id]--; g.sizes[id] == 0 {
		delete(g.ids, g.names[id])
		g.free = append(g.free, id)
	}
}
