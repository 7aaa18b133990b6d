package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// hostile has the repository name programs that leave a mark, in each of its configurations,
// and the user a filter of their own, "upper", which stores small letters as capitals.
const hostile = `git config --global filter.upper.clean 'tr a-z A-Z'; git config --global filter.upper.smudge 'tr A-Z a-z'
git config --global filter.both.clean 'cat'
program() { printf '#!/bin/sh\ntouch "$HOME/ran-%s"\ncat\n' "$1" >../"do-$1"; chmod +x ../"do-$1"; echo "$PWD/../do-$1"; }
for event in post-checkout post-index-change reference-transaction pre-auto-gc; do cp "$(program hook)" .git/hooks/$event; done
git config filter.own.clean "$(program clean)"; git config filter.own.smudge "$(program smudge)"; git config filter.own.required true
git config filter.a=b.c.process "$(program process)"; git config filter.both.clean "$(program both)"
git config -f ../included filter.in.clean "$(program included)"; git config include.path ../../included
git config -f ../conditional filter.if.smudge "$(program conditional)"; git config includeIf.gitdir:repo/.path ../../conditional
git config extensions.worktreeConfig true; git config --worktree filter.tree.clean "$(program tree)"
git config core.fsmonitor "$(program fsmonitor)"; git config core.pager "$(program pager)"; git config core.sshCommand "$(program ssh)"
git config diff.own.textconv "$(program textconv)"; git config diff.external "$(program external)"; git config merge.own.driver "$(program driver)"
git config core.alternateRefsCommand "$(program refs)"; git config remote.origin.uploadpack "$(program uploadpack)"; git config alias.status "!$(program alias)"
git config remote.origin.url "ext::$(program transport)"; git config remote.origin.promisor true; git config protocol.allow always
printf '%s\n' 'a filter=own diff=own' 'b filter=a=b.c' 'dir/* filter=in' '*.if filter=if' '*.tree filter=tree' '*.up filter=upper' '*.both filter=both' >.git/info/attributes
touch -d '1 hour' a b dir/c; rm -f ../ran-*`

// filtered has what each filter of the repository would do something to, and names them.
const filtered = "echo x >>a; echo x >>b; echo x >>dir/c; echo x >x.if; echo x >x.tree; echo x >x.both; echo new >new.up"

var named = []string{"filters of the repository's own configuration were not run: a=b.c, both, if, in, own, tree"}

// ran returns what has left a mark.
func (w *world) ran() string {
	return w.sh(`for f in ran-*; do [ ! -e "$f" ] || echo "$f"; done`, w.home)
}

func TestARunHasNoProgramOfTheRepositoryRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sh(hostile + "\nprintf 'old\n' >old.up")
	work, err := w.git.Watch(w.Context(), w.place())
	fstest.Must(t, err)
	w.sh(filtered)
	c := w.ended(work)
	fstest.Equal(t, w.ran(), "")
	fstest.EqualSlices(t, c.Notes, named)
	fstest.EqualSlices(t, c.Files, []string{"a", "b", "dir/c", "new.up", "x.both", "x.if", "x.tree"})
	if diff, err := os.ReadFile(c.Diff); err != nil || !strings.Contains(string(diff), "\n+NEW\n") {
		t.Errorf("the user's own filter has not run: %v\n%s", err, diff)
	}
	w.sh("git add a")
	if ran := w.ran(); !strings.Contains(ran, "ran-clean") || !strings.Contains(ran, "ran-fsmonitor") {
		t.Errorf("git itself ran only %q: the test proves nothing", ran)
	}
}

func TestAWorktreeHasNoProgramOfTheRepositoryRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sh("printf 'OLD\n' >old.up; git add old.up; git commit -qm capitals; printf 'old\n' >old.up\n" + hostile)
	work := w.made()
	fstest.Equal(t, w.sh("cat old.up", work.Folder()), "old")
	fstest.Equal(t, w.sh("git rev-parse --path-format=absolute --git-common-dir", work.Folder()), filepath.Join(w.top, ".git"))
	w.sh("rm -f ran-*", w.home)
	w.sh(filtered+"; echo more >>old.up; : >a; : >b", work.Folder())
	w.sh("rm -f a b; echo mine >mine")
	c := w.ended(work)
	fstest.Equal(t, w.ran(), "")
	if len(c.Notes) == 0 || !slices.Equal(c.Notes[len(c.Notes)-1:], named) {
		t.Errorf("notes: %q", c.Notes)
	}
	w.sh("git checkout -q a b; rm -f ../ran-*")
	a, err := work.Adopt(t.Context())
	fstest.Must(t, err)
	fstest.Equal(t, w.ran(), "")
	fstest.EqualSlices(t, a.Files, []string{"a", "b", "dir/c", "new.up", "old.up", "x.both", "x.if", "x.tree"})
	fstest.Equal(t, w.sh("cat new.up old.up mine; git -c core.fsmonitor=false show :old.up"), "new\nold\nmore\nmine\nOLD")
}

