package clients

import (
	"slices"
	"strings"

	"ctxfs/providers/mcp/config"
)

// knownServer is a server whose processes are known to keep certain data, and
// where.
type knownServer struct {
	programs []string // as config.Programs names them
	by       string
	why      string // for STATUS.md
	// with are flags of the command line or variables of the environment, at least
	// one of which must be given; without are those that must not be given.
	with, without []string
}

// keepsNothing is why a server is shared whose tools only pass requests on: it reads
// and writes no files of its folder, does not ask for roots, and no call changes what
// a later one does.
const keepsNothing = "it keeps nothing between calls"

// worksOnFiles is why a server is not shared that works on the files of its folder or
// its roots, as a server that is not known is taken to do.
const worksOnFiles = "it works on the files of the project"

// knownServers are the servers whose processes are known; where two rules fit, the
// first counts. What lets one be shared was read in its source, in the version named.
// Rules for projects only give the reason: without them the server would be treated
// alike. An image of mcp/ is built of the package of that name.
var knownServers = [...]knownServer{
	// server-memory 2026.8.31, dist/index.js: each change reads the whole graph from
	// one file and replaces the file, without a lock. MEMORY_FILE_PATH names another
	// one; a relative path is taken from the package's folder, not from the working
	// directory, so that it is one file for all projects too. An entry that names the
	// workspace in it has a file in each project, and sharing does not come here.
	{
		programs: []string{"npm:@modelcontextprotocol/server-memory", "program:mcp-server-memory", "image:mcp/memory"},
		by:       config.ShareUser, why: "its memory is one file, which two processes would overwrite for each other",
	},
	// server-sequential-thinking 2026.8.31, dist/lib.js: thoughts are appended to a list
	// in memory, whose length and branches are in each answer.
	{
		programs: []string{"npm:@modelcontextprotocol/server-sequential-thinking", "program:mcp-server-sequential-thinking", "image:mcp/sequentialthinking"},
		by:       config.ShareSession, why: "it keeps the thoughts of one session in memory",
	},
	// chrome-devtools-mcp 1.11.0, BrowserManager.js: the browser's profile is
	// ~/.cache/chrome-devtools-mcp/chrome-profile, and a second browser on it fails with
	// "The browser is already running". Not so with a profile for each process, or
	// where the browser is another's.
	{
		programs: []string{"npm:chrome-devtools-mcp", "program:chrome-devtools-mcp"},
		by:       config.ShareUser, why: "its browser has one profile, which a second one cannot open",
		without: []string{"--isolated", "--browserUrl", "--browser-url", "-u", "--wsEndpoint", "--ws-endpoint", "-w", "--autoConnect", "--auto-connect"},
	},
	// @playwright/mcp 0.0.83, README and playwright-core's coreBundle.js: the profile
	// is in a folder named by a hash of the working directory, and can be opened once.
	{
		programs: []string{"npm:@playwright/mcp", "program:playwright-mcp", "program:mcp-server-playwright", "image:mcp/playwright"},
		by:       config.ShareUser, why: "the profile that it is given can be opened by one browser only",
		with: []string{"--user-data-dir", "PLAYWRIGHT_MCP_USER_DATA_DIR"}, without: []string{"--isolated", "PLAYWRIGHT_MCP_ISOLATED"},
	},
	{
		programs: []string{"npm:@playwright/mcp", "program:playwright-mcp", "program:mcp-server-playwright", "image:mcp/playwright"},
		by:       config.ShareProject, why: "its browser has a profile for each project, and its pages stay open between calls",
	},

	// mcp-server-fetch and mcp-server-time, server.py: no state, no files; the time is
	// that of the machine or of --local-timezone.
	{programs: []string{"pypi:mcp-server-fetch", "program:mcp-server-fetch", "image:mcp/fetch"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"pypi:mcp-server-time", "program:mcp-server-time", "image:mcp/time"}, by: config.ShareUser, why: keepsNothing},
	// context7-mcp 4.1.1: reads its own package.json and the certificates that
	// NODE_EXTRA_CA_CERTS names; tavily-mcp 0.2.22, exa-mcp-server 3.4.1, perplexity
	// 1.2.1: read nothing; brave-search 2.1.4: reads the file of its key at the start.
	{programs: []string{"npm:@upstash/context7-mcp", "program:context7-mcp", "image:mcp/context7"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:tavily-mcp", "program:tavily-mcp"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:exa-mcp-server", "program:exa-mcp-server"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:@perplexity-ai/mcp-server", "program:perplexity-mcp"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:@brave/brave-search-mcp-server", "program:brave-search-mcp-server"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:@modelcontextprotocol/server-brave-search", "image:mcp/brave-search"}, by: config.ShareUser, why: keepsNothing},
	// server-slack 2025.4.25, server-github and server-gitlab 2025.4: one request to
	// the API for each call, no state, no files.
	{programs: []string{"npm:@modelcontextprotocol/server-slack", "program:mcp-server-slack", "image:mcp/slack"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:@modelcontextprotocol/server-github", "program:mcp-server-github", "image:mcp/github"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:@modelcontextprotocol/server-gitlab", "program:mcp-server-gitlab", "image:mcp/gitlab"}, by: config.ShareUser, why: keepsNothing},
	// server-postgres 0.6.2: each query is a transaction of its own that only reads and
	// is rolled back; the database is on the command line.
	{programs: []string{"npm:@modelcontextprotocol/server-postgres", "program:mcp-server-postgres", "image:mcp/postgres"}, by: config.ShareUser, why: keepsNothing},
	// github-mcp-server 1.0.0: a tool of dynamic toolsets adds tools for all later
	// calls; all others pass requests on.
	{
		programs: []string{"program:github-mcp-server", "image:ghcr.io/github/github-mcp-server"},
		by:       config.ShareUser, why: keepsNothing, without: []string{"--dynamic-toolsets", "GITHUB_DYNAMIC_TOOLSETS"},
	},
	// linear-mcp-server 0.1.0, stripe 0.3.3 (which passes all on to mcp.stripe.com),
	// supabase 0.13.0: no state, no files. notion 2.5.2: files are sent only by
	// operations with a form, which its API description does not have. sentry
	// 0.36.0: its token is cached in the home folder.
	{programs: []string{"npm:linear-mcp-server", "program:linear-mcp-server"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:@stripe/mcp"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:@supabase/mcp-server-supabase", "program:mcp-server-supabase"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:@notionhq/notion-mcp-server", "program:notion-mcp-server", "image:mcp/notion"}, by: config.ShareUser, why: keepsNothing, without: []string{"OPENAPI_SPEC_PATH"}},
	{programs: []string{"npm:@sentry/mcp-server", "program:sentry-mcp"}, by: config.ShareUser, why: keepsNothing},
	// mcp-grafana 1.6.3 and kubernetes-mcp-server 0.0.57 (containers, Go): clients of an API;
	// which one is on the command line or in the environment, and in the arguments.
	{programs: []string{"program:mcp-grafana", "image:mcp/grafana", "image:grafana/mcp-grafana"}, by: config.ShareUser, why: keepsNothing},
	{programs: []string{"npm:kubernetes-mcp-server", "program:kubernetes-mcp-server"}, by: config.ShareUser, why: keepsNothing},
	// aws-documentation-mcp-server, server_aws.py: pages and searches over HTTP; what
	// it remembers is which results were shown, for its statistics.
	{programs: []string{"pypi:awslabs-aws-documentation-mcp-server"}, by: config.ShareUser, why: keepsNothing},
	// mcp-remote 0.15.1 passes everything on to one server over HTTP; its logins are in
	// the home folder, with a lock.
	{programs: []string{"npm:mcp-remote", "program:mcp-remote"}, by: config.ShareUser, why: "it only passes calls on to a server over HTTP"},

	// server-filesystem: the roots are the folders that it may touch, and replace those
	// of the command line. The others (by their documentation) take relative paths from the working directory,
	// or keep one for later calls, a repository, or processes. git_set_working_dir of
	// git-mcp-server 2.15.3 holds for all later calls of its process: two sessions must
	// not share one even in one project.
	{programs: []string{"npm:@modelcontextprotocol/server-filesystem", "program:mcp-server-filesystem", "image:mcp/filesystem"}, by: config.ShareProject, why: "the folders that it may touch are those of the project"},
	{programs: []string{"npm:@cyanheads/git-mcp-server", "program:git-mcp-server"}, by: config.ShareSession, why: "it keeps the repository that a session works on between calls"},
	{programs: []string{"pypi:mcp-server-git", "program:mcp-server-git", "image:mcp/git"}, by: config.ShareProject, why: worksOnFiles},
	{programs: []string{"git:github.com/oraios/serena", "pypi:serena-agent", "program:serena", "program:serena-mcp-server"}, by: config.ShareProject, why: "it keeps the project that it works on between calls"},
	{programs: []string{"pypi:mcp-server-sqlite", "program:mcp-server-sqlite", "image:mcp/sqlite"}, by: config.ShareProject, why: worksOnFiles},
	{programs: []string{"npm:@wonderwhy-er/desktop-commander", "program:desktop-commander"}, by: config.ShareProject, why: "it runs programs in the project, and keeps them between calls"},
	// figma-developer-mcp 0.13.2 writes images, firecrawl-mcp 3.22.2 reads documents
	// (path.resolve of an argument), eslint 0.3.13 lints files.
	{programs: []string{"npm:figma-developer-mcp", "program:figma-developer-mcp"}, by: config.ShareProject, why: worksOnFiles},
	{programs: []string{"npm:firecrawl-mcp", "program:firecrawl-mcp"}, by: config.ShareProject, why: worksOnFiles},
	{programs: []string{"npm:@eslint/mcp"}, by: config.ShareProject, why: worksOnFiles},
}

// known returns how a process of the entry is shared, if its program is known.
func (e *Entry) known() (config.Sharing, bool) {
	programs := config.Programs(e.Command, e.Args)
	for _, k := range knownServers {
		if slices.ContainsFunc(programs, func(p string) bool { return slices.Contains(k.programs, p) }) &&
			(len(k.with) == 0 || e.gives(k.with)) && !e.gives(k.without) {
			return config.Sharing{By: k.by, Why: k.why}, true
		}
	}
	return config.Sharing{}, false
}

// gives reports whether the entry gives one of the flags or variables.
func (e *Entry) gives(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		if _, ok := e.Env[name]; ok {
			return true
		}
		return slices.ContainsFunc(e.Args, func(arg string) bool {
			return slices.ContainsFunc(strings.Fields(arg), func(word string) bool { // the line of a shell has several
				flag, value, _ := strings.Cut(word, "=")
				return flag == name && value != "false"
			})
		})
	})
}
