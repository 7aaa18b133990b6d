package programs

// amp starts Amp, which has no flag for being read-only. What it may do without asking is
// in its user's settings (amp.permissions, amp.dangerouslyAllowAll).
//
// Sources: ampcode.com/manual, and amp --help of 2026-09. It was not run: it works with its
// own service only.
func amp() agent {
	return agent{
		id: "amp", program: "amp",
		invoke: func(_ Options, prompt string, more []string) Invocation {
			argv := append([]string{"--stream-json", "--no-ide", "--no-notifications"}, more...)
			return Invocation{Argv: append(argv, "--execute", prompt)}
		},
		stream: func() stream { return new(ampStream) },
	}
}

// ampStream reads the events of Amp. They are those of Claude Code, but what requests took
// stands in each message.
type ampStream struct{ claudeStream }

func (s *ampStream) event(line []byte, out *Output) (shown string) {
	e := parse[claudeEvent](line)
	if e.Type == "assistant" {
		out.adds(e.Message.Usage.usage(0))
	}
	if e.Type == "result" && out.Usage != nil { // the sum may be there again
		used := *out.Usage
		defer func() { out.Usage = &used }()
	}
	return s.claudeStream.event(line, out)
}