// TestASubmoduleHasNoProgramOfItsOwnRun, even where the user has git enter submodules.
func TestASubmoduleHasNoProgramOfItsOwnRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sh("git init -q ../super; cd ../super; git -c protocol.file.allow=always submodule --quiet add ../repo in; echo a >a; git add a; git commit -qm sub")
	w.sh("git config --global submodule.recurse true; git config --global diff.submodule diff; git config --global status.submoduleSummary true")
	w.sh(strings.ReplaceAll(hostile, ".git/", "../.git/modules/in/"), "../super/in")
	w.top = filepath.Join(w.home, "super")
	w.sh("echo x >>in/a; rm -f ../ran-*")
	work, err := w.git.Watch(w.Context(), w.place())
	fstest.Must(t, err)
	w.sh("echo y >>a; echo y >>in/a")
	fstest.EqualSlices(t, w.ended(work).Files, []string{"a"})
	made := w.made()
	w.sh("echo z >>a", made.Folder())
	w.ended(made)
	w.sh("echo a >a; rm -f ../ran-*")
	a, err := made.Adopt(t.Context())
	fstest.Must(t, err)
	fstest.EqualSlices(t, a.Files, []string{"a"})
	fstest.Equal(t, w.ran(), "")
}

// TestASparseRepositoryHasSparseWorktrees, where its own worktree has the configuration.
func TestASparseRepositoryHasSparseWorktrees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sh("git sparse-checkout set --no-cone a .gitignore")
	work := w.made()
	fstest.Equal(t, w.sh("ls; git sparse-checkout list", work.Folder()), "a\na\n.gitignore")
	w.sh("echo x >>a", work.Folder())
	fstest.EqualSlices(t, w.ended(work).Files, []string{"a"})
}

// TestARepositoryOfAnotherUser is one in which git refuses to work, unless the user trusts it.
func TestARepositoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	w.sh("chown -R 12345 .")
	if _, err := w.git.Watch(t.Context(), w.place()); err == nil || !strings.Contains(err.Error(), "ownership") {
		t.Errorf("%v", err)
	}
	w.sh("git config --global safe.directory " + w.top)
	if _, err := w.git.Watch(t.Context(), w.place()); err != nil {
		t.Error(err)
	}
}

// TestWhereRepositoriesLie: git is led to each as it would find it.
func TestWhereRepositoriesLie(t *testing.T) {
	for name, script := range map[string]string{
		"linked worktree": "git worktree add -q -b side ../in",
		"submodule":       "git init -q ../super; cd ../super; git -c protocol.file.allow=always submodule --quiet add ../repo in; git commit -qm sub; ln -s super/in ../in",
		"link":            "mv .git ../elsewhere; ln -s ../elsewhere .git; ln -s repo ../in",
		"separate":        "git init -q --separate-git-dir=../elsewhere; ln -s repo ../in",
		"odd name":        "cd ..; git clone -q repo 'a \"b\\'; ln -s 'a \"b\\' in",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.sh(script)
			w.top = filepath.Join(w.home, "in")
			const state = `git status --porcelain; git for-each-ref refs/heads; git worktree list; cd "$(git rev-parse --git-common-dir)"; find worktrees -maxdepth 1 2>&- || :`
			before := w.sh(state)
			if c := w.during("echo x >>a; git add a", "dir", ".."); !slices.Equal(c.Files, []string{"a"}) {
				t.Errorf("%+v", c)
			}
			w.sh("git reset -q --hard")
			fstest.Equal(t, w.sh(state), before)
			work := w.made("dir")
			w.sh("echo x >>c; git commit -qam x; echo y >>c", work.Folder())
			if c := w.ended(work); !slices.Equal(c.Files, []string{"c"}) || len(c.Notes) > 0 {
				t.Errorf("%+v", c)
			}
			if a, err := work.Adopt(t.Context()); err != nil || !slices.Equal(a.Files, []string{"dir/c"}) {
				t.Errorf("%+v, %v", a, err)
			}
			w.sh("git branch -q -D " + work.Branch + "; git reset -q --hard")
			fstest.Equal(t, w.sh(state), before)
		})
	}
}
