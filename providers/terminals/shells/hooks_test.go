package shells

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// hooked is a shell whose user's files have hooks of widespread programs.
type hooked struct {
	name string
	// text is read in the user's file, after the prompt is set. HOOKS in it is
	// the folder of the imitations, and MODULES that of the npm package of that name.
	text string
	// needs are the programs and files without which there is nothing to test.
	needs []string
	// after are steps at the end, which show that the hooks have worked.
	after []step
	warm  int
}

// counted is what users of hooks define: how often they were called is shown at
// the end.
const counted = "\npreexec() { ran=$((ran + 1)); last=$1; }\nprecmd() { seen=$?; prompts=$((prompts + 1)); }\n"

// has skips a test for what is missing.
func (h hooked) has(t *testing.T) {
	t.Helper()
	for _, need := range h.needs {
		if _, err := exec.LookPath(need); err == nil {
			continue
		}
		if _, err := os.Stat(need); err != nil {
			t.Skipf("%s is not installed", need)
		}
	}
}

// script is the text with the folder of the imitations in its place.
func (h hooked) script(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("testdata")
	fstest.Must(t, err)
	text := strings.ReplaceAll(h.text, "HOOKS", dir)
	if strings.Contains(text, "MODULES") {
		text = strings.ReplaceAll(text, "MODULES", fstest.NodeModules(t, h.name))
	}
	return text
}

// twenty are the commands of twenty prompts.
func twenty(cwd string) []step {
	ten := []step{
		{line: "echo hello", output: "hello\n"},
		{line: "false", exit: 1},
		{line: "sh -c 'exit 3' | sh -c 'exit 4'", exit: 4},
		{line: "cd /usr", to: "/usr"},
		{line: "pwd", output: "/usr\n"},
		{line: ""},
		{line: "printf 'no newline'", output: "no newline\n"},
		{line: " echo hidden", output: "hidden\n"},
		{line: "sh -c 'exit 130'", exit: 130},
		{line: "cd " + cwd, to: cwd},
	}
	return append(ten, ten...)
}

