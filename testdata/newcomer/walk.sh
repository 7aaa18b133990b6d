#!/bin/sh
# walk.sh CTXFS NEWER: the first minutes of a newcomer, and the last. CTXFS and NEWER are two
# builds of ctxfs. HOME is the home of a user of Claude Code and Codex, who has an MCP
# server "files" in Claude Code, a session in ~/src/shop, and never had ctxfs.
# The walk ends at the first step that goes wrong, and with nothing left of ctxfs.
set -eu

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'walk.sh: %s\n' "$*" >&2; exit 1; }
# has TEXT COMMAND...: what the command prints has the text, soon.
has() {
	want=$1; shift
	n=0
	until "$@" >"$TMPDIR/said" 2>&1 && grep -qF -e "$want" "$TMPDIR/said"; do
		n=$((n + 1))
		[ $n -lt 600 ] || { cat "$TMPDIR/said" >&2; fail "not there: $want ($*)"; }
		sleep 0.1
	done
	grep -F -e "$want" "$TMPDIR/said" | head -n 3
}
# soon COMMAND...: the command succeeds, soon.
soon() {
	n=0
	until "$@" >/dev/null 2>&1; do
		n=$((n + 1))
		[ $n -lt 600 ] || fail "does not come: $*"
		sleep 0.1
	done
}
# everything prints all that there is in the home: names, modes, contents.
everything() {
	(cd "$HOME" && find . ! -path "./.tmp*" ! -path . -printf '%P %y %m %l\n' | LC_ALL=C sort &&
		find . -type f ! -path "./.tmp*" -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
}
TMPDIR=$HOME/.tmp; export TMPDIR
mkdir -p "$TMPDIR" "$HOME/.local/bin"
everything >"$TMPDIR/before"

step install
cp "$1" "$HOME/.local/bin/ctxfs"
PATH=$HOME/.local/bin:$PATH; export PATH
ctxfs --version

step setup
ctxfs setup claude-code codex
ctxfs setup claude-code codex | grep -q '^made\|^changed' && fail "the second time changes something"
grep -q 'agentctx' "$HOME/.claude/CLAUDE.md" "$HOME/.codex/AGENTS.md" || fail "no pointer"

step mount
ctxfs mount
has mcps ls "$HOME/.agentctx"

step find and call a tool
has files/read_text_file ctxfs find "read the text of a file"
has "ctxfs call files read_text_file" ctxfs find "read the text of a file"
has "begin here" ctxfs call files read_text_file --path "$HOME/src/shop/README.md"
has read_text_file cat "$HOME/.agentctx/mcps/CALLS.tsv"

step a terminal
ctxfs run -- sh -c 'echo "main.go:7: undefined: quagga"; exit 3' && fail "the exit code is lost" || [ $? = 3 ]
has "undefined: quagga" cat "$HOME/.agentctx/terminals/1/failed.txt"

step a transcript
has "numbat" rg -N "numbat" "$HOME/.agentctx/transcripts"

step a hook
printf '{"session_id":"walk","hook_event_name":"SessionStart","source":"startup","cwd":"%s"}' "$HOME/src/shop" >"$TMPDIR/in"
has "last commit: Begin" sh -c 'sed "s/walk/walk$(date +%N)/" "$TMPDIR/in" | ctxfs hook claude-code SessionStart'

step figures
has files ctxfs stats
ctxfs doctor || [ $? = 4 ]

step a newer binary
ctxfs run --background -- sh -c 'while :; do date; sleep 1; done' >"$TMPDIR/id"
old=$(ctxfs status --json | jq .pid)
cp "$2" "$HOME/.local/bin/ctxfs.new"
mv "$HOME/.local/bin/ctxfs.new" "$HOME/.local/bin/ctxfs"
ctxfs mount
new=$(ctxfs status --json | jq .pid)
[ "$old" != "$new" ] || fail "the old process goes on"
soon test ! -e "/proc/$old"
has running ctxfs ps
log=$HOME/.agentctx/terminals/$(cat "$TMPDIR/id").txt
lines=$(wc -l <"$log")
soon sh -c "[ \$(wc -l <'$log') -gt $lines ]"
ctxfs stop "$(cat "$TMPDIR/id")"

step servers, there and back
cp "$HOME/.claude.json" "$TMPDIR/claude.json"
ctxfs setup --servers claude-code
has read_text_file ls "$HOME/.agentctx/mcps/files/tools"
ctxfs setup --servers --undo claude-code
cmp "$HOME/.claude.json" "$TMPDIR/claude.json" || fail "undo changed .claude.json"

step undo
ctxfs setup --undo

step uninstall
ctxfs uninstall --yes
hash -r
everything >"$TMPDIR/after"
diff "$TMPDIR/before" "$TMPDIR/after" || fail "the home is not as it was"
grep -F "$HOME" /proc/self/mounts && fail "a mount is left"
rm -r "$TMPDIR"
step done
