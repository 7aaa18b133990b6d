package control

import "errors"

// Fault is an error for people: what is wrong, and what to do about it. It
// crosses the control socket unchanged.
type Fault struct {
	Message string `json:"message"`
	// Hint is a line of its own, usually a command; it may be empty.
	Hint string `json:"hint,omitempty"`
}

func (f *Fault) Error() string { return f.Message }

// fault returns err as a Fault.
func fault(err error) *Fault {
	if f := (*Fault)(nil); errors.As(err, &f) {
		return f
	}
	return &Fault{Message: err.Error()}
}