// TestBashHooks: for twenty prompts the records are exact and no prompt hangs,
// whatever hooks there are, and these work as they do without us.
func TestBashHooks(t *testing.T) {
	t.Parallel()
	called := []step{
		{line: "echo $ran $last", output: "19 echo $ran $last\n"}, // one line was empty, twice, and warm ones are none
		{line: "false", exit: 1},
		{line: "echo $seen ${BP_PIPESTATUS[*]}", output: "1 1\n"},
		{line: "true", output: ""},
	}
	debug := "\ntrap 'debugged=$((debugged + 1))' DEBUG\n"
	for _, c := range []hooked{
		{name: "bash-preexec 0", text: "source HOOKS/preexec-0.bash" + counted, after: called},
		{name: "bash-preexec head", text: "source HOOKS/preexec-head.bash" + counted, after: called},
		{name: "bash-preexec head and PROMPT_COMMAND array", text: "PROMPT_COMMAND=('first=$?' 'second=$?')\nsource HOOKS/preexec-head.bash" + counted, after: called},
		{name: "bash-preexec head and PROMPT_COMMAND string", text: "PROMPT_COMMAND='first=$?; second=$PWD'\nsource HOOKS/preexec-head.bash" + counted, after: called},
		{name: "bash-preexec head that prints", text: "source HOOKS/preexec-head.bash" + counted + "\nprints() { echo of the prompt; }; precmd_functions+=(prints)", after: called},
		{name: "bash-preexec head, set -u, ignorespace", text: "source HOOKS/preexec-head.bash\nran=0 prompts=0\nHISTCONTROL=ignorespace\n" + counted + "set -u"},
		{name: "bash-preexec head, functrace and extdebug", text: "source HOOKS/preexec-head.bash\nset -T; shopt -s extdebug" + counted},
		{name: "bash-preexec 0, functrace and extdebug", text: "source HOOKS/preexec-0.bash\nset -T; shopt -s extdebug" + counted},
		{name: "bash-preexec head and PS0", text: "PS0='started\\n'\nsource HOOKS/preexec-head.bash"},
		{name: "bash-preexec head and one who goes first", text: "source HOOKS/preexec-head.bash\nsource HOOKS/polite.bash" + counted},
		{name: "two who go first and keep no status", text: "source HOOKS/front.bash", warm: 3},
		{name: "starship", text: "source HOOKS/starship.bash", after: []step{{line: "echo $ran", output: "21\n"}}},
		{name: "starship and bash-preexec head", text: "source HOOKS/preexec-head.bash\nsource HOOKS/starship.bash"},
		{name: "starship after bash-preexec 0", text: "source HOOKS/preexec-0.bash\nsource HOOKS/starship.bash"},
		{name: "Atuin", text: "source HOOKS/atuin.bash", after: []step{
			{line: "echo $atuin_ended", output: "18:0\n"},
			{line: "\x12", command: "echo from history", output: "from history\n"},
		}},
		{name: "Atuin and starship", text: "source HOOKS/atuin.bash\nsource HOOKS/starship.bash"},
		{name: "nvm", text: "source HOOKS/nvm.bash"},
		{name: "DEBUG trap", text: debug, after: []step{{line: "((debugged > 20))"}}},
		{name: "direnv", text: `eval "$(direnv hook bash)"`, needs: []string{"direnv"}},
		{name: "direnv and bash-preexec head", text: "source HOOKS/preexec-head.bash\n" + `eval "$(direnv hook bash)"` + counted, needs: []string{"direnv"}, after: called},
		{name: "zoxide and direnv", text: `eval "$(zoxide init bash)"; eval "$(direnv hook bash)"`, needs: []string{"direnv", "zoxide"}},
		{name: "vte", text: "VTE_VERSION=7000; source /etc/profile.d/vte-2.91.sh", needs: []string{"/etc/profile.d/vte-2.91.sh"}},
		{name: "vte with an array", text: "VTE_VERSION=7000; PROMPT_COMMAND=('first=$?'); source /etc/profile.d/vte-2.91.sh\nsource HOOKS/preexec-head.bash", needs: []string{"/etc/profile.d/vte-2.91.sh"}},
		{name: "fzf", text: "source /usr/share/doc/fzf/examples/key-bindings.bash\nFZF_CTRL_T_COMMAND='echo picked' FZF_CTRL_T_OPTS=--select-1",
			needs: []string{"fzf", "/usr/share/doc/fzf/examples/key-bindings.bash"},
			after: []step{{line: "echo \x14", command: "echo picked ", output: "picked\n"}}},
		{name: "liquidprompt", text: "source /usr/share/liquidprompt/liquidprompt; PS1='ok> '; LP_PS1='ok> '", needs: []string{"/usr/share/liquidprompt/liquidprompt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.has(t)
			h := newHome(t)
			h.file(".bashrc", "PS1='ok> '\n"+c.script(t)+"\n")
			s := h.start(Options{Shell: find(t, "bash")})
			s.warm(c.warm)
			s.play(h.dir, slices.Concat(twenty(h.dir), c.after))
		})
	}
}

// TestBashLost: if the hooks are lost again and again, the shell continues, and
// says once what is no longer recorded.
func TestBashLost(t *testing.T) {
	t.Parallel()
	const said = "ctxfs: something sets PROMPT_COMMAND anew at every prompt"
	for _, c := range []struct {
		name, text string
		says       int
	}{
		{"PROMPT_COMMAND is set anew", "PROMPT_COMMAND=__wiper; __wiper() { seen=$?; PROMPT_COMMAND=__wiper; }", 1},
		{"PROMPT_COMMAND is unset", "PROMPT_COMMAND=__wiper; __wiper() { seen=$?; unset PROMPT_COMMAND; PROMPT_COMMAND=__wiper; }", 1},
		{"PROMPT_COMMAND becomes an array anew", "PROMPT_COMMAND=(__wiper); __wiper() { seen=$?; PROMPT_COMMAND=(__wiper); }", 1},
		{"functions of bash-preexec are set anew", "source HOOKS/preexec-head.bash\nlose() { precmd_functions=(lose); }; precmd_functions=(lose)", 0},
		{"functions of bash-preexec 0 are set anew", "source HOOKS/preexec-0.bash\nlose() { precmd_functions=(lose); }; precmd_functions=(lose)", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.file(".bashrc", "PS1='ok> '\n"+hooked{text: c.text}.script(t)+"\n")
			s := h.start(Options{Shell: find(t, "bash")})
			s.prompt(1)
			for i := range 20 {
				word := fmt.Sprintf("word-%d", i)
				s.write("echo " + word + "; false\r")
				s.await(word, func() bool {
					return strings.Contains(s.raw.String(), "\n"+word+"\r\n") || strings.Contains(s.raw.String(), "\a"+word+"\r\n")
				})
			}
			s.write("echo $seen; exit 3\r")
			if code := s.end(); code != 3 || strings.Count(s.shown(), said) != c.says {
				t.Errorf("exit %d, said %d times", code, strings.Count(s.shown(), said))
			}
			records := s.records()
			if len(records) != 21 {
				t.Fatalf("%d commands", len(records))
			}
			for i, r := range records[:20] {
				word := fmt.Sprintf("word-%d", i)
				if r.command != "echo "+word+"; false" || r.cwd != h.dir || !strings.HasPrefix(r.output, word+"\n") {
					t.Errorf("record %d: %v", i+1, r)
				}
				if c.says == 0 && i > 1 && r.exit != 1 || r.exit == 0 {
					t.Errorf("record %d: %v", i+1, r)
				}
			}
		})
	}
}

