package guard

// State is what is left of a process.
type State int

const (
	// Alive is a process of which at least one thread has not been killed,
	// however slow it is, or whose state cannot be found out.
	Alive State = iota
	// Dying is a process that was killed, or is ending, and whose threads have
	// not all ended. It never runs its program again.
	Dying
	// Gone is a process without threads that could hold anything.
	Gone
)
