package clients

// windsurf is Windsurf, whose key for an address is "serverUrl".
//
// Source of the format: docs.windsurf.com/windsurf/cascade/mcp.
func windsurf() client {
	a := jsonAgent("windsurf")
	a.files = func(s surroundings) []place { return userFiles(s.at(".codeium", "windsurf", "mcp_config.json")) }
	a.dialect = envDialect
	a.entry = func(k *keys, d *entry, x *expander) {
		k.common(d, x)
		if d.Command == "" && d.URL != "" && !k.has("serverUrl") {
			k.fail(k.value, `"url" is not read by Windsurf: there it is called "serverUrl"`)
		}
		k.remote(d, x, "serverUrl", "headers")
		d.choose("")
		d.Tools.Deny = k.texts("disabledTools")
	}
	return a
}
