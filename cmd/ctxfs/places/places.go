// Package places knows where the files of one user lie, and how to reach the
// background process from there. It imports little, since the imports determine how
// fast a command that only asks that process starts.
//
// # On disk
//
// State ($XDG_STATE_HOME/ctxfs, by default ~/.local/state/ctxfs) must survive. Caches
// ($XDG_CACHE_HOME/ctxfs) can be deleted at any time, also under a running process.
// Folders have the mode 0700, files 0600. A file with a format number names it in its
// first line or object: a cache with another number is made again, state with another
// number is reported and left alone. Unknown keys are ignored.
//
// State:
//
//   - daemon.lock, daemon.json, daemon.log, holder.log, run/: the background process
//     (package control).
//   - setup.json, setup.lock: files of other programs as they were before they were
//     changed (package journal).
//   - terminals/<id>/: recorded terminals (package record).
//   - results/: long results as plain files, with a journal in .store/ (package
//     results).
//   - mcp/trusted.json: approved entries of projects (package clients).
//     mcp/pins/<server>-<hash>.json: accepted definitions (package pins). mcp/logs/:
//     at most 256 KiB for each server (package serverlog). mcp/logins/<server>.json:
//     secrets, here or in the keyring (package oauth). mcp/tasks/: at most 1,000,
//     for 7 days (package tasks). mcp/calls.jsonl and calls.jsonl.1: a line for each
//     call, at most 16 MiB each (package calls).
//   - transcripts/archive/<agent>/*.jsonl.zst: sessions kept after their agents
//     delete them (package archive).
//   - trust.json: the projects that the user trusts (package trust).
//   - memory/trash/: the last 200 forgotten memories; memory/proposed.jsonl:
//     sentences that were accepted or dismissed. The memories themselves are in
//     $XDG_DATA_HOME/ctxfs/memory, or [memory] dir (packages store, fact and
//     proposed).
//   - workspaces/names.json, known.json, asked.json and <name>-<hash>/notes/
//     (package workspaces).
//   - agents/<id>/: runs of agents; agents/.running/: the processes that keep those
//     under way (package job).
//   - hooks/told.jsonl: what sessions were told; at most 2 MiB, 1,000 sessions, 30
//     days (package hooks).
//   - find/forgotten.jsonl: what is not to be learned (package learned).
//
// Caches:
//
//   - mcp/<server>-<hash>.json: catalogues, as they came and as they are shown;
//     mcp/kept/: kept resources; mcp/starting/: locks of installations (packages
//     catalogue and supervise).
//   - transcripts/sessions.<n>.jsonl, <2 digits>/<30 digits>/ and locks/: the list
//     of sessions and their texts (package cache).
//   - transcripts, results and terminals/fulltext.db: words of long texts (package
//     fulltext).
//   - find/learned.jsonl, memory/statements.jsonl, plans/sessions.jsonl,
//     stats/spending.jsonl: what was found in each session. The numbers of what is
//     found, such as usesFormat, are in package transcripts.
//   - skills/studied.jsonl: what was found in the files of skills (package check).
//   - workspaces/<name>-<hash>/, exec/<folder>/: pages and outputs as
//     they are shown.
//
// A synced folder has its manifest in .ctxfs-sync.jsonl (package mounts).
package places

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxfs/mounts/control"
	"ctxfs/providers/readonly"
)

// Version is the version of this program.
const Version = "0.2.0"

// Places are the folders of one user, and this program.
type Places struct {
	Home   string // the user's home folder
	Config string // config.toml
	State  string // folder for logs, the socket, and what cannot be made again
	Cache  string // folder for catalogues

	// Program is the path of this program, "" if it is not known, and Launch starts it as the
	// background process.
	Program string
	Launch  control.Launch

	// Note prints a line for a person who waits; it may be nil.
	Note func(line string)
}

