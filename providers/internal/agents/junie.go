package agents

// junie describes Junie of JetBrains: part of its editors, and a program for the
// terminal. Only its rules are documented well enough to be read.
//
// Sources: jetbrains.com/help/junie/customize-guidelines.html, and the README of
// JetBrains/junie-guidelines.
func junie() Agent {
	return Agent{
		ID: "junie", Name: "Junie", Home: "~/.junie/",
		Rules: Rules{Places: Places{Project: []string{".junie/AGENTS.md", "AGENTS.md", ".junie/guidelines.md"}}},
	}
}
