// Package check tells of a skill what is wrong with it, what makes it suspicious, and what it
// needs and whether that is here.
//
// The rules are data, in rules.tsv; what only code can tell is here:
//
//   - spec.go: what is wrong with a skill by the specification of agentskills/agentskills, and
//     with a command or subagent by what its agent needs. It finds all that the reference
//     validator, skills-ref, finds, and names the rule. Its judgement is the reader's: a skill
//     with a fault is shown wherever it can be read, because most agents read it, and some
//     drop it silently.
//   - suspect.go and sends.go: what makes one suspicious.
//   - need.go, shell.go and machine.go: what one needs, and what this machine has.
//   - study.go: all of that for the files of one, with the tokens of each layer, kept on disk
//     until a file changes.
package check
