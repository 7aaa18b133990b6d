package nearest

import "testing"

func TestOf(t *testing.T) {
	known := []string{"command", "args", "env", "start_timeout"}
	for in, want := range map[string]string{
		"comand": "command", "Command": "command", "agrs": "args", "envs": "env",
		"starttimeout": "start_timeout", "completely": "", "": "",
	} {
		if got := Of(in, known); got != want {
			t.Errorf("Of(%q) = %q, want %q", in, got, want)
		}
	}
}
