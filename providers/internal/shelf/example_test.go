package shelf_test

import (
	"context"
	"fmt"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/shelf"
)

// greetings is a whole provider: one page that is made anew when something changes.
type greetings struct {
	*shelf.Shelf
	who []string
}

func newGreetings(env fs.Env, who ...string) *greetings {
	g := &greetings{who: who}
	g.Shelf = shelf.New(env, shelf.Options{Look: g.look, What: "changes of greetings", Index: "INDEX.md", Poll: time.Minute, Blind: time.Second})
	return g
}

func (g *greetings) look(context.Context) shelf.View {
	v := shelf.View{Status: fs.Status{State: "ready", Summary: fmt.Sprintf("%d greetings", len(g.who))}}
	for _, name := range g.who {
		v.Pages = append(v.Pages, shelf.Page{Path: "people/" + name + ".md", Body: []byte("Hello, " + name + "\n")})
	}
	return v
}

func Example() {
	built := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var provider fs.Provider = newGreetings(fs.Env{Changed: func(path string) {}, Now: time.Now, Built: built}, "ada", "grace")
	tree := fs.NewTree(provider.Root(), fs.TreeOptions{})
	node, _ := tree.Resolve(context.Background(), "people/ada.md")
	body, _ := tree.ReadAll(context.Background(), node.(fs.File))
	fmt.Printf("%s%s\n", body, provider.Status().Summary)
	// Output:
	// Hello, ada
	// 2 greetings
}
