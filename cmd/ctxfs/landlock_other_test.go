//go:build !linux

package main

const landlockMode = "CTXFS_TEST_LANDLOCK"

func runInLandlock(string) int { panic("only Linux has Landlock") }
