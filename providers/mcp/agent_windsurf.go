package mcp

// windsurf is Windsurf, whose key for an address is "serverUrl".
//
// Source of the format: docs.windsurf.com/windsurf/cascade/mcp.
func windsurf() agent {
	a := jsonAgent("windsurf")
	a.files = func(s surroundings) []place { return userFiles(s.at(".codeium", "windsurf", "mcp_config.json")) }
	a.dialect = envDialect
	a.entry = func(e *entry, d *definition, x *expander) {
		e.common(d, x)
		if d.command == "" && d.url != "" && !e.has("serverUrl") {
			e.fail(e.value, `"url" is not read by Windsurf: there it is called "serverUrl"`)
		}
		e.remote(d, x, "serverUrl", "headers")
		d.choose("")
		d.tools.Deny = e.texts("disabledTools")
	}
	return a
}
