package agents

func codex() Agent {
	return Agent{Name: "codex", Places: func(Machine) []Place { return nil }}
}
