//go:build !race

package main

// raceEnabled tells whether the binary is to be built with the race detector,
// as the tests are.
const raceEnabled = false
