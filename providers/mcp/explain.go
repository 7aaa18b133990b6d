package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
)

// lostError says that a server went away that had been ready.
type lostError struct{ cause error }

func (e *lostError) Error() string {
	if e.cause == nil {
		return "the server has ended"
	}
	return trimURL(e.cause).Error()
}

func (e *lostError) Unwrap() error { return e.cause }

// endedError says that the server's process ended by itself.
type endedError struct {
	status string
	cause  error
}

func (e *endedError) Error() string { return e.status }
func (e *endedError) Unwrap() error { return e.cause }

// lastWordsShown is how much of the last line of a server's standard error is
// told wherever the error is, in bytes.
const lastWordsShown = 160

// ending completes an error with how the process ended, if that is why. It is
// called before the connection is closed, which ends every process.
func (c *connection) ending(err error, t timing) error {
	var lost *lostError
	switch {
	case c.process == nil || !hasEnded(err) && !errors.As(err, &lost):
		return err
	case c.process.Await(t.eof):
		return &endedError{status: c.process.Status(), cause: err}
	case hasEnded(err):
		return errMute
	}
	return err
}

// explain puts into words why a server cannot be used, and how to mend it.
func (s *server) explain(d *config.Server, c *connection, err error, limits supervise.Limits) condition {
	entry := "the entry " + d.QuotedName() + " in " + d.File
	s.mu.Lock()
	file := s.file
	s.mu.Unlock()
	again := "ctxfs restart " + file
	is := condition{state: config.StateError, mend: again, remarks: s.remarks(d, c)}

	var (
		start   *supervise.Fault
		slow    *slowError
		ended   *endedError
		lost    *lostError
		version mcp.UnsupportedProtocolVersionError
		stored  *oauth.Fault
	)
	switch {
	case errors.As(err, &start):
		is.what, is.mend = start.What, start.Hint+" in "+entry+", then: "+again
		if start.Remark != "" {
			is.remarks = append(is.remarks, start.Remark)
		}
	case c.output != nil && c.output.tooLong():
		is.what = fmt.Sprintf("it wrote a message of more than %d MiB", maxLine>>20)
	case c.http.needsLogin() != nil:
		needsLogin(&is, c.http.needsLogin(), file, entry)
	case errors.As(err, &stored):
		// To try again by itself would ask for the keyring's password each time.
		is.state, is.what, is.mend = stateNeedsAuth, stored.What, stored.Mend+", then: "+again
	case errors.Is(err, transport.ErrAuthorizationRequired), c.http != nil && c.http.lastStatus() == http.StatusUnauthorized:
		is.state = stateNeedsAuth
		is.what = "the server wants authorization (HTTP status 401)"
		is.mend = "put a valid token into the `headers` of " + entry + ", then: " + again
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		is.what = "no answer within " + wording.Seconds(limits.Idle)
		is.mend = again + "; if it needs longer, " + s.moreTime(d, "start_timeout")
		if d.Transport != config.Stdio {
			break
		}
		if errors.As(err, &slow) && slow.tooLong {
			is.what = "no answer within " + wording.Seconds(limits.Total) + ", though it worked all the time"
			is.mend = again + "; if it needs longer, " + s.moreTime(d, "install_timeout")
			if last := s.line(d, supervise.LastWords(s.lastWords(d, c)), lastWordsShown); last != "" {
				is.what += "; its last words: " + last
			}
			break
		}
		if errors.As(err, &slow) && slow.took > 2*limits.Idle {
			is.what = "no answer after " + wording.Seconds(slow.took.Round(time.Second)) + ", and no progress for " + wording.Seconds(limits.Idle)
		}
		if n, first := c.output.strays(); n > 0 {
			is.what += fmt.Sprintf("; it writes text instead, such as %q", s.line(d, first[0], strayLength))
			is.mend = "see that " + entry + " starts an MCP server, with the right arguments, then: " + again
		} else {
			is.remarks = append(is.remarks, "the command runs but does not answer on its standard output: is it an MCP server, with these arguments, and does it wait for the network?")
		}
	case errors.As(err, &ended):
		is.what = ended.status
		if !errors.As(err, &lost) {
			is.what += ", before it answered"
		}
		words := s.lastWords(d, c)
		if last := clean.Line(supervise.LastWords(words)); last != "" {
			is.what += "; its last words: " + clean.Cut(last, lastWordsShown)
			is.mend = "ctxfs cat mcps/" + file + "/STATUS.md shows the end of its standard error; then: " + again
			is.mendHere = "see the end of its standard error below, then: " + again
		}
		if folder := s.brokenInstall(d, words); folder != "" {
			is.what = "the installation of its package by npx is broken (" + is.what + ")"
			is.mend, is.mendHere = "rm -rf "+wording.ShellWord(wording.Tilde(folder, s.p.opts.Home))+", then: "+again, ""
		}
	case errors.Is(err, errDeaf):
		is.what = errDeaf.Error()
	case errors.As(err, &version) && version.Version == "":
		is.what = "its answer to the handshake names no version of the protocol"
		is.mend = "see that " + entry + " starts an MCP server, then: " + again
	case errors.As(err, &version):
		is.what = fmt.Sprintf("the server speaks version %s of the protocol; ctxfs speaks %s", version.Version, strings.Join(mcp.ValidProtocolVersions, ", "))
		is.mend = "update the server or ctxfs, then: " + again
	case c.http != nil && c.http.failure() != "":
		is.what = c.http.failure()
		is.mend = "check the url and the `headers` of " + entry + ", then: " + again
	case c.http != nil && unreachable(err) != nil:
		is.what = d.Address() + " cannot be reached: " + unreachable(err).Error()
		is.mend = "see that it runs, check the url of " + entry + ", then: " + again
	default:
		is.what = trimURL(err).Error()
	}
	is.what = clean.Cut(clean.Line(s.tidy(d, is.what)), 1000)
	if c != nil && c.process != nil {
		is.stderr = s.lastWords(d, c)
	}
	return is
}

