// Package facts is what providers learn from one another without knowing each other:
// uses, statements, plans and requests to models of sessions; edits and reads of files;
// what agents are given, and what became of calls; news for hooks, remarks for pages, and
// what searches find. The list of providers (package providers) asks each provider for
// these interfaces and gives what all answer to those that want it.
package facts
