package shells

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	//go:embed scripts/ctxfs.bash
	bashScript []byte
	//go:embed scripts/zshenv
	zshScript []byte
	//go:embed scripts/ctxfs.fish
	fishScript []byte
)

// Options select the shell to start.
type Options struct {
	// Shell is the path of the shell, which is recognized by its last element.
	Shell string
	// Login asks for a login shell.
	Login bool
	// Nonce is the secret that the marks carry: letters and digits, fresh for each
	// shell (crypto/rand.Text). The shell gets it in its environment and hides it
	// from its children. Without a nonce there are no marks.
	Nonce string
	// Dir is a folder for one file that the shell reads at its start. Only this
	// shell may use it; it is created if necessary, for its owner only.
	Dir string
	// Env is the environment, in the form of os.Environ.
	Env []string
}

// Command is how to start a shell; see [os/exec.Cmd].
type Command struct {
	Path string
	// Args are the arguments, beginning with the name; Env is the environment.
	Args, Env []string
	// Marks reports whether the shell will print marks.
	Marks bool
}

// The variables that pass on to the scripts what they cannot know.
const (
	nonceVariable   = "CTXFS_NONCE"
	zdotdirVariable = "CTXFS_ZDOTDIR" // ZDOTDIR, if the user has one
	envVariable     = "CTXFS_ENV"     // ENV, if the user has one
)

// Prepare writes what a shell needs to print marks, and returns how to start it
// in a terminal. The cleanup function removes the file, and the folder if
// nothing else is in it; it may be called once the shell shows its first
// prompt, or has ended. Prepare starts nothing; it fails if the folder cannot
// be written to.
func Prepare(o Options) (c Command, cleanup func(), err error) {
	name := filepath.Base(o.Shell)
	c = Command{Path: o.Shell, Args: []string{name}, Env: without(o.Env, nonceVariable, zdotdirVariable, envVariable)}
	var file string
	var script []byte
	switch {
	case o.Nonce == "":
	case strings.ContainsFunc(o.Nonce, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}):
		return Command{}, nil, errors.New("the nonce of a shell's marks may only have letters and digits")
	case name == "bash":
		file, script = "ctxfs.bash", bashScript
	case name == "zsh":
		file, script = ".zshenv", zshScript
	case name == "fish":
		file, script = "ctxfs.fish", fishScript
	}
	if file == "" {
		if o.Login {
			c.Args[0] = "-" + name // every shell recognizes a login by it
		}
		return c, func() {}, nil
	}
	// A relative path would depend on the folder that the shell starts in.
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return Command{}, nil, err
	}
	file = filepath.Join(dir, file)
	if err := write(file, script); err != nil {
		return Command{}, nil, fmt.Errorf("cannot write the shell integration: %w", err)
	}
	c.Marks = true
	c.Env = append(c.Env, nonceVariable+"="+o.Nonce)
	switch {
	case name == "bash" && o.Login:
		c.Args = append(c.Args, "--posix", "-l", "-i")
		c.replace("ENV", file, envVariable)
	case name == "bash":
		c.Args = append(c.Args, "--rcfile", file, "-i")
	case name == "zsh":
		c.replace("ZDOTDIR", dir, zdotdirVariable)
	case name == "fish":
		c.Args = append(c.Args, "--init-command", "source "+fishWord(file))
	}
	if o.Login && name != "bash" {
		c.Args = append(c.Args, "-l")
	}
	return c, func() {
		_ = os.Remove(file)
		_ = os.Remove(dir) // it stays if something else is in it
	}, nil
}

// write writes a file for its owner only, always a new one.
func write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// replace sets a variable, and stores its previous value, if any, in another.
func (c *Command) replace(name, value, kept string) {
	for _, entry := range slices.Backward(c.Env) { // the last of several counts
		if old, found := strings.CutPrefix(entry, name+"="); found {
			c.Env = append(c.Env, kept+"="+old)
			break
		}
	}
	c.Env = append(without(c.Env, name), name+"="+value)
}

// without returns an environment without some variables.
func without(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}

// fishWord returns text as one word of fish.
func fishWord(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// Typed returns the text of a command that its shell does not know, because it
// is not in the history: what the user typed, as the terminal showed it. The
// log is its text between the prompt's mark and the command's; prompt is the
// last line of the prompt, and last the previous command in the history:
// parameters of the command's mark. A line that the user continued keeps the
// continuation prompts ("> "). It makes one pass over the log.
func Typed(log, prompt, last string) string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	for i := len(lines) - 1; i >= 0 && prompt != ""; i-- {
		// The last one counts: the shell may have drawn its prompt again.
		if rest, found := strings.CutPrefix(lines[i], prompt); found {
			lines = append([]string{rest}, lines[i+1:]...)
			break
		}
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), " \n")
	if text == strings.TrimRight(last, " \n") {
		return last
	}
	return text
}
