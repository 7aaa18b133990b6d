package server

// Place is whose an instance of a server is. The zero value is that of the shared
// instance.
type Place struct {
	Project string // the folder of the project, or ""
	Session string // the session of an agent; "" is all of them
}

// String names the place in a sentence.
func (at Place) String() string {
	switch {
	case at.Session == "":
		return at.Project
	case at.Project == "":
		return "session " + at.Session
	}
	return at.Project + ", session " + at.Session
}
