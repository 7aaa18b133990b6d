package agents

// continueDev describes Continue. CONTINUE_GLOBAL_DIR moves all that it keeps.
//
// Source: docs.continue.dev/customize/deep-dives/rules; sessions as its reader
// has them.
func continueDev() Agent {
	const home = "${CONTINUE_GLOBAL_DIR:-~/.continue}/"
	return Agent{
		ID: "continue", Name: "Continue", Home: home,
		Skills:   Skills{Places: Places{User: []Path{home + "skills"}, Project: []string{".continue/skills"}}},
		Rules:    Rules{Places: Places{User: []Path{home + "rules/**/*.md"}, Project: []string{".continue/rules/**/*.md"}}},
		Sessions: []Path{home + "sessions"},
	}
}
