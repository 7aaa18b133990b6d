package server

// Place is whose an instance of a server is. The zero value is that of the instance
// which all share that have none of their own.
type Place struct {
	Project string // the folder of the project; "" is none
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
