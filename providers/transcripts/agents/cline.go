package agents

func cline() Agent {
	return Agent{Name: "cline", Places: func(Machine) []Place { return nil }}
}
