// Package supervise is the life of servers' processes: when they may start,
// how long their start may take, and how they end.
//
// A [Supervisor] stands for all servers of one background process of ctxfs. A
// server's start is a [Start]: it waits for its turn (background starts are
// few at a time, at a lower priority and held back by load; one that somebody
// waits for goes before all of them), runs one process or several, one after
// the other, and is over when the server has answered.
//
// A start goes on for as long as it makes progress, measured over the whole
// group of its process and all descendants: package runners such as npx
// install for minutes, and killing them leaves their caches half written, for
// every other program too. For the same reason a process is always asked to
// end before it is killed, a group as a whole, and what still installs when
// ctxfs ends is left to finish, watched by a small shell (the reaper).
package supervise
