//go:build !linux

package main

const (
	landlockMode = "CTXFS_TEST_LANDLOCK"
	forbidMode   = "CTXFS_TEST_FORBID"
)

func runInLandlock(string) int { panic("only Linux has Landlock") }

func runForbidding(string) int { panic("only Linux has seccomp") }
