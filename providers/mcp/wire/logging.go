package wire

import (
	"context"
	"errors"
)

// LogMessage is a logging message of a server.
type LogMessage struct {
	Level  string // such as "info", see [LogLevels]
	Logger string // "" if the server does not say
	Text   string // the data: a JSON string is decoded, other values are JSON
}

// LogLevels returns the levels of logging messages, the least first: those of
// RFC 5424.
func LogLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// SetLogLevel asks the server for logging messages of that level and above; ""
// leaves the choice to it. A server that has no logging messages is not asked.
func (c *Connection) SetLogLevel(ctx context.Context, level string) error {
	return errors.New("not yet")
}
