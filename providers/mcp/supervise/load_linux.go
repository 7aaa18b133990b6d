package supervise

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// What counts as a busy machine: the share of the last ten seconds for which
// something waited for a processor or for memory, in percent, or, where the
// kernel does not tell, how many processes want to run for each processor.
const (
	busyCPU    = 60
	busyMemory = 20
	busyLoad   = 2
)

// busy reports whether the machine has enough to do.
func busy() bool {
	if share, ok := pressure("cpu"); ok {
		memory, _ := pressure("memory")
		return share > busyCPU || memory > busyMemory
	}
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	return err == nil && load > busyLoad*float64(runtime.NumCPU())
}

// pressure is the share of the last ten seconds for which some process waited
// for a resource, in percent.
func pressure(of string) (percent float64, ok bool) {
	text, err := os.ReadFile("/proc/pressure/" + of)
	if err != nil {
		return 0, false
	}
	_, after, _ := strings.Cut(string(text), "some avg10=")
	first, _, _ := strings.Cut(after, " ")
	percent, err = strconv.ParseFloat(first, 64)
	return percent, err == nil
}

// uptime is for how long the machine runs; false where that is not known.
func uptime() (time.Duration, bool) {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, false
	}
	first, _, _ := strings.Cut(string(text), " ")
	seconds, err := strconv.ParseFloat(first, 64)
	return time.Duration(seconds * float64(time.Second)), err == nil
}
