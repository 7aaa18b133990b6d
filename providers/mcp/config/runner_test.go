package config

import (
	"strings"
	"testing"
)

func TestPackageOf(t *testing.T) {
	same := func(runner string, packages ...string) Package {
		return Package{strings.Join(append([]string{runner}, packages...), "\x00"), true}
	}
	for _, c := range []struct {
		line string
		want Package
	}{
		{"npx -y pkg@latest --token x", same("npx", "pkg@latest")},
		{"/usr/bin/npx --yes pkg@latest /other/folder", same("npx", "pkg@latest")},
		{"npx -y -p b -p a tool", same("npx", "a", "b")},
		{"npx --package=a tool", same("npx", "a")},
		{"npm exec -y pkg -- --flag", same("npm", "pkg")},
		{"bunx pkg", same("bunx", "pkg")},
		{"bun x pkg", same("bun", "pkg")},
		{"pnpm dlx pkg", same("pnpm", "pkg")},
		{"yarn dlx pkg", same("yarn", "pkg")},
		{"uvx --from git+https://host/x tool", same("uvx", "git+https://host/x")},
		{"uvx --python 3.12 pkg", same("uvx", "pkg")},
		{"uv tool run pkg", same("uv", "pkg")},
		{"pipx run pkg", same("pipx", "pkg")},
		{"docker run -i --rm -e TOKEN image:tag --x", same("docker", "image:tag")},
		{"node /srv/npx/server.js", Package{Key: "node\x00/srv/npx/server.js"}},
		{"npm run server", Package{Key: "npm\x00run\x00server"}},
	} {
		fields := strings.Fields(c.line)
		if got := PackageOf(fields[0], fields[1:]); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.line, got, c.want)
		}
		if !c.want.Runner {
			continue
		}
		for _, shell := range [][]string{{"sh", "-c"}, {"/bin/bash", "-lc"}, {"zsh", "-l", "-c"}} {
			for _, line := range []string{c.line, "cd /srv && exec " + c.line, `"` + c.line + `"`} {
				if got := PackageOf(shell[0], append(shell[1:], line)); got != c.want {
					t.Errorf("%s %s: %+v, want %+v", shell, line, got, c.want)
				}
			}
		}
	}
}
