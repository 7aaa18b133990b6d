// Package system finds out what the environment of a project has: the system, the programs
// with which people build things, in which version, what versions the project wants, and
// which of the packages that it declares are installed. It is the content of system.json.
//
// Versions are read from files where there are files that say them. Otherwise the program
// is asked ("node --version"), once for as long as it does not change, and only if it lies
// outside of all projects.
package system

import (
	"bytes"
	"context"
	"fmt"

	"ctxfs/fs/jsonscan"
	"ctxfs/providers/workspaces/inside"
	"ctxfs/providers/workspaces/programs"
)

// Options are the surroundings of a [Reader].
type Options struct {
	// Path is the value of PATH, Shell that of SHELL, and Home the user's home folder.
	Path, Shell, Home string
	// Work returns the folders in which people work: nothing in them is run. It may be
	// nil.
	Work func() []string
	// Programs runs programs that are asked their versions.
	Programs *programs.Runner
}

// Reader reads the environments of projects. It is safe for concurrent use.
type Reader struct {
	opts     Options
	versions versions
}

// New returns a Reader.
func New(opts Options) *Reader { return &Reader{opts: opts} }

// System is the environment of a project.
type System struct {
	Machine Machine `json:"machine"`
	Shell   string  `json:"shell,omitempty"`
	// PackageManagers are those of the system.
	PackageManagers []Program `json:"packageManagers,omitempty"`
	// Programs are interpreters, compilers, and their package managers: first the Python
	// of a virtual environment in the project.
	Programs []Program `json:"programs,omitempty"`
	// Wanted are the versions that the project asks for.
	Wanted []Wanted `json:"wanted,omitempty"`
	// Dependencies are the packages that the project declares, by manifest.
	Dependencies []Dependencies `json:"dependencies,omitempty"`
}

// Machine is the system itself.
type Machine struct {
	System       string `json:"system"`           // "Debian GNU/Linux 12 (bookworm)"
	Kernel       string `json:"kernel,omitempty"` // "Linux 6.18.1"
	Architecture string `json:"architecture"`     // as Go names it: "amd64"
	Processors   int    `json:"processors"`
	Memory       string `json:"memory,omitempty"`    // "16.8 GB"
	Container    string `json:"container,omitempty"` // the file that says that it is one
}

// Program is a program on the PATH.
type Program struct {
	Name string `json:"name"`
	// Version is "" if it is not known.
	Version string `json:"version,omitempty"`
	// Path is where it lies, without links if it is managed by a version manager.
	Path string `json:"path"`
}

// Wanted is a version that a project asks for.
type Wanted struct {
	Program string `json:"program"`
	Version string `json:"version"` // as it is written: ">=3.11"
	Source  string `json:"source"`  // the file that says so
}

// Read returns the environment of the project in a folder. What cannot be read is left
// out; the error is that of the folder, or of the context.
func (r *Reader) Read(ctx context.Context, dir string) (System, error) {
	project, err := inside.Open(dir)
	if err != nil {
		return System{}, err
	}
	defer project.Close()
	outside := []string{dir}
	if r.opts.Work != nil {
		outside = append(outside, r.opts.Work()...)
	}
	s := System{Machine: machine(), Shell: r.opts.Shell}
	for _, name := range systemManagers() {
		if path := programs.Find(name, r.opts.Path, outside...); path != "" {
			s.PackageManagers = append(s.PackageManagers, Program{Name: name, Path: path})
		}
	}
	if p, ok := virtual(project, dir); ok {
		s.Programs = append(s.Programs, p)
	}
	for _, t := range tools() {
		if path := programs.Find(t.name, r.opts.Path, outside...); path != "" {
			s.Programs = append(s.Programs, r.program(ctx, t, path, outside))
		}
	}
	s.Wanted = wanted(project)
	s.Dependencies = dependencies(project)
	return s, ctx.Err()
}

// JSON returns the text of system.json: one line for each program and package, so that rg
// finds it whole.
func (s System) JSON() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	member(&b, "machine", s.Machine)
	member(&b, "shell", s.Shell)
	list(&b, "packageManagers", s.PackageManagers)
	list(&b, "programs", s.Programs)
	list(&b, "wanted", s.Wanted)
	b.WriteString("  \"dependencies\": [")
	for i, d := range s.Dependencies {
		b.WriteString([]string{"\n", ",\n"}[min(i, 1)])
		packages := d.Packages
		d.Packages = nil
		head := encode(d)
		fmt.Fprintf(&b, "    %s, \"packages\": [", bytes.TrimSuffix(head, []byte("}")))
		for j, p := range packages {
			fmt.Fprintf(&b, "%s      %s", []string{"\n", ",\n"}[min(j, 1)], encode(p))
		}
		b.WriteString("]}")
	}
	b.WriteString("]\n}\n")
	return b.Bytes()
}

func member(b *bytes.Buffer, name string, value any) {
	fmt.Fprintf(b, "  %q: %s,\n", name, encode(value))
}

func list[T any](b *bytes.Buffer, name string, items []T) {
	fmt.Fprintf(b, "  %q: [", name)
	for i, item := range items {
		fmt.Fprintf(b, "%s    %s", []string{"\n", ",\n"}[min(i, 1)], encode(item))
	}
	b.WriteString("],\n")
}

// encode returns a value as JSON on one line.
func encode(value any) []byte {
	line, err := jsonscan.Line(value)
	if err != nil {
		return []byte("null") // our types have nothing that JSON lacks
	}
	return bytes.TrimSpace(line)
}
