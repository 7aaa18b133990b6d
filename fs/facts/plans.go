package facts

import "time"

// Plan is a list of tasks, or a plan that was proposed.
type Plan struct {
	Kind  PlanKind  `json:"kind"`
	State PlanState `json:"state"`
	// Title is what the plan calls itself; it may be "".
	Title string `json:"title,omitempty"`
	// Text is that of a proposed plan: Markdown. Cut is set if it is only the beginning.
	Text string `json:"text,omitempty"`
	Cut  bool   `json:"cut,omitempty"`
	// Said is what the user said against a plan that was rejected.
	Said string `json:"said,omitempty"`
	// Tasks are in their order, those that were dropped from the list last.
	Tasks []Task `json:"tasks,omitempty"`
	// Time is when it was last written or decided; zero where it is not known.
	Time time.Time `json:"time,omitzero"`
}

// PlanKind is what a [Plan] is.
type PlanKind string

// The kinds.
const (
	TaskList PlanKind = "tasks" // an agent's own list of what is to be done
	Proposal PlanKind = "plan"  // a text that a person was asked to accept
)

// PlanState is what became of a [Plan].
type PlanState string

// The states.
const (
	PlanOpen        PlanState = "open"     // a task is open, or the plan is not decided
	PlanAccepted    PlanState = "accepted" // by a person
	PlanRejected    PlanState = "rejected"
	PlanInterrupted PlanState = "interrupted" // before it was decided
	PlanDone        PlanState = "done"        // no task is open
)

// Task is an entry of a list.
type Task struct {
	// ID is the agent's own id of it in this list; it may be "".
	ID    string    `json:"id,omitempty"`
	Text  string    `json:"text"`
	State TaskState `json:"state"`
	// Dropped is set if later versions of the list do not have it any more.
	Dropped bool `json:"dropped,omitempty"`
	// Time is when it came to that state; zero where it is not known.
	Time time.Time `json:"time,omitzero"`
}

// TaskState is the state of a [Task]: one of these, or the agent's own word.
type TaskState string

// The states.
const (
	TaskPending   TaskState = "pending"
	TaskBegun     TaskState = "in_progress"
	TaskDone      TaskState = "completed"
	TaskCancelled TaskState = "cancelled"
)

// IsOpen reports whether a task is still to be done.
func (t Task) IsOpen() bool { return !t.Dropped && t.State != TaskDone && t.State != TaskCancelled }
