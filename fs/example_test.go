package fs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"ctxfs/fs"
)

// greeter is a whole provider: a folder, settings in a file that is watched, and
// an operation. It is a package below providers, and an entry in the list there:
//
//	{"greetings", greetings.New(env("greetings"), filepath.Join(o.Home, ".greetings.json"))},
type greeter struct {
	env  fs.Env
	path string // of its settings
	root *fs.Folder
	text atomic.Pointer[string] // methods are called concurrently
}

// New reads the settings and starts nothing.
func New(env fs.Env, path string) *greeter {
	g := &greeter{env: env, path: path, root: new(fs.Folder)}
	g.Reload()
	return g
}

// Root, Status and Close implement fs.Provider.
func (g *greeter) Root() fs.Dir      { return g.root }
func (g *greeter) Status() fs.Status { return fs.Status{State: "ready", Summary: "1 greeting"} }
func (g *greeter) Close() error      { return nil }

// ConfigFiles, Tables and Reload implement fs.Watched: the list of providers
// watches the file, and calls Reload when it has changed.
func (g *greeter) ConfigFiles() []string { return []string{g.path} }
func (g *greeter) Tables() []string      { return nil } // none in config.toml
func (g *greeter) Reload() {
	settings := struct{ Name string }{"world"}
	if text, err := os.ReadFile(g.path); err == nil {
		_ = json.Unmarshal(text, &settings) // what is wrong would be part of Status
	}
	text, now := "Hello, "+settings.Name+"!\n", g.env.Now()
	g.text.Store(&text)
	g.root.Set(now, "hello.txt", fs.NewText(now, []byte(text)))
	g.env.Changed("hello.txt") // publish first, then notify
}

// OpGreet is what the command line, the socket and the gateway ask for.
var OpGreet = fs.Op[GreetQuery, string]{Name: "greet"}

type GreetQuery struct{ Loudly bool }

// Operations implements fs.Operator.
func (g *greeter) Operations() []fs.Operation {
	return []fs.Operation{OpGreet.Handle(func(_ context.Context, q GreetQuery) (string, error) {
		if q.Loudly {
			return strings.ToUpper(*g.text.Load()), nil
		}
		return *g.text.Load(), nil
	})}
}

// A provider with settings, a watch and an operation.
func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	settings := filepath.Join(dir, "greetings.json")
	env := fs.Env{Now: time.Now, Changed: func(path string) { fmt.Println("changed:", path) }}

	var g fs.Provider = New(env, settings)
	tree := fs.NewTree(fs.NewFolder(time.Now(), map[string]fs.Node{"greetings": g.Root()}), fs.TreeOptions{})
	file, _ := tree.Resolve(context.Background(), "greetings/hello.txt")
	text, _ := tree.ReadAll(context.Background(), file.(fs.File))
	fmt.Print(string(text))

	_ = os.WriteFile(settings, []byte(`{"Name": "Ada"}`), 0o600)
	g.(fs.Watched).Reload() // as the list does, which watches the file

	// A command asks the background process by its socket; both are fs.Askers.
	loud, err := OpGreet.Ask(context.Background(), fs.Operations(g.(fs.Operator).Operations()), GreetQuery{Loudly: true})
	fmt.Print(loud)
	fmt.Println(err)

	// Output:
	// changed: hello.txt
	// Hello, world!
	// changed: hello.txt
	// HELLO, ADA!
	// <nil>
}