// TestZshHooks is TestBashHooks for zsh.
func TestZshHooks(t *testing.T) {
	t.Parallel()
	for _, c := range []hooked{
		{name: "oh-my-zsh", text: "source HOOKS/ohmyzsh.zsh", after: []step{{line: "false", exit: 1}, {line: "echo $omz_code", output: "1\n"}}},
		{name: "powerlevel10k", text: "source HOOKS/powerlevel10k.zsh", after: []step{{line: "(exit 7)", exit: 7}, {line: "echo $p10k_code $p10k_ran", output: "7 20\n"}}},
		{name: "two who go first", text: "source HOOKS/front.zsh", after: []step{{line: "(exit 7)", exit: 7}, {line: "echo $seen_a $seen_b", output: "7 7\n"}}},
		{name: "all of them", text: "source HOOKS/ohmyzsh.zsh\nsource HOOKS/front.zsh\nsource HOOKS/powerlevel10k.zsh"},
		{name: "plugins", text: "source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh\nsource /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh",
			needs: []string{"/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh", "/usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh"}},
		{name: "direnv and zoxide", text: `eval "$(direnv hook zsh)"; eval "$(zoxide init zsh)"`, needs: []string{"direnv", "zoxide"}},
		{name: "fzf", text: "source /usr/share/doc/fzf/examples/key-bindings.zsh; FZF_CTRL_T_COMMAND='echo picked' FZF_CTRL_T_OPTS=--select-1",
			needs: []string{"fzf", "/usr/share/doc/fzf/examples/key-bindings.zsh"}},
		{name: "powerlevel9k", text: "POWERLEVEL9K_LEFT_PROMPT_ELEMENTS=(dir status)\nsource /usr/share/powerlevel9k/powerlevel9k.zsh-theme\nlast() { PROMPT='ok> ' RPROMPT=; }; precmd_functions+=(last)",
			needs: []string{"/usr/share/powerlevel9k/powerlevel9k.zsh-theme", "git"}},
		{name: "pure-prompt", text: "fpath+=(MODULES/pure-prompt $HOME/.zfunctions); autoload -Uz promptinit; promptinit; PURE_PROMPT_SYMBOL='ok>'; source MODULES/pure-prompt/async.zsh; source MODULES/pure-prompt/pure.zsh", needs: []string{"git"}},
		{name: "spaceship-prompt", text: "SPACESHIP_PROMPT_ORDER=(dir exit_code char) SPACESHIP_RPROMPT_ORDER=() SPACESHIP_CHAR_SYMBOL='ok> '\nsource MODULES/spaceship-prompt/spaceship.zsh", needs: []string{"git"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.has(t)
			h := newHome(t)
			h.file(".zshrc", "PS1='ok> '\n"+c.script(t)+"\nRPS1=\n")
			s := h.start(Options{Shell: find(t, "zsh")})
			s.play(h.dir, slices.Concat(twenty(h.dir), c.after))
		})
	}
}

// TestFishHooks is TestBashHooks for fish.
func TestFishHooks(t *testing.T) {
	t.Parallel()
	for _, c := range []hooked{
		{name: "tide", text: "source HOOKS/tide.fish", after: []step{{line: "false", exit: 1}, {line: "echo $tide_code", output: "1\n"}}},
		{name: "direnv and zoxide", text: "direnv hook fish | source; zoxide init fish | source", needs: []string{"direnv", "zoxide"}},
		{name: "fzf", text: "source /usr/share/doc/fzf/examples/key-bindings.fish; fzf_key_bindings", needs: []string{"fzf", "/usr/share/doc/fzf/examples/key-bindings.fish"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.has(t)
			h := newHome(t)
			h.fish(c.script(t))
			s := h.start(Options{Shell: find(t, "fish")})
			s.play(h.dir, slices.Concat(twenty(h.dir), c.after))
		})
	}
}
