package supervise

import (
	"os"
	"path/filepath"
	"testing"

	"ctxfs/providers/mcp/config"
)

func TestLastWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"node, a module that is missing", `node:internal/modules/cjs/loader:1148
  throw err;
  ^

Error: Cannot find module 'ajv'
Require stack:
- /root/.npm/_npx/0123456789abcdef/node_modules/x/dist/index.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1145:15)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: [
    '/root/.npm/_npx/0123456789abcdef/node_modules/x/dist/index.js'
  ]
}

Node.js v20.20.2
`, "Error: Cannot find module 'ajv'"},
		{"node, an ES module", `file:///srv/server.mjs:3
throw new TypeError("the port is taken");
      ^

TypeError: the port is taken
    at file:///srv/server.mjs:3:7
    at ModuleJob.run (node:internal/modules/esm/module_job:263:25)

Node.js v22.1.0`, "TypeError: the port is taken"},
		{"node, with a code", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /x/y.js\n    at f (a:1:2) {\n  code: 'ERR_MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2\n",
			"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /x/y.js"},
		{"npm, no such package", `npm error code E404
npm error 404 Not Found - GET https://npm.example.com/nope - Not found
npm error 404
npm error 404  'nope@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /root/.npm/_logs/x-debug-0.log
`, "npm error E404: 404 Not Found - GET https://npm.example.com/nope - Not found"},
		{"npm, an old one", "npm ERR! code ENOTEMPTY\nnpm ERR! syscall rename\nnpm ERR! path /a/b\nnpm ERR! dest /a/c\nnpm ERR! errno -39\nnpm ERR! ENOTEMPTY: directory not empty, rename '/a/b' -> '/a/c'\n\nnpm ERR! A complete log of this run can be found in:\nnpm ERR!     /root/.npm/_logs/x.log\n",
			"npm error ENOTEMPTY: directory not empty, rename '/a/b' -> '/a/c'"},
		{"npm notices at the end", "Error: GITHUB_TOKEN is not set\nnpm notice\nnpm notice New major version of npm available! 10.8.2 -> 11.0.0\nnpm notice\n", "Error: GITHUB_TOKEN is not set"},
		{"a warning before", "npm warn deprecated glob@7.2.3: no longer supported\n(node:12) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.\nplease set STRIPE_SECRET_KEY\n", "please set STRIPE_SECRET_KEY"},
		{"python", "Traceback (most recent call last):\n  File \"/x/server.py\", line 3, in <module>\n    main()\nKeyError: 'API_TOKEN'\n", "KeyError: 'API_TOKEN'"},
		{"go", "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:8 +0x1d\nexit status 2\n", "panic: assignment to entry in nil map"},
		{"a program that shows its usage", "Error: required flag \"url\" not set\nUsage:\n  server stdio [flags]\n\nFlags:\n  -h, --help   help for stdio\n", "Error: required flag \"url\" not set"},
		{"a plain end", "starting\nthe token is missing\nbye\n", "the token is missing"},
		{"nothing of a fault", "hello\nthat is all for today\n", "that is all for today"},
		{"only a version", "\n\nNode.js v20.20.2\n", "Node.js v20.20.2"},
		{"nothing", " \n", ""},
	} {
		if got := LastWords(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBrokenNPX(t *testing.T) {
	home := t.TempDir()
	env := []string{"HOME=" + home}
	install := func(cache, hash string) string {
		folder := filepath.Join(cache, "_npx", hash)
		if err := os.MkdirAll(filepath.Join(folder, "node_modules"), 0o700); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	pkg := config.PackageOf("npx", []string{"-y", "@modelcontextprotocol/server-memory"})
	usual := install(filepath.Join(home, ".npm"), "15b07286cbcc3329") // npx's own name for that package
	other := install(filepath.Join(home, "elsewhere"), "0123456789abcdef")
	for _, c := range []struct {
		name, stderr string
		env          []string
		pkg          config.Package
		want         string
	}{
		{"a module", "Error: Cannot find module 'ajv'\nRequire stack:\n- " + other + "/node_modules/x/index.js\n", env, pkg, other},
		{"an ES module", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from " + other + "/node_modules/x/a.js\n", env, pkg, other},
		{"two writers", "npm error ENOTEMPTY: directory not empty, rename '" + usual + "/node_modules/zod' -> '" + usual + "/node_modules/.zod-x'\n", env, pkg, usual},
		{"a program that is not there", "sh: 1: mcp-server-memory: not found\n", env, pkg, usual},
		{"in another cache", "sh: 1: tool: not found\n", append(env, "npm_config_cache="+filepath.Join(home, "elsewhere")), config.PackageOf("npx", []string{"nope"}), ""},
		{"a module of the server itself", "Error: Cannot find module './x'\nRequire stack:\n- /srv/app/index.js\n", env, pkg, ""},
		{"a folder that is not there", "Error: Cannot find module 'a'\n- /x/_npx/0123456789abcdee/node_modules/x\n", env, pkg, ""},
		{"a folder that climbs", "Error: Cannot find module 'a'\n- " + other + "/../../_npx/../_npx/0123456789abcdef/node_modules/x\n", env, pkg, ""},
		{"another fault", "Error: no token\n    at " + other + "/node_modules/x/index.js:1:2\n", env, pkg, ""},
	} {
		if got := BrokenNPX(c.stderr, c.env, c.pkg); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
