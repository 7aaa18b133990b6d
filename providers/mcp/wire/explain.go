package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/lines"
	"ctxfs/providers/mcp/supervise"
)

// strayLength is the length up to which a line is shown that is not a message, in bytes.
const strayLength = 200

// LastWordsShown is how much of the last line of a server's standard error is
// shown with an error, in bytes.
const LastWordsShown = 160

// Explainer is what [Connection.Explain] needs to know besides the connection.
type Explainer struct {
	Folder string // the name of the server's folder
	Def    *config.Server
	Limits supervise.Limits
	Home   string
	// Environ returns the environment of the user.
	Environ func() []string
	// Clean removes secrets and control characters from a text from outside.
	Clean func(text string) string
}

// line cleans and shortens a line from outside. Secrets are removed before it is
// cut, since a piece of one would stay.
func (x *Explainer) line(text string, limit int) string {
	return clean.Cut(clean.Line(x.Clean(text)), limit)
}

// moreTime returns how to give a server more time to start.
func (x *Explainer) moreTime(key string) string {
	return "raise its `" + key + "` (in seconds) in ctxfs's own config.toml, below [mcp.servers." + clean.Line(settings.Key(x.Def.Name)) + "]"
}

// StateNeedsAuth is the state of a server that requires a login or a token.
const StateNeedsAuth = "needs-auth"

// Failure is why a server cannot be used, in words for its STATUS.md.
type Failure struct {
	State string // config.StateError or StateNeedsAuth
	What  string // one line
	Fix   string // the command or change that fixes it
	// FixHere replaces Fix in STATUS.md itself, which shows the standard error;
	// "" is Fix.
	FixHere string
	Stderr  string // the end of its standard error, clean
	Remarks []string
}

