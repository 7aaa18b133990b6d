package agents

func claudeCode() Agent {
	return Agent{Name: "claude-code", Places: func(Machine) []Place { return nil }}
}
