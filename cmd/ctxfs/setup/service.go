package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/setup"
	"ctxfs/providers/setup/agents"
)

// unit is the name of the service.
const unit = "ctxfs.service"

// unitText is the service: it mounts and returns, and what it starts lives as long as the
// login. PATH is that of the user, since servers are started by their names.
const unitText = `[Unit]
Description=ctxfs: the context of coding agents as files

[Service]
Type=oneshot
RemainAfterExit=yes
KillMode=process
Environment=%s
ExecStart=%s mount
ExecStop=%s unmount %s

[Install]
WantedBy=default.target
`

// unitFolder is where the user's units are (systemd.unit(5), "User Unit Search Path").
func unitFolder(a *cli.App) string {
	if config, ok := a.LookupEnv("XDG_CONFIG_HOME"); ok && filepath.IsAbs(config) {
		return filepath.Join(config, "systemd/user")
	}
	return filepath.Join(a.Home, ".config/systemd/user")
}

// serviceTarget is the target that mounts at login.
func serviceTarget(a *cli.App, program string) agents.Agent {
	path, _ := a.LookupEnv("PATH")
	word := unitWord(program)
	text := fmt.Sprintf(unitText, unitWord("PATH="+path), word, word, unitWord(a.DefaultMount()))
	where, _ := a.LookPath("systemctl")
	return setup.Service(filepath.Join(unitFolder(a), unit), text, where)
}

// unitWord quotes a word of a unit (systemd.syntax(7), "Quoting").
func unitWord(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`).Replace(s) + `"`
}

// enableService makes systemd start the service at login, and now.
func enableService(ctx context.Context, a *cli.App) error {
	if err := systemctl(ctx, a, "daemon-reload"); err != nil {
		return err
	}
	return systemctl(ctx, a, "enable", "--now", unit)
}

// disableService is the reverse; it unmounts. What systemd does not remove because nothing
// of it runs here is removed by hand.
func disableService(ctx context.Context, a *cli.App) error {
	failed := systemctl(ctx, a, "disable", "--now", unit)
	wants := filepath.Join(unitFolder(a), "default.target.wants")
	if err := os.Remove(filepath.Join(wants, unit)); err == nil {
		_ = os.Remove(wants) // if it is empty
	}
	return failed
}

// systemctl runs the command on the user's own services.
func systemctl(ctx context.Context, a *cli.App, args ...string) error {
	out, err := a.Command(ctx, "systemctl", append([]string{"--user"}, args...)...).CombinedOutput()
	if err == nil {
		return nil
	}
	if message := strings.TrimSpace(string(out)); message != "" {
		err = errors.New(message)
	}
	return fmt.Errorf("systemctl --user %s: %w", strings.Join(args, " "), err)
}
