package clients

import (
	"slices"
	"time"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/policy"
)

// codex reads the files of Codex, the one client with TOML. Codex expands nothing,
// but has keys that name variables. It does not support SSE. The user's file names
// the projects in which Codex was used.
func codex() client {
	return client{
		agent: agents.ByID("codex"), readEntry: readCodex,
		find: func(r *reader, file syntax.Value) error {
			if projects, _ := file.Get("projects"); r.scope == config.ScopeUser {
				for _, m := range projects.Members {
					if folder, ok := r.projectFolder(m.Name); ok {
						r.projects = append(r.projects, folder)
					}
				}
			}
			return r.below(r, file)
		},
	}
}

func readCodex(k *keys, e *Entry, x *expander) {
	k.process(e, x, "command", "env")
	k.remote(e, x, "url", "http_headers")
	e.Dir = k.text("cwd")
	process := []string{"command", "args", "env", "env_vars", "cwd"}
	http := []string{"url", "bearer_token_env_var", "http_headers", "env_http_headers"}
	switch {
	case k.has("bearer_token"):
		k.fail(k.value, `"bearer_token" is refused by Codex: name a variable in "bearer_token_env_var"`)
	case slices.ContainsFunc(process, k.has) && slices.ContainsFunc(http, k.has):
		k.fail(k.value, "it has keys of a process and of an address, which Codex refuses")
	}
	k.enabled(e, "enabled")
	e.choose("")
	if e.Transport == config.Stdio {
		k.passVariables(e, x)
	} else {
		k.headersFromVariables(e, x)
		k.codexLogin(e, x)
	}
	e.StartTimeout = k.duration("startup_timeout_ms", time.Millisecond)
	if k.has("startup_timeout_sec") {
		e.StartTimeout = k.duration("startup_timeout_sec", time.Second)
	}
	e.CallTimeout = k.duration("tool_timeout_sec", time.Second)
	e.Tools = policy.Filter{Allow: k.texts("enabled_tools"), Deny: k.texts("disabled_tools")}
}

// passVariables reads "env_vars": variables that the process gets as they are, if
// they are set. One is a name, or a table of a name and a source; those with the
// source "remote" belong to another machine.
func (k *keys) passVariables(e *Entry, x *expander) {
	vars, ok := k.value.Get("env_vars")
	if ok && vars.Kind != syntax.Array {
		k.fail(vars, `"env_vars" is %s, not an array`, vars.Kind)
	}
	for _, v := range vars.Items {
		name, _ := v.Get("name")
		if source, _ := v.Get("source"); source.Text == "remote" {
			continue
		}
		if v.Kind == syntax.Text {
			name = v
		}
		if value, ok := x.variable(name.Text); ok && e.Env[name.Text] == "" {
			put(&e.Env, name.Text, value)
		}
	}
}

// headersFromVariables reads the keys that name variables whose values are headers.
func (k *keys) headersFromVariables(e *Entry, x *expander) {
	set := func(key, header, variable, prefix string) {
		value, ok := x.variable(variable)
		if !ok {
			x.key = key
			x.missing(unset{variable: variable, name: variable})
			return
		}
		put(&e.Headers, header, prefix+value)
	}
	for header, variable := range k.table("env_http_headers") {
		set("headers."+header, header, variable, "")
	}
	if variable := k.text("bearer_token_env_var"); variable != "" {
		set("headers.Authorization", "Authorization", variable, "Bearer ")
	}
}
