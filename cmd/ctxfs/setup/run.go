package setup

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/setup"
)

// plan plans the changes for some targets; without any to undo everything.
func (r *run) plan(ids []string) (setup.Plan, error) {
	plan := r.home.Plan
	if r.undo {
		plan = r.home.PlanUndo
	}
	return plan(ids, r.opts)
}

// names are the targets as they are named in a command line.
func (r *run) names() (names []string) {
	for _, id := range r.ids {
		if shell, ok := strings.CutPrefix(id, "shell:"); ok {
			names = append(names, "shell", "--shell", shell)
			continue
		}
		names = append(names, id)
	}
	return names
}

// attempts is how often a file that keeps changing is planned again.
const attempts = 5

func (r *run) run(ctx context.Context) error {
	p, err := r.plan(r.ids)
	if err != nil {
		return err
	}
	person := r.person()
	shows := person != nil || r.dryRun || !r.named && !r.yes && !r.undo
	if !r.named && !r.undo && !r.asJSON {
		r.showFound()
	}
	if !r.named && !r.undo && len(r.ids) == 0 && !r.asJSON {
		r.app.Sayf("nothing that setup knows is installed here; what you name is set up all the same")
		return nil
	}
	if shows && !r.asJSON {
		r.showPlan(p)
	}
	switch {
	case r.dryRun:
		return r.finish(ctx, p, nil)
	case !r.named && !r.yes && !r.undo && person == nil:
		if r.asJSON {
			return r.finish(ctx, p, nil)
		}
		return cli.Exit(console.ExitUsage, &control.Fault{
			Message: "nothing was written: no terminal to confirm on",
			Hint:    "name what to set up: ctxfs setup " + strings.Join(append(r.names(), "..."), " ") + "\nor write all of it: ctxfs setup --yes",
		})
	}
	ids := r.ids
	if person != nil && writes(p) > 0 {
		if ids = r.ask(person, p); len(ids) == 0 {
			return nil
		}
		shown := p
		if p, err = r.plan(ids); err != nil {
			return err
		}
		p.Only(shown)
	}
	written, err := r.write(ctx, ids, &p, person)
	if err != nil {
		return err
	}
	return r.finish(ctx, p, written)
}

// write does what is planned. What was changed in the meantime is planned again, and the
// user, if asked before, is asked again. It returns the paths of the files that it wrote.
func (r *run) write(ctx context.Context, ids []string, p *setup.Plan, person *keyboard) (written []string, err error) {
	if r.undo && r.service(*p) {
		if err := disableService(ctx, r.app); err != nil {
			r.app.Notef("%v", err)
		}
	}
	for range attempts {
		changed := false
		for i := range p.Files {
			f := &p.Files[i]
			if f.Err != nil || slices.Contains(written, f.Path) {
				continue
			}
			switch err := r.home.Do(ctx, *f); {
			case errors.Is(err, setup.ErrChanged):
				changed = true
			case err != nil:
				f.Err = err
			case f.Does != "":
				written = append(written, f.Path)
			}
		}
		if !changed {
			break
		}
		old := p.Files
		if *p, err = r.plan(ids); err != nil {
			return written, err
		}
		if person != nil && writes(*p) > 0 {
			r.app.Sayf("\na file was changed in the meantime; now it would be:")
			r.showPlan(*p)
			if !person.agrees("write it? [y/N] ") {
				return written, nil
			}
		}
		for _, f := range old { // the report is about all of them
			if !slices.ContainsFunc(p.Files, func(n setup.File) bool { return n.Path == f.Path }) {
				p.Files = append(p.Files, f)
			}
		}
	}
	for i := range p.Files {
		if f := &p.Files[i]; f.Err == nil && f.Does != "" && !slices.Contains(written, f.Path) {
			f.Err = setup.ErrChanged
		}
	}
	if !r.undo && slices.Contains(ids, "service") && !r.failed(*p, "service") {
		if err := enableService(ctx, r.app); err != nil {
			p.Notes = append(p.Notes, setup.Note{Target: "service", Text: "the unit is there, but " + err.Error(), Failed: true})
		}
	}
	if r.undo && r.service(*p) {
		_ = systemctl(ctx, r.app, "daemon-reload") // the unit is gone; it has been stopped above
	}
	return written, nil
}

// service reports whether the plan is about the service, too.
func (r *run) service(p setup.Plan) bool {
	return slices.ContainsFunc(p.Files, func(f setup.File) bool {
		return f.Err == nil && f.Does != "" && slices.Contains(f.Targets, "service")
	})
}

// failed reports whether a file of a target cannot be changed.
func (r *run) failed(p setup.Plan, target string) bool {
	return slices.ContainsFunc(p.Files, func(f setup.File) bool {
		return f.Err != nil && slices.Contains(f.Targets, target)
	})
}

// writes returns how many files the plan would write.
func writes(p setup.Plan) (n int) {
	for _, f := range p.Files {
		if f.Err == nil && f.Does != "" {
			n++
		}
	}
	return n
}

// finish says what was done, and what is left to do.
func (r *run) finish(ctx context.Context, p setup.Plan, written []string) error {
	var failed []string
	for _, f := range p.Files {
		if f.Err != nil {
			failed = append(failed, f.Path)
		}
	}
	if r.asJSON {
		if err := r.printJSON(p, written); err != nil {
			return err
		}
	} else {
		r.report(ctx, p, written)
	}
	if p.Failed() != nil {
		what, again := "not everything is set up", "ctxfs setup"
		if len(failed) > 0 {
			what = wording.Count(len(failed), "files") + " could not be changed"
		}
		if r.undo {
			again += " --undo"
		}
		return cli.Exit(console.ExitFailed, &control.Fault{
			Message: what,
			Hint:    "repair what is said above, then: " + strings.Join(append([]string{again}, r.names()...), " "),
		})
	}
	return nil
}
