package quick

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	// OpHook is the name of the operation that answers a [Hook].
	OpHook = "hook"
	// Patience is how long a hook may take, unless the configuration gives another time.
	// An agent that waits longer is told nothing.
	Patience = time.Second
	// MaxInput is the limit in bytes for an input. The longest thing that agents send is the
	// output of a tool; of a longer one nothing is answered.
	MaxInput = 8 << 20
)

// Hook is one run of a hook. Its texts go as base64, which needs no escapes.
type Hook struct {
	// Agent and Event are the words of the command line, Input is standard input, Dir the
	// working folder.
	Agent []byte `json:"agent"`
	Event []byte `json:"event"`
	Input []byte `json:"input"`
	Dir   []byte `json:"dir"`
	// Home is the home folder, whose process is asked.
	Home []byte `json:"home"`
	// Timeout is how long the whole may take, in milliseconds.
	Timeout int64 `json:"timeout"`
}

func (h Hook) line() []byte {
	return line(OpHook, []member{{"agent", h.Agent}, {"event", h.Event}, {"input", h.Input}, {"dir", h.Dir}, {"home", h.Home}}, "timeout", h.Timeout)
}

// IsHook reports whether the arguments of the program are those of a hook, and not a
// question for help or for what hooks have told.
func IsHook(args []string) bool {
	return len(args) > 2 && args[1] == "hook" && !strings.HasPrefix(args[2], "-")
}

// answerHook answers a hook and ends the program, unless the rest of it is needed: before and
// after a compaction, where no background process runs. That is then given the input
// again, and what is left of the time.
//
// Whatever fails, it prints nothing and exits with 0: another exit code, which is also
// that of a panic, may stop the agent.
func answerHook() {
	defer func() {
		if recover() != nil {
			os.Exit(0)
		}
	}()
	over := time.AfterFunc(Patience, func() { os.Exit(0) })
	config, _ := os.ReadFile(configOf(os.Getenv))
	timeout := timeoutOf(config)
	over.Reset(timeout)
	if answered, reply := runHook(os.Args[2:], timeout); answered {
		reply.print()
	}
}

// configOf returns the path of the configuration, as package places finds it.
func configOf(getenv func(string) string) string {
	base := getenv("XDG_CONFIG_HOME")
	if !strings.HasPrefix(base, "/") {
		base = getenv("HOME") + "/.config"
	}
	return base + "/ctxfs/config.toml"
}

// timeoutOf returns how long the whole may take: what the key timeout of the table [hooks]
// says, on a line of its own. Reading TOML takes libraries; package hooks, which does,
// reports an invalid value.
func timeoutOf(config []byte) time.Duration {
	table := ""
	for line := range bytes.Lines(config) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "[") {
			table, _, _ = strings.Cut(text, "]")
		}
		key, value, _ := strings.Cut(text, "=")
		if value = strings.TrimSpace(value); table != "[hooks" || strings.TrimSpace(key) != "timeout" || value == "" {
			continue
		}
		value, _, _ = strings.Cut(value[1:], value[:1])
		if d, err := time.ParseDuration(value); err == nil && d > 0 {
			return d
		}
	}
	return Patience
}

// runHook passes a hook on. Answered is false if the rest of the program is needed.
func runHook(args []string, timeout time.Duration) (answered bool, reply Reply) {
	if info, err := os.Stdin.Stat(); err != nil {
		return true, Reply{}
	} else if info.Mode()&os.ModeCharDevice != 0 {
		return false, Reply{} // a terminal, or /dev/null
	}
	home, state := folders(os.Getenv)
	input, ok := readInput()
	if home == "" || !ok {
		return true, Reply{}
	}
	r := Hook{Agent: []byte(args[0]), Input: input, Home: []byte(home), Timeout: timeout.Milliseconds()}
	if len(args) > 1 {
		r.Event = []byte(args[1])
	}
	if dir, err := os.Getwd(); err == nil {
		r.Dir = []byte(dir)
	}
	for _, socket := range sockets(state) {
		reply, err := ask(socket, func([]byte) bool { return true }, r.line(), syscall.Timeval{})
		if err == nil {
			return true, reply
		}
		if !nobodyListens(err) {
			return true, Reply{}
		}
	}
	if strings.Contains(strings.ToLower(string(r.Event)), "compact") || bytes.Contains(input, []byte("ompact")) {
		return !again(input), Reply{}
	}
	return true, Reply{} // without a process nothing else is answered
}

// readInput reads standard input. Ok is false if it is too long or cannot be read.
func readInput() (input []byte, ok bool) {
	var text bytes.Buffer
	chunk := make([]byte, 64<<10)
	for text.Len() <= MaxInput {
		n, err := syscall.Read(0, chunk)
		switch {
		case err == syscall.EINTR || err == syscall.EAGAIN:
			continue
		case err != nil:
			return nil, false
		case n == 0:
			return text.Bytes(), true
		}
		text.Write(chunk[:n])
	}
	return nil, false
}

// again makes an input standard input again, and reports whether it could.
func again(input []byte) bool {
	r, w, err := os.Pipe()
	if err != nil {
		return false
	}
	go func() {
		_, _ = w.Write(input) // the reader may not want it all
		w.Close()
	}()
	os.Stdin = r
	return true
}
