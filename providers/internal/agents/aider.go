package agents

// aider describes Aider. Its histories are in the repositories where it was run; it
// has no sessions that could be named.
//
// Sources: aider.chat/docs/config/options.html, /usage/conventions.html.
func aider() Agent {
	return Agent{
		ID: "aider", Name: "Aider",
		Rules:    Rules{Settings: Places{User: []Path{"~/.aider.conf.yml"}, Project: []string{".aider.conf.yml"}}},
		Sessions: []Path{"${AIDER_CHAT_HISTORY_FILE}"},
	}
}
