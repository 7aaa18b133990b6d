package fusefs

// Kernel requests that are counted, in the order of the kernel's names.
const (
	opLookup = iota
	opForget
	opGetattr
	opSetattr
	opReadlink
	opOpen
	opRead
	opWrite
	opStatfs
	opFlush
	opOpendir
	opReaddir
	opReaddirplus
	opAccess
	opCreate
	opRefused
	opCount
)

var opNames = [opCount]string{
	"LOOKUP", "FORGET", "GETATTR", "SETATTR", "READLINK", "OPEN", "READ", "WRITE", "STATFS",
	"FLUSH", "OPENDIR", "READDIR", "READDIRPLUS", "ACCESS", "CREATE", "REFUSED",
}

func (r *raw) count(op int) { r.counts[op].Add(1) }

// Requests returns how many requests of each kind the kernel has sent. Those
// that would change the tree and were refused count as REFUSED; FORGET counts
// inodes.
func (m *Mount) Requests() map[string]uint64 {
	counts := make(map[string]uint64, opCount)
	for op, name := range opNames {
		if n := m.raw.counts[op].Load(); n > 0 {
			counts[name] = n
		}
	}
	return counts
}
