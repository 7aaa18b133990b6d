package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// recipes returns the folders of commands in the README, by name, each as TOML.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	_, text, _ := strings.Cut(readFile(t, "../../README.md"), "\n## Commands as folders\n")
	_, text, _ = strings.Cut(text, "```toml\n")
	text, _, _ = strings.Cut(text, "```\n")
	all := make(map[string]string)
	for table := range strings.SplitSeq(text, "\n\n") {
		name := regexp.MustCompile(`^\[exec\.(\w+)\]`).FindStringSubmatch(table)
		if name == nil {
			t.Fatalf("this is no recipe: %s", table)
		}
		all[name[1]] = table + "\n"
	}
	return all
}

// standIns are shell scripts in the place of programs that this machine may lack. Each
// checks its arguments, as the real one does.
var standIns = map[string]string{
	"gh": `case "$*" in
"issue list --json number --jq .[].number") printf '12\n7\n' ;;
"issue view "[0-9]*" --json title,body,comments") echo "{\"title\": \"issue $3 in ${PWD##*/}\"}" ;;
*) echo "unknown: $*" >&2; exit 1 ;; esac`,
	"kubectl": `case "$*" in
"get pods --no-headers -o custom-columns=:metadata.name") printf 'web-0\nweb-1\n' ;;
"logs --tail=500 web-"?) echo "log of $3 by $KUBECONFIG" ;;
"get pod web-"?" -o yaml") echo "name: $3" ;;
*) echo "unknown: $*" >&2; exit 1 ;; esac`,
	"docker": `case "$*" in
"ps --format {{.Names}}") echo db-1 ;;
"logs --tail 500 db-1") echo "log of $4" ;;
"inspect db-1") echo '[{"Name": "db-1"}]' ;;
*) echo "unknown: $*" >&2; exit 1 ;; esac`,
	"psql": `[ "$PGOPTIONS" = "-c default_transaction_read_only=on" ] && [ "$PGUSER" = me ] || exit 3
case "$*" in
"-XAtc select tablename from pg_tables where schemaname = 'public'") printf 'users\norders\n' ;;
'-X --csv -c select * from "'*'" limit 100') echo "$4" ;;
*) echo "unknown: $*" >&2; exit 1 ;; esac`,
	"journalctl": `[ "$*" = "--no-pager -n 500 -u ssh.service" ] && echo "started"`,
}

func TestExecRecipes(t *testing.T) {
	t.Parallel()
	need(t, "git")
	b := newBox(t)
	all := recipes(t)
	var config strings.Builder
	for name, table := range all {
		if lines := strings.Count(table, "\n"); lines > 5 {
			t.Errorf("%s has %d lines", name, lines)
		}
		config.WriteString(table)
	}
	b.write(".config/ctxfs/config.toml", config.String())
	for name, script := range standIns {
		b.writeMode("stand-ins/"+name, "#!/bin/sh\n"+script+"\n", 0o755)
	}
	b.setenv("PATH", filepath.Join(b.home, "stand-ins")+":"+os.Getenv("PATH"))
	b.setenv("KUBECONFIG", "/the/cluster")
	b.setenv("PGUSER", "me")
	b.write("src/app/.issues/open/0001-crash.md", "it crashes at noon\n")
	b.sh(`cd src/app && git init -q && git config user.email a@b && git config user.name A && git add . && git commit -qm "the first commit"`)
	b.mount()
	hash := strings.TrimSpace(b.sh("git -C src/app rev-parse --short HEAD"))
	b.ok("exec", "refresh")
	for path, want := range map[string]string{
		"log/commits/" + hash + ".patch":               "the first commit",
		"tracker/open/0001-crash.md":                   "it crashes at noon",
		"github/issues/12.json":                        `"issue 12 in app"`,
		"cluster/pods/web-1/log.txt":                   "log of web-1 by /the/cluster",
		"cluster/pods/web-0/pod.yaml":                  "name: web-0",
		"containers/running/db-1/inspect.json":         `"db-1"`,
		"containers/running/db-1/log.txt":              "log of db-1",
		"database/tables/orders.csv":                   `from "orders" limit 100`,
		"journal/units/ssh.service.log":                "started",
		"log/commits/" + b.whole("src/app") + ".patch": "the first commit",
	} {
		if got := readFile(t, b.mnt("exec/"+path)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	fstest.Contains(t, b.ok("find", "crashes at noon"), "exec/tracker/open/0001-crash.md")
	fstest.Contains(t, b.ok("config", "validate"), "nothing is wrong", "{hash} is [0-9a-f]{4,64}")
	fstest.Contains(t, b.ok("exec", "ls", "log"), "git show '{hash}'", "refreshed 20")
}

// whole is the whole hash of the last commit of a repository.
func (b *box) whole(repo string) string {
	return strings.TrimSpace(b.sh("git -C " + repo + " rev-parse HEAD"))
}
