#!/usr/bin/env bash
# world.sh: a fresh world for one subject and one arm of the trial, in namespaces of its own
# (processes, network, mounts), so that it sees nothing else of the machine.
#   world.sh sources                         fetches what the repositories are made of, once
#   world.sh build DIR with|without X|Y      DIR/README.md is for the subject, DIR/sh its shell
#   world.sh enter DIR COMMAND               runs a command there (not logged)
#   world.sh verify DIR                      compares its pages with what git, ps, ss and programs say
#   world.sh clean DIR                       ends and removes it; its log and DIR.json stay
set -euo pipefail
kit=$(cd "$(dirname "$0")" && pwd)
export TRIAL_SOURCES=${TRIAL_SOURCES:-${XDG_CACHE_HOME:-$HOME/.cache}/ctxfs-trial} CTXFS_BIN=${CTXFS_BIN:-$(command -v ctxfs || true)}
case ${1:-} in
sources)
	mkdir -p "$TRIAL_SOURCES"; cd "$TRIAL_SOURCES"
	[ -e fast-uri-4.2.3.tgz ] || npm pack --silent fast-uri@4.2.3 tree-sitter-json@0.24.8 @mariozechner/pi-tui@0.73.1 @mariozechner/pi-ai@0.73.1
	for p in tape@5 ajv@8 chalk@5; do n=${p%@*}; [ -d $n/node_modules ] || { mkdir -p $n; (cd $n && npm init -y >/dev/null && npm install --silent $p); }; done
	go mod download github.com/spf13/cobra@v1.10.2 github.com/spf13/cast@v1.10.0 github.com/cpuguy83/go-md2man/v2@v2.0.6 github.com/russross/blackfriday/v2@v2.1.0 go.yaml.in/yaml/v3@v3.0.4 github.com/inconshreveable/mousetrap@v1.1.0 github.com/spf13/pflag@v1.0.9 ;;
build)
	dir=$(realpath -m "$2"); mkdir -p "$(dirname "$dir")"; rm -f "$dir.log.jsonl" "$dir.build"; : > "$dir.log.jsonl"
	# What is inside sees neither this kit nor the project.
	setsid unshare -pnm --fork --mount-proc --kill-child bash -c '
		ip link set lo up
		nice python3 "$0/world.py" build "$1" "$2" "$3" > "$1.build" 2>&1; echo "exit $?" >> "$1.build"
		for hidden in "$(realpath "$0/../..")" "$(realpath "$0/../../../shared")"; do mount -t tmpfs none "$hidden"; done
		exec sleep infinity' "$kit" "$dir" "$3" "$4" < /dev/null > /dev/null 2>&1 &
	holder=$!
	until grep -q '^exit' "$dir.build" 2>/dev/null; do kill -0 $holder; sleep .3; done
	cat "$dir.build"; grep -q '^exit 0' "$dir.build" || { kill -9 $holder; exit 1; }
	pgrep -P $holder > "$dir/init.pid"; echo $holder > "$dir/holder.pid"; rm "$dir.build"; sleep 12 # for the pages of what listens
	echo "$dir/README.md" ;;
enter) dir=$(realpath "$2"); exec nsenter -t "$(cat "$dir/init.pid")" -m -n -p env -i HOME="$dir/home" TERM=dumb LANG=C.UTF-8 PATH="$dir/home/bin:/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin" bash -c "cd; $3" ;;
verify) dir=$(realpath "$2"); cp "$kit/verify.py" "$dir/home/.verify.py"; exec "$kit/run" "$dir" t01 'python3 ~/.verify.py; rm ~/.verify.py' ;;
clean)
	dir=$(realpath "$2"); [ -d "$dir/home" ] || { echo "$dir is no world"; exit 1; }
	[ ! -e "$dir/init.pid" ] || kill -9 "$(cat "$dir/init.pid")" 2>/dev/null || true
	sleep 1; rm -rf "$dir" ;;
*) sed -n 2,9p "$0"; exit 2 ;;
esac
