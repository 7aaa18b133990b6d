package fact

import (
	"bytes"
	"strings"
)

// Version is one side of a merge that git could not finish.
type Version struct {
	// Label is what git calls the side, such as "HEAD"; "" for a whole file.
	Label string
	File  []byte
}

// Versions takes apart a file in which git has left the marks of a conflict (gitmerge,
// "How conflicts are presented"): ours first, then theirs. A file without marks is one
// version.
func Versions(file []byte) []Version {
	if !bytes.Contains(file, []byte("<<<<<<< ")) {
		return []Version{{File: file}}
	}
	const both, ours, base, theirs = 0, 1, 2, 3
	var a, b strings.Builder
	labels := [2]string{"ours", "theirs"}
	side, conflicts := both, 0
	for line := range strings.Lines(string(file)) {
		mark := strings.TrimRight(line, "\r\n")
		switch {
		case side == both && strings.HasPrefix(mark, "<<<<<<< "):
			side, labels[0] = ours, strings.TrimSpace(mark[8:])
			conflicts++
		case side == ours && (strings.HasPrefix(mark, "||||||| ") || mark == "|||||||"):
			side = base
		case (side == ours || side == base) && mark == "=======":
			side = theirs
		case side == theirs && strings.HasPrefix(mark, ">>>>>>> "):
			side, labels[1] = both, strings.TrimSpace(mark[8:])
		default:
			if side == both || side == ours {
				a.WriteString(line)
			}
			if side == both || side == theirs {
				b.WriteString(line)
			}
		}
	}
	if side != both || conflicts == 0 { // no marks of git: a text about them
		return []Version{{File: file}}
	}
	return []Version{{labels[0], []byte(a.String())}, {labels[1], []byte(b.String())}}
}
