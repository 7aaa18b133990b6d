package clients

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/policy"
)

// gemini is the Gemini CLI. Of one name that of the system's settings wins,
// then the project's, then the user's. To it a variable that is not set stays
// as it is written; here it is a fault.
//
// Source of the format: geminicli.com/docs/tools/mcp-server.
func gemini() client {
	return client{
		name: "gemini",
		files: func(s surroundings) []place {
			system, ok := s.lookup("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
			if !ok || !filepath.IsAbs(system) {
				system = "/etc/gemini-cli/settings.json"
			}
			user := filepath.Join(s.folder("GEMINI_CLI_HOME"), ".gemini", "settings.json")
			return []place{{path: system, scope: config.ScopeSystem}, {path: user, scope: config.ScopeUser}}
		},
		project: []string{".gemini/settings.json"},
		layers:  true,
		parse:   jsonc.Parse,
		find:    findGemini,
		dialect: geminiDialect,
		entry: func(k *keys, d *entry, x *expander) {
			k.common(d, x)
			k.geminiLogin(d, x)
			kind := k.text("type")
			if address := k.text("httpUrl"); address != "" {
				d.URL, kind = x.text("url", address), "http"
			} else if d.URL != "" && d.Command == "" {
				kind = cmp.Or(kind, "sse")
			}
			k.choose(d, kind)
			d.CallTimeout = k.duration("timeout", time.Millisecond)
			d.Tools = policy.Filter{Allow: geminiTools(k.texts("includeTools")), Deny: k.texts("excludeTools")}
		},
	}
}

// findGemini finds the servers, and those that the settings leave out.
func findGemini(r *reader, file syntax.Value) error {
	if err := below("mcpServers")(r, file); err != nil {
		return err
	}
	names := func(key string) (names []string, ok bool) {
		list, ok := file.At("mcp", key)
		for _, name := range list.Items {
			names = append(names, name.Text)
		}
		return names, ok && list.Kind == syntax.Array
	}
	allowed, some := names("allowed")
	excluded, _ := names("excluded")
	for _, d := range r.entries {
		switch {
		case slices.Contains(excluded, d.Name):
			d.Disabled, d.EnableHint = true, "take "+d.QuotedName()+" out of `mcp.excluded` in "+r.path
		case some && !slices.Contains(allowed, d.Name):
			d.Disabled, d.EnableHint = true, "add "+d.QuotedName()+" to `mcp.allowed` in "+r.path
		}
	}
	return nil
}

// geminiTools are the names of tools, of which Gemini also takes "tool(args)".
func geminiTools(tools []string) []string {
	for i, t := range tools {
		tools[i], _, _ = strings.Cut(t, "(")
	}
	return tools
}
