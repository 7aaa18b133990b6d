package guard

// Command is the first argument of the program that runs [Main].
const Command = "guard"

// Connection is the connection of a mount to the kernel.
type Connection struct {
	// FD is a descriptor of it.
	FD int
	// Minor is its number among all connections: the minor number of the device
	// in the mount table.
	Minor string
	// Dir is where it was mounted.
	Dir string
}
