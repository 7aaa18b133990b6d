package facts

import (
	"context"
	"iter"
	"time"
)

// PlanSource is a provider that knows what agents and people have planned: lists of tasks,
// and plans that were proposed.
type PlanSource interface {
	// Plans yields every part of what the provider knows, such as a session, once, in
	// any order. Known returns the version of a part that the caller has already, or "":
	// of a part that still has it, Plans may leave out the plans. What Plans does not
	// yield is gone. It reads local files, and ends with ctx, after which what it has
	// yielded is incomplete. It is called after the provider has changed, by one
	// goroutine at a time.
	Plans(ctx context.Context, known func(name string) (version string)) iter.Seq[PlanPart]
	// PlansKnown waits until there is nothing more to be found and read for Plans, at
	// most until ctx ends, and reports whether that is so.
	PlansKnown(ctx context.Context) bool
}

// PlanPart is a part of what a provider knows of plans.
type PlanPart struct {
	// Name identifies the part, among all providers'.
	Name string
	// Version is another one when the plans may be others. It may be another one where
	// they are Unchanged, too.
	Version string
	// Path is where in the provider's folder the plans were made, or "".
	Path string
	// Agent and Session are the ids of the agent and of its session, Title what that is
	// called, Dir the absolute path of the folder that it worked in; each may be "".
	Agent, Session, Title, Dir string
	// Subagent reports whether another session has started this one: its lists are its
	// own, and it has no Plans.
	Subagent bool
	// Time is when the part last changed.
	Time time.Time
	// Plans are without secrets, the oldest first. They are not set where Unchanged is.
	Plans     []Plan
	Unchanged bool
}

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
	PlanOpen        PlanState = "open"     // a task is open, or nobody has decided
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
