package build

import (
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// javascript reads package.json and deno.json.
func (f *folder) javascript() {
	if f.has("package.json") {
		if doc, err := jsonc.Parse([]byte(f.text("package.json"))); err == nil {
			f.packageJSON(doc)
		}
	}
	if name := f.first("deno.json", "deno.jsonc"); name != "" {
		if doc, err := jsonc.Parse([]byte(f.text(name))); err == nil {
			f.scripts(doc, "tasks", "deno task ", name)
			f.add(Test, fromConvention, "deno test", name, 0, "")
		}
	}
}

func (f *folder) packageJSON(doc syntax.Value) {
	manager, source := f.packageManager(doc)
	f.scripts(doc, "scripts", manager+" run ", "package.json")
	f.add(Install, fromConvention, manager+" install", source, 0, "")
}

// packageManager returns the program that installs the packages of a package.json, and
// which file says so.
func (f *folder) packageManager(doc syntax.Value) (manager, source string) {
	if named, ok := doc.Get("packageManager"); ok {
		switch name, _, _ := strings.Cut(named.Text, "@"); name {
		case "npm", "pnpm", "yarn", "bun":
			return name, "package.json"
		}
	}
	for _, l := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}, {"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"}} {
		if f.has(l[0]) {
			return l[1], l[0]
		}
	}
	return "npm", "package.json"
}

// scripts reads an object of scripts, whose names say what they are for.
func (f *folder) scripts(doc syntax.Value, key, run, source string) {
	all, _ := doc.Get(key)
	for _, m := range all.Members {
		p, more, ok := namedFor(m.Name)
		if !ok || strings.Contains(m.Value.Text, "no test specified") || !isPlain(m.Name) {
			continue // the test that npm init writes
		}
		if m.Name == "install" && source == "package.json" {
			continue // npm install runs it
		}
		if strings.HasPrefix(m.Name, "check") {
			p = Lint // of scripts, unlike of make
		}
		f.add(p, fromScript+more, shorter(run+m.Name), source, m.Value.Line, "")
	}
}

// shorter returns a command as people write it: "npm test" for "npm run test". Of bun that
// would be another one.
func shorter(command string) string {
	for _, manager := range []string{"npm", "pnpm", "yarn"} {
		for _, script := range []string{"test", "start"} {
			if command == manager+" run "+script {
				return manager + " " + script
			}
		}
	}
	return command
}
