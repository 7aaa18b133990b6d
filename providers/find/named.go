package find

import (
	"ctxfs/providers/facts"
	"ctxfs/providers/find/learned"
)

// named are documents by their titles, as agents write them.
type named map[facts.Used][]string // titles and paths by turns

// named returns the documents of an index by their titles.
func (x *index) named() named {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make(named, len(x.ids))
	for path, id := range x.ids {
		doc := &x.docs[id]
		k := facts.Used{Kind: doc.kind, Name: learned.Fold(doc.title)}
		all[k] = append(all[k], doc.title, path)
	}
	return all
}

// find returns the title and the path of what a name stands for: of exactly that name
// if there is such a thing, or else of the only one that an agent may have to call
// so. Two of that kind could take what was learned of each other.
func (n named) find(used facts.Used) (title, path string) {
	full := used.Name
	if used.Server != "" {
		full = used.Server + "/" + used.Name
	}
	found := n[facts.Used{Kind: used.Kind, Name: learned.Fold(full)}]
	for i := 0; i < len(found); i += 2 {
		if found[i] == full {
			return found[i], found[i+1]
		}
	}
	if len(found) == 2 {
		return found[0], found[1]
	}
	return "", ""
}

func (n named) path(used facts.Used) string {
	_, path := n.find(used)
	return path
}

func (n named) title(used facts.Used) string {
	title, _ := n.find(used)
	return title
}
