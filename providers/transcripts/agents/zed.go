package agents

func zed() Agent {
	return Agent{Name: "zed", Places: func(Machine) []Place { return nil }}
}
