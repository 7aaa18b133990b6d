package transcripts

import (
	"errors"

	"ctxfs/fs/wording"
)

// cacheError is an error of the cache folder: the session that was being
// rendered is not to blame.
type cacheError struct{ error }

func (e *cacheError) Unwrap() error { return e.error }

// cacheFaultOf makes an error one of the cache.
func cacheFaultOf(err error) error {
	if err == nil {
		return nil
	}
	return &cacheError{err}
}

// setCacheFault notes why nothing can be kept, or that it can again: then what
// was left is rendered.
func (p *Provider) setCacheFault(err error) {
	fault, full := "", false
	if err != nil {
		fault, full = "transcripts are not kept: "+p.describeFault(err), isFull(err)
	}
	p.mu.Lock()
	was := p.cacheFault
	p.cacheFault, p.cacheFull = fault, full
	p.mu.Unlock()
	if was == fault {
		return
	}
	p.opts.Env.Changed(indexName)
	if fault == "" && p.opts.Watch {
		p.queue.backlog()
	}
}

// cacheBroken tells whether nothing can be kept at present.
func (p *Provider) cacheBroken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cacheFault != ""
}

// tryCache finds out whether a cache that could not be written can be again.
func (p *Provider) tryCache() {
	if !p.cacheBroken() {
		return
	}
	p.list.mu.Lock()
	p.list.keptVersion = 0
	p.list.mu.Unlock()
	p.keep()
}

// isCacheError tells the faults of the cache from those of a session.
func isCacheError(err error) bool {
	var fault *cacheError
	return errors.As(err, &fault)
}

// mendCache says what can be done. The caller holds p.mu.
func (p *Provider) mendCache() string {
	if p.cacheFull {
		return "free some space, or give max_cache in [transcripts] of " + p.opts.SettingsPath
	}
	return "chmod -R u+rwX " + wording.ShellWord(p.opts.Cache)
}
