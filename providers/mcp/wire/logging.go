package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/mcp/config"
)

// LogMessage is a logging message of a server.
type LogMessage struct {
	Level  string // such as "info", see [config.LogLevels]
	Logger string // "" if the server does not say
	Text   string // the data: a JSON string is decoded, other values are JSON
	// Dropped is how many messages before it were dropped, because too many came.
	Dropped int
}

// usualLevel is the level in the new era, whose servers log nothing unless asked
// to.
const usualLevel = "info"

// SetLogLevel asks the server for logging messages of that level and above; ""
// leaves the choice to it, which in the new era is "info". A server that has no
// logging messages is not asked.
func (c *Connection) SetLogLevel(ctx context.Context, level string) error {
	if level != "" && !slices.Contains(config.LogLevels(), level) {
		return fmt.Errorf("%q is not a level: it is one of %s", level, strings.Join(config.LogLevels(), ", "))
	}
	c.logLevel.Store(&level)
	if level == "" || !c.legacy || c.info.Capabilities.Logging == nil {
		return nil
	}
	_, err := c.Request(ctx, string(mcp.MethodSetLogLevel), map[string]any{"level": level})
	return err
}

// The logging messages of one connection that are taken: so many, and so long
// ones, at once, and as many again in a second. More cost no more than to be
// read.
const (
	logMessages = 500
	logBytes    = 512 << 10
)

// logGate passes on logging messages unless there are too many.
type logGate struct {
	to  func(LogMessage) // or nil
	now func() time.Time

	mu       sync.Mutex
	last     time.Time
	messages float64 // that may still pass
	bytes    float64
	dropped  int
}

// message passes on a message by its parameters, or drops it.
func (g *logGate) message(params json.RawMessage) {
	if g.to == nil {
		return
	}
	dropped, ok := g.pass(len(params))
	if !ok {
		return
	}
	var is struct {
		Level  string          `json:"level"`
		Logger string          `json:"logger"`
		Data   json.RawMessage `json:"data"`
	}
	if json.Unmarshal(params, &is) != nil {
		is.Data = params // it is shown as it came
	}
	var text string
	if json.Unmarshal(is.Data, &text) != nil {
		var compact bytes.Buffer
		if json.Compact(&compact, is.Data) == nil {
			text = compact.String()
		}
	}
	g.to(LogMessage{Level: is.Level, Logger: is.Logger, Text: text, Dropped: dropped})
}

// pass reports whether a message of that many bytes may pass, and how many were
// dropped before it.
func (g *logGate) pass(size int) (dropped int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isFull(size) {
		return 0, false
	}
	g.messages--
	g.bytes -= float64(size)
	dropped, g.dropped = g.dropped, 0
	return dropped, true
}

// drops reports whether a message of that many bytes must be dropped, and counts it
// then.
func (g *logGate) drops(size int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isFull(size)
}

// isFull reports whether a message must be dropped, and counts it then. The caller
// holds mu.
func (g *logGate) isFull(size int) bool {
	now := g.now()
	fresh := 1.0
	if !g.last.IsZero() {
		fresh = min(fresh, max(0, now.Sub(g.last).Seconds()))
	}
	g.last = now
	g.messages = min(logMessages, g.messages+fresh*logMessages)
	g.bytes = min(logBytes, g.bytes+fresh*logBytes)
	full := g.messages < 1 || g.bytes < float64(size)
	if full {
		g.dropped++
	}
	return full
}
