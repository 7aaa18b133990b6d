package fusefs

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// corpus is what the battery reads: texts of every size that matters to a page
// cache, JSON, bytes that are not text, a script and a deep folder.
func corpus() map[string]string {
	files := map[string]string{
		"a.txt":           "first line\nneedle here\nlast line\n",
		"empty":           "",
		"no-newline":      "no newline at the end",
		"run":             "#!/bin/sh\necho \"ran $#\"\n",
		"binary":          strings.Repeat("\x00\x01\xff\xfe", 3000),
		"unicode é ü":     "ä needle ö\n",
		"sub/deep/er/x.c": "int main(void) { return 0; } /* needle */\n",
		"big.txt":         strings.Repeat("the quick brown fox needle jumps\n", 40_000),
	}
	for _, n := range []int{4095, 4096, 4097, 131071, 131072, 131073} {
		files[fmt.Sprintf("sizes/%d", n)] = strings.Repeat("0123456789abcde\n", n/16+1)[:n]
	}
	for i := range 20 {
		files[fmt.Sprintf("json/%02d.json", i)] = fmt.Sprintf("{\"name\": \"tool %d\", \"n\": %d, \"tags\": [\"x\", \"needle\"]}\n", i, i)
	}
	return files
}

// battery are commands whose output must be the same over the mount as over
// the same files on disk. $1 is a folder to write to.
var battery = map[string]string{
	"cat":       `find . -type f | sort | while read -r f; do cat "$f"; done | sha256sum`,
	"head":      `head -qc 5000 *.txt sizes/* | sha256sum; head -n 2 a.txt`,
	"tail":      `tail -qc 5000 big.txt sizes/* | sha256sum; tail -n 2 a.txt; tail -n +39990 big.txt`,
	"wc":        `wc a.txt big.txt sizes/* json/*; wc -c *`,
	"grep":      `grep -rc needle . | sort; grep -l needle *; grep -F -m1 -n fox big.txt`,
	"rg":        `rg -c --sort path needle; rg --files --sort path; rg -uu -l needle | sort; rg --mmap -c fox big.txt`,
	"jq":        `jq -c '.tags, .n' json/*.json; jq -s 'map(.n) | add' json/*`,
	"sed":       `sed -n '2p;$p' a.txt big.txt; sed -s '1d' json/*`,
	"awk":       `awk '{n += NF} END {print n, NR}' a.txt big.txt`,
	"sort":      `sort -u big.txt a.txt; sort -m a.txt a.txt | uniq -c`,
	"cp":        `cp -r . "$1/cp" && diff -r . "$1/cp" && cp -a json "$1/a" && ls "$1/a"`,
	"cp sparse": `cp --sparse=always --reflink=auto big.txt binary "$1" && cmp big.txt "$1/big.txt" && cmp binary "$1/binary"`,
	"install":   `install -m 755 run "$1/run" && "$1/run" a b`,
	"tar":       `tar -cf - --sort=name . | tar -xf - -O | sha256sum; tar -cf - --sort=name --mtime=@0 --owner=0 --group=0 json sizes | tar -tvf - | sed 's/^d[rwx-]*/d/'`,
	"rsync":     `rsync -rtc --chmod=F644,D755 ./ "$1/r" && rsync -rcni ./ "$1/r"; find "$1/r" -type f -printf '%P %s\n' | sort`,
	"dd":        `dd if=big.txt bs=7777 skip=3 count=5 2>/dev/null | sha256sum; dd if=sizes/4097 bs=1M 2>/dev/null | wc -c; dd if=big.txt bs=4k iflag=skip_bytes,count_bytes skip=12345 count=54321 2>/dev/null | md5sum`,
	"diff":      `diff sizes/4096 sizes/4097; diff -q a.txt run; diff -rq json sub; true`,
	"git":       `git hash-object $(find . -type f -not -name '* *' | sort); git diff --no-index --stat a.txt run; git grep --no-index -c needle | sort`,
	"less":      `less a.txt | cat; less -X -E +G big.txt | tail -n 1`,
	"node": `node -e '
		const fs = require("fs"), c = require("crypto");
		for (const f of ["a.txt", "big.txt", "empty", "sizes/131073"]) console.log(f, fs.statSync(f).size, c.createHash("md5").update(fs.readFileSync(f)).digest("hex"));
		console.log(fs.readdirSync(".", {withFileTypes: true}).map(e => e.name + e.isDirectory()).sort().join());
		fs.promises.readFile("big.txt").then(b => {
			console.log(b.length);
			let n = 0; fs.createReadStream("sizes/131072").on("data", d => n += d.length).on("end", () => console.log(n));
		});
		fs.cpSync("json", process.argv[1] + "/node", {recursive: true}); console.log(fs.readdirSync(process.argv[1] + "/node").length)' "$1"`,
	"python3": `python3 -c '
import hashlib, json, mmap, os, shutil, sys, glob, pathlib
for f in ["a.txt", "big.txt", "sizes/4096", "sizes/131073", "binary"]:
    with open(f, "rb") as h:
        print(f, os.stat(f).st_size, hashlib.md5(h.read()).hexdigest(), h.tell())
        h.seek(-3, 2); print(h.read())
        m = mmap.mmap(h.fileno(), 0, access=mmap.ACCESS_READ); print(hashlib.md5(m[:]).hexdigest())
        m = mmap.mmap(h.fileno(), 0, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ); print(m[-3:])
        print(os.pread(h.fileno(), 100, 10), os.lseek(h.fileno(), 0, os.SEEK_END))
    shutil.copyfile(f, sys.argv[1] + "/py"); print(os.path.getsize(sys.argv[1] + "/py"))
print(sorted((e.name, e.is_dir(), e.is_file()) for e in os.scandir(".")))
print(sorted(map(str, pathlib.Path(".").rglob("*"))), json.load(open("json/03.json")))
shutil.copytree(".", sys.argv[1] + "/tree"); print(len(glob.glob(sys.argv[1] + "/tree/**", recursive=True)))
' "$1"`,
	"file":  `file -b a.txt big.txt empty run binary json/01.json sub`,
	"od":    `od -An -tx1 -N 64 binary; xxd sizes/4097 | tail -n 2; hexdump -C a.txt`,
	"cmp":   `cmp sizes/4096 sizes/4097; cmp a.txt a.txt; cmp -i 10 -n 100 big.txt sizes/131072; true`,
	"sums":  `md5sum *.txt sizes/*; sha1sum json/*; cksum binary; b2sum big.txt; sum run`,
	"bash":  `while read -r line; do n=$((n + ${#line})); done < sizes/4097; echo $n; mapfile -t l < a.txt; echo "${l[@]}"; echo "$(< a.txt)"; for f in */*; do echo "$f"; done; [ -s empty ] || echo none; [ -x run ] && ./run 1 2`,
	"tac":   `tac a.txt big.txt | head -n 3; rev a.txt; nl a.txt; fold -w 10 a.txt; paste a.txt a.txt; cut -d' ' -f2 a.txt; tr a-z A-Z < a.txt`,
	"split": `split -b 50000 big.txt "$1/part." && cat "$1"/part.* | cmp - big.txt && ls "$1" | wc -l; split -n 4 sizes/131072 "$1/n."; wc -c "$1"/n.* | awk '{print $1}'`,
	"shuf":  `shuf -n 5 big.txt | uniq; comm a.txt a.txt; join a.txt a.txt; base64 sizes/4095 | md5sum; strings -n 5 binary; expand a.txt; factor $(stat -c %s a.txt)`,
	"curl":  `curl -sS "file://$PWD/big.txt" | md5sum; curl -sSI "file://$PWD/a.txt" | grep -i length; curl -sS -r 5-14 "file://$PWD/a.txt"`,
	"find":  `find . -type f -printf '%P %s %m %T@\n' | sort; find . -type d -printf '%P %m\n' | sort; find . -size +1k -type f | sort; find . -empty -type f; find . -name '*.json' -newermt 2020-01-01 | wc -l; find . -perm -100 -type f; find . -type f -exec md5sum {} + | sort`,
	"ls":    `ls -lR --time-style=+%s | awk '$1 ~ /^-/ {print $1, $2, $5, $6, $7}'; ls -aF; ls -S sizes; ls -t json | wc -l`,
	"stat":  `stat -c '%n %s %F %a %Y' *.txt sizes/* empty run; stat -c '%F' sub; du -ab --apparent-size sizes/* | awk '{print $1}'; test a.txt -nt /proc/version; test -e nothing; echo $?`,
	"gzip":  `gzip -nc big.txt | md5sum; gzip -nc sizes/4097 | zcat | md5sum; xz -c a.txt | xz -d`,
	// Its cat makes the kernel send the file (sendfile), without ever asking
	// for the size: of text on demand that was never measured it would read
	// nothing.
	"busybox": `busybox stat -c %s a.txt; busybox cat a.txt; busybox tail -n 2 big.txt; busybox wc sizes/*; busybox find . -type f | sort; busybox md5sum *.txt`,
	"perl":    `perl -ne 'print if /needle/' a.txt; perl -e 'print -s "big.txt", " ", (-x "run" ? 1 : 0), "\n"'`,
	"uutils":  `U=/usr/lib/cargo/bin/coreutils; $U/cat a.txt sizes/4097; $U/wc big.txt; $U/tail -n 1 big.txt; $U/cp -r json "$1/u" && ls "$1/u"`,
	"zsh":     `zsh -fc 'print -l **/*(.) | sort; print "$(<a.txt)"; zmodload zsh/mapfile && print ${#mapfile[a.txt]}'`,
	"fish":    `fish --no-config -c 'for f in **.json; echo $f; end; while read -l l; echo $l; end < a.txt; test -x run; and echo yes'`,
	"tmux":    `tmux -L ctxfs-test-$$ -f /dev/null new-session -d -s x 'sleep 9' \; load-buffer a.txt \; show-buffer \; kill-server`,
}

