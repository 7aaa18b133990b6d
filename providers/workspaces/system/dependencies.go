package system

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/workspaces/inside"
)

// maxPackages is how many packages of a manifest are listed; those that are not installed
// come first.
const maxPackages = 200

// Dependencies are the packages that a manifest declares.
type Dependencies struct {
	Manifest string `json:"manifest"`
	// In is the folder of the project where installed ones are, or "".
	In string `json:"in,omitempty"`
	// Declared and Installed are how many there are.
	Declared  int `json:"declared"`
	Installed int `json:"installed"`
	// Note says why it is not known what is installed; "" if it is.
	Note     string    `json:"note,omitempty"`
	Packages []Package `json:"packages,omitempty"`
}

// Package is a package that a manifest declares.
type Package struct {
	Name string `json:"name"`
	// Wanted is the version or range that the manifest asks for; it may be "".
	Wanted string `json:"wanted,omitempty"`
	// Installed is the version that is installed, "yes" if that is not known, "no" if the
	// package is not there, and "" if that was not looked up.
	Installed string `json:"installed,omitempty"`
}

const (
	missing = "no"
	present = "yes"
)

// dependencies returns what the manifests at the top of a project declare.
func dependencies(project *inside.Folder) []Dependencies {
	var all []Dependencies
	for _, read := range []func(*inside.Folder) (Dependencies, bool){javascript, golang, python, rust, ruby, php} {
		if d, ok := read(project); ok {
			all = append(all, d.finish())
		}
	}
	return all
}

// finish counts, sorts, and cleans the packages.
func (d Dependencies) finish() Dependencies {
	d.Declared = len(d.Packages)
	for i := range d.Packages {
		p := &d.Packages[i]
		p.Name, p.Wanted, p.Installed = short(p.Name), short(p.Wanted), short(p.Installed)
		if p.Installed != missing && p.Installed != "" {
			d.Installed++
		}
	}
	slices.SortStableFunc(d.Packages, func(a, b Package) int {
		if x, y := a.Installed == missing, b.Installed == missing; x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	d.Packages = d.Packages[:min(len(d.Packages), maxPackages)]
	return d
}

func short(text string) string { return clean.Cut(clean.Line(text), 100) }

// found returns a version, or that a package is there or not.
func found(version string, there bool) string {
	switch {
	case !there:
		return missing
	case version == "":
		return present
	}
	return version
}