// Explain returns why the server cannot be used because of an error, and how to
// fix it.
func (c *Connection) Explain(err error, x Explainer) Failure {
	d := x.Def
	entry := d.EntryText()
	again := "ctxfs restart " + x.Folder
	is := Failure{State: config.StateError, Fix: again, Remarks: c.Remarks(x.line)}

	var (
		start   *supervise.Fault
		slow    *slowError
		ended   *endedError
		lost    *lostError
		version mcp.UnsupportedProtocolVersionError
		stored  *oauth.Fault
	)
	npm, log := "", ""
	if c.Process != nil && !rounds.IsClosed(c.shaken) {
		npm, log = c.Process.NPMFailure(config.PackageOf(d.Command, d.Args))
	}
	switch {
	case errors.As(err, &start):
		is.What, is.Fix = start.What, start.Hint+" in "+entry+", then: "+again
		if start.Remark != "" {
			is.Remarks = append(is.Remarks, start.Remark)
		}
	case c.output != nil && c.output.TooLong():
		is.What = fmt.Sprintf("it wrote a message of more than %d MiB", lines.MaxLine>>20)
	case c.http.needsLogin() != nil:
		is.needsLogin(c.http.needsLogin(), x.Folder, entry)
	case errors.As(err, &stored):
		// Retrying by itself would ask for the keyring's password each time.
		is.State, is.What, is.Fix = StateNeedsAuth, stored.What, stored.Mend+", then: "+again
	case errors.Is(err, transport.ErrAuthorizationRequired), c.http != nil && c.http.lastStatus() == http.StatusUnauthorized:
		is.State = StateNeedsAuth
		is.What = "the server requires authorization (HTTP status 401)"
		is.Fix = "put a valid token into the `headers` of " + entry + ", then: " + again
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		is.What = "no answer within " + wording.Seconds(x.Limits.Idle)
		is.Fix = again + "; if it needs longer, " + x.moreTime("start_timeout")
		if d.Transport != config.Stdio {
			break
		}
		if errors.As(err, &slow) && slow.tooLong {
			is.What = "no answer within " + wording.Seconds(x.Limits.Total) + ", though it worked all the time"
			is.Fix = again + "; if it needs longer, " + x.moreTime("install_timeout")
			if last := x.line(supervise.LastWords(c.lastWords(&x)), LastWordsShown); last != "" {
				is.What += "; its last output: " + last
			}
			break
		}
		if errors.As(err, &slow) && slow.took > 2*x.Limits.Idle {
			is.What = "no answer after " + wording.Seconds(slow.took.Round(time.Second)) + ", and no progress for " + wording.Seconds(x.Limits.Idle)
		}
		if n, first := c.output.Strays(); n > 0 {
			is.What += fmt.Sprintf("; it writes text instead, such as %q", x.line(first[0], strayLength))
			is.Fix = "see that " + entry + " starts an MCP server, with the right arguments, then: " + again
		} else if npm == "" {
			is.Remarks = append(is.Remarks, "the command runs but does not answer on its standard output: is it an MCP server, with these arguments, and does it wait for the network?")
		}
	case errors.As(err, &ended):
		is.What = ended.status
		if !errors.As(err, &lost) {
			is.What += ", before it answered"
		}
		words := c.lastWords(&x)
		if last := clean.Line(supervise.LastWords(words)); last != "" {
			is.What += "; its last output: " + clean.Cut(last, LastWordsShown)
			is.Fix = "ctxfs cat mcps/" + x.Folder + "/STATUS.md shows the end of its standard error; then: " + again
			is.FixHere = "see the end of its standard error below, then: " + again
		}
		if folder := supervise.BrokenNPX(words, config.Environ(x.Environ(), x.Home, x.Def.Env), config.PackageOf(x.Def.Command, x.Def.Args)); folder != "" {
			is.What = "the installation of its package by npx is broken (" + is.What + ")"
			is.Fix, is.FixHere = "rm -rf "+wording.ShellWord(wording.Tilde(folder, x.Home))+", then: "+again, ""
		}
	case errors.Is(err, lines.ErrDeaf):
		is.What = lines.ErrDeaf.Error()
	case errors.As(err, &version) && version.Version == "":
		is.What = "its answer to the handshake names no version of the protocol"
		is.Fix = "see that " + entry + " starts an MCP server, then: " + again
	case errors.As(err, &version):
		is.What = fmt.Sprintf("the server speaks version %s of the protocol; ctxfs speaks %s", version.Version, strings.Join(mcp.ValidProtocolVersions, ", "))
		is.Fix = "update the server or ctxfs, then: " + again
	case c.http != nil && c.http.failure() != "":
		is.What = c.http.failure()
		is.Fix = "check the url and the `headers` of " + entry + ", then: " + again
	case c.http != nil && unreachable(err) != nil:
		is.What = d.Address() + " cannot be reached: " + unreachable(err).Error()
		is.Fix = "see that it runs, check the url of " + entry + ", then: " + again
	default:
		is.What = WithoutAddress(err).Error()
	}
	if npm != "" && !strings.Contains(is.What, npm[strings.LastIndexByte(npm, ' ')+1:]) {
		is.What += "; npm says: " + npm + ", see " + wording.Tilde(log, x.Home)
	}
	is.What = clean.Cut(clean.Line(x.Clean(is.What)), 1000)
	if c.Process != nil {
		is.Stderr = c.lastWords(&x)
	}
	return is
}

// needsLogin records that the server requires a login, or another one.
func (is *Failure) needsLogin(n *oauth.Needed, folder, entry string) {
	is.State, is.What = StateNeedsAuth, n.Reason
	is.Fix = "ctxfs auth " + folder
	if !n.Certain {
		is.Fix += "; if the server takes a token instead, put it into the `headers` of " + entry + ", then: ctxfs restart " + folder
	}
}

// Remarks returns a remark on what the server has printed besides messages, if it
// has.
func (c *Connection) Remarks(line func(text string, limit int) string) []string {
	if c.output == nil {
		return nil
	}
	n, first := c.output.Strays()
	if n == 0 {
		return nil
	}
	for i := range first {
		first[i] = fmt.Sprintf("%q", line(first[i], strayLength))
	}
	return []string{fmt.Sprintf("%s of text on its standard output, where only messages of the protocol belong, such as %s",
		wording.Count(n, "lines"), strings.Join(first, ", "))}
}

// lastWords returns the end of the process's standard error, cleaned. If it does
// not begin at the start of a line, the length of the longest secret is left out:
// it may begin within one.
func (c *Connection) lastWords(x *Explainer) string {
	margin := 0
	for _, secret := range x.Def.Secrets {
		margin = max(margin, len(secret))
	}
	return x.Clean(c.Process.Stderr.Text(margin))
}