// Find finds the folders. It creates none, and fails without a home folder, which must
// not be created either.
func Find(lookupEnv func(string) (string, bool)) (Places, error) {
	home, _ := lookupEnv("HOME")
	if !filepath.IsAbs(home) {
		return Places{}, &control.Fault{Message: "the home folder is not known", Hint: "set HOME to an absolute path"}
	}
	if _, err := os.Stat(home); errors.Is(err, os.ErrNotExist) {
		return Places{}, &control.Fault{Message: "the home folder " + home + " does not exist", Hint: "set HOME to a folder that is there"}
	}
	xdg := func(variable string, fallback ...string) string {
		if dir, ok := lookupEnv(variable); ok && filepath.IsAbs(dir) {
			return filepath.Join(dir, "ctxfs")
		}
		return filepath.Join(append(append([]string{home}, fallback...), "ctxfs")...)
	}
	program, _ := os.Executable() // of a running program it is known
	return Places{
		Home:    home,
		Config:  filepath.Join(xdg("XDG_CONFIG_HOME", ".config"), "config.toml"),
		State:   xdg("XDG_STATE_HOME", ".local", "state"),
		Cache:   xdg("XDG_CACHE_HOME", ".cache"),
		Program: program,
		Launch:  control.Spawn,
	}, nil
}

// DefaultMount is the mount point of commands that name none.
func (p Places) DefaultMount() string { return filepath.Join(p.Home, ".agentctx") }

// Log is the log of the background process.
func (p Places) Log() string { return filepath.Join(p.State, "daemon.log") }

// Process returns how to reach the background process.
func (p Places) Process() control.Home {
	return control.Home{Dir: p.Home, State: p.State, Mount: p.DefaultMount(), Version: Version, MayStart: p.mayStart, Launch: p.Launch, Note: p.Note}
}

// mayStart returns why the background process is not started here: what is started inside
// a run of an agent ends with that, and a sandbox is around it.
func (p Places) mayStart() error {
	run := readonly.In(p.State).Run(os.Getpid())
	if run == "" {
		return nil
	}
	return &control.Fault{
		Message: fmt.Sprintf("the background process does not run, and is not started inside a run of an agent (%s), with which it would end", run),
		Hint:    "start it outside: ctxfs mount",
	}
}

// Start connects to the background process, and starts it first if necessary.
func (p Places) Start(ctx context.Context) (*control.Client, error) {
	return p.Process().Start(ctx, "daemon")
}

// TakeOver replaces the background process, which is of an older build, by one of
// this program. It returns when that one shows what the other one has shown.
func (p Places) TakeOver(ctx context.Context, pid int) error {
	return p.Process().Succeed(ctx, pid, "daemon", "--"+TakeOverFlag)
}

// TakeOverFlag has the command daemon replace the one that runs.
const TakeOverFlag = "take-over"

// nextTime is how long UntilServed tries to reach the next process.
const nextTime = 30 * time.Second

// UntilServed calls ask, and calls it again while it fails with control.ErrGone:
// the background process that it reached was ending, and another one will follow.
// It gives up after 30 s. Ask may be called any number of times, so it must not
// have had an effect when it returns that error.
func UntilServed(ask func() error) error {
	err := ask()
	for begun, pause := time.Now(), 20*time.Millisecond; errors.Is(err, control.ErrGone) && time.Since(begun) < nextTime; pause = min(2*pause, time.Second) {
		time.Sleep(pause)
		err = ask()
	}
	return err
}

// ProgramIn returns the path by which other programs should start this one: that by which it
// is found in PATH, since the next version may be in another folder, or else its own.
func (p Places) ProgramIn(path string) string {
	for _, dir := range filepath.SplitList(path) {
		named := filepath.Join(dir, "ctxfs")
		if info, err := os.Stat(named); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			if filepath.IsAbs(named) && control.Same(named, p.Program) {
				return named
			}
			break // another one
		}
	}
	return p.Program
}

// TryFolder returns why nothing can be written in a folder, which it finds out by
// writing a file and removing it. It creates the folder if necessary.
func TryFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 4096)) // an empty file fits a full disk
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
