package record

import (
	"cmp"
	"time"

	"ctxfs/fs/wording"
)

// store brings the files up to date: first the text, then what describes it.
func (r *Recorder) store(now time.Time) {
	d := &r.dir
	idle := len(r.log.pending) == 0 && len(r.journal.pending) == 0 && !r.dirty && d.fault == nil
	if idle || d.blocked(now) {
		return
	}
	err := r.writeText()
	if err == nil && d.fault != nil {
		r.log.gap()
		err = r.writeText()
	}
	if (err == nil) != (r.meta.Fault == nil) {
		r.meta.Fault, r.dirty = nil, true
		if err != nil {
			r.meta.Fault = &Fault{What: wording.Cause(err).Error(), Since: timestamp(now)}
		}
	}
	if r.dirty {
		if e := r.writeState(); e == nil {
			r.dirty = false
		} else if err == nil {
			err = e
		}
	}
	if err != nil {
		d.failed(now, err)
	} else {
		d.works()
	}
}

// writeText writes the log and the records. If the files were deleted, it continues
// in new ones.
func (r *Recorder) writeText() error {
	if (r.dirty || r.dir.fault != nil) && (r.log.deleted() || !r.dir.exists()) {
		if err := r.recreate(); err != nil {
			return err
		}
	}
	return cmp.Or(r.log.write(), r.journal.write())
}

// writeState writes the header and meta.json.
func (r *Recorder) writeState() error {
	r.meta.Parts = r.log.part
	return cmp.Or(r.log.writeHeader(), r.dir.save(r.meta))
}

// recreate creates the next part if this one was deleted, and the folder too.
func (r *Recorder) recreate() error {
	whole := !r.dir.exists()
	if whole {
		if err := r.dir.recreate(); err != nil {
			return err
		}
		_ = r.journal.close()
		r.replay.end()
		r.screen.text = nil
	}
	deleted := r.log.part
	if err := r.log.next(); err != nil {
		return err
	}
	if r.open != nil && (whole || r.open.at.Part == deleted) {
		r.open.at = Place{r.log.part, HeaderLen, HeaderLines + 1}
	}
	r.dirty = true
	return nil
}
