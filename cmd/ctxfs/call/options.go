package call

// Option is an option of the command.
type Option struct {
	Name  string
	Value string // the name of its value; "" where it has none
	About string
}

// Options returns the options of the command itself. Before the tool they are
// always that. Behind it one that is called like an argument of the tool is the
// argument, and behind "--" everything is the tool's; but --help or -h without
// anything else for the tool always asks for help, since who asks for it does not
// want the tool to be called.
func Options() []Option {
	return []Option{
		{"json", "", "print the server's whole answer as JSON"},
		{"yes", "", "call it although it asks for confirmation"},
		{"max-bytes", "N", "longer results go to a file (0: none does; default 12000)"},
		{"timeout", "DURATION", "give up after so long without news of it (90s, 10m)"},
		{"help", "", "show its arguments"},
	}
}
