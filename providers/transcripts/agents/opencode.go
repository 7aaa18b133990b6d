package agents

func opencode() Agent {
	return Agent{Name: "opencode", Places: func(Machine) []Place { return nil }}
}
