package agents

// aider describes Aider. Its histories are in the repositories where it was run; it
// has no sessions that could be named.
//
// Source: aider.chat/docs/config/options.html.
func aider() Agent {
	return Agent{
		ID: "aider", Name: "Aider",
		Sessions: []Path{"${AIDER_CHAT_HISTORY_FILE}"},
	}
}