// moreTime is how a server is given longer to start.
func (s *server) moreTime(d *config.Server, key string) string {
	return "raise its `" + key + "` (in seconds) in ctxfs's own config.toml, below [mcp.servers." + clean.Line(settings.Key(d.Name)) + "]"
}

// brokenInstall is the folder of a broken installation of npx that the server
// has failed by; "" if that is not why.
func (s *server) brokenInstall(d *config.Server, words string) string {
	return supervise.BrokenNPX(words, config.Environ(s.p.opts.LookupEnv, s.p.opts.Home, d.Env), supervise.PackageOf(d.Command, d.Args))
}

// trimURL takes the address out of an error of net/http: it may hold a token.
func trimURL(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// unreachable is why a server could not even be asked, or nil.
func unreachable(err error) error {
	var ask *url.Error
	var op *net.OpError
	switch {
	case errors.As(err, &op):
		return op.Err // without the address, which is told already
	case errors.As(err, &ask):
		return ask.Err
	}
	return nil
}

// answeredError is an error with which a server answered a request.
type answeredError struct {
	method, message string
	code            int
}

func (e *answeredError) Error() string {
	return fmt.Sprintf("%s: the server answered: %s (code %d)", e.method, e.message, e.code)
}

// unknownMethod tells whether the server does not know the request.
func unknownMethod(err error) bool {
	var answered *answeredError
	return errors.As(err, &answered) && answered.code == mcp.METHOD_NOT_FOUND
}

// lastWords is the end of a process's standard error, fit to be shown. Where it
// does not begin with a line, as much is left out as a secret could be long.
func (s *server) lastWords(d *config.Server, c *connection) string {
	margin := 0
	for _, secret := range d.Secrets {
		margin = max(margin, len(secret))
	}
	return s.tidy(d, c.process.Stderr.Text(margin))
}
