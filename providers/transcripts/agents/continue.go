package agents

func continueDev() Agent {
	return Agent{Name: "continue", Places: func(Machine) []Place { return nil }}
}
