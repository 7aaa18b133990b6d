package fusefs

func helpUser(args []string) error { return nil }