func TestBatteryOfTools(t *testing.T) {
	t.Parallel()
	files := corpus()
	disk := t.TempDir()
	for name, body := range files {
		perm := iofs.FileMode(0o444)
		if name == "run" {
			perm = 0o555
		}
		path := filepath.Join(disk, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(body), perm), os.Chtimes(path, epoch, epoch))
		fstest.Must(t, err)
	}
	readOnly(t, disk)
	if got := told(t, must(fs.NewDiskDir(disk, fs.DiskOptions{}))); len(got) < 1<<20 {
		t.Fatalf("the oracle has %d bytes", len(got))
	}
	watched := fs.DiskOptions{Watched: func(string) bool { return true }}
	kinds := map[string]func(name string) fs.Node{
		"text": func(name string) fs.Node {
			if name == "run" {
				return fs.NewScript(epoch, []byte(files[name]))
			}
			return text(files[name])
		},
		"on demand": func(name string) fs.Node {
			if name == "run" {
				return fs.NewScript(epoch, []byte(files[name]))
			}
			return fs.NewRendered(epoch, 1, func(context.Context) ([]byte, error) { return []byte(files[name]), nil })
		},
		"disk": func(name string) fs.Node { return must(fs.NewDiskFile(filepath.Join(disk, name), watched)) },
		"log":  func(name string) fs.Node { return fs.NewLog(filepath.Join(disk, name), 0) },
	}
	roots := make(map[string]fs.Dir)
	for kind, node := range kinds {
		root := fs.NewFolder(epoch, nil)
		for name := range files {
			set(root, name, node(name))
		}
		roots[kind] = root
	}
	roots["disk folder"] = must(fs.NewDiskDir(disk, watched))
	roots["disk folder, not watched"] = must(fs.NewDiskDir(disk, fs.DiskOptions{}))

	mounts := make(map[string]*mountedTree)
	for kind, root := range roots {
		mounts[kind] = mounted(t, root, fs.TreeOptions{})
	}
	oracle := &mountedTree{t: t, dir: disk}
	for tool, script := range battery {
		t.Run(tool, func(t *testing.T) {
			first := strings.Fields(tool)[0]
			switch first {
			case "sums":
			case "uutils":
				need(t, uutilsTail)
			default:
				need(t, first)
			}
			want, wantCode := oracle.run(script, t.TempDir())
			var all sync.WaitGroup
			for kind, m := range mounts {
				scratch := t.TempDir()
				all.Go(func() {
					got, code := m.run(script, scratch)
					// Folders and error messages name the place.
					got = strings.ReplaceAll(got, m.dir, disk)
					if got != want || code != wantCode {
						t.Errorf("%s: %s\n got (exit %d): %q\nwant (exit %d): %q", kind, script, code, difference(got, want), wantCode, difference(want, got))
					}
				})
			}
			all.Wait()
		})
	}
}

// difference returns where s begins to differ from other.
func difference(s, other string) string {
	i := 0
	for i < len(s) && i < len(other) && s[i] == other[i] {
		i++
	}
	return shorten(s[max(0, i-40):])
}

// readOnly removes the write permissions for the length of the test.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	chmod := func(mode iofs.FileMode) error {
		return filepath.WalkDir(dir, func(path string, e iofs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				err = os.Chmod(path, mode)
			}
			return err
		})
	}
	t.Cleanup(func() { chmod(0o755) })
	fstest.Must(t, chmod(0o555))
}

// set puts a node at a path, and creates the folders above it.
func set(root *fs.Folder, path string, n fs.Node) {
	dir, rest, ok := strings.Cut(path, "/")
	if !ok {
		root.Set(epoch, path, n)
		return
	}
	sub, err := root.Lookup(context.Background(), dir)
	if err != nil {
		sub = fs.NewFolder(epoch, nil)
		root.Set(epoch, dir, sub)
	}
	set(sub.(*fs.Folder), rest, n)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
