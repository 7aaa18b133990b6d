// Package render makes text of the events of a session: transcript.md, the
// files in results/, messages.jsonl, digest.md and files.tsv. It holds no files
// and no clock: the same events give the same bytes.
//
// # transcript.md
//
// The transcript is a heading and then blocks, each of one event, in order. A
// block begins with one line, which is made to be found:
//
//	### [08940314/00012] 2026-02-08T05:46:11Z tool-call Bash call=9cXkT2fQ
//
// The words are, in this order and without spaces of their own:
//
//   - the anchor: the session's short id and the number of the event, of five
//     digits or more. Numbers of events that are not shown are left out.
//   - the time in UTC, or "-" where the source has none
//   - the kind: user, assistant, thinking, tool-call, tool-result, system,
//     compaction (a summary), unknown
//   - the tool of calls and results, the type of unknown records
//   - queued, injected or sdk, of user blocks that nobody typed at the prompt
//   - error, of results
//   - call=, the last eight characters of the call's id: a result has that of its
//     call
//   - model=, of an assistant's block when it is another than before
//   - agent=, the subagent within this session that the block belongs to
//   - subagent=, the id of the session that a call has started
//
// So `rg '^### .* user'` lists what was said to the agent, and
// `rg 'tool-result Bash.*error'` the commands that failed.
//
// After that line comes the text, as it was said and with its own line ends.
// The arguments of a call are lines of "name: value"; a value of several lines
// stands below its name, indented. Results, arguments and all else over 4 KB
// are folded to their first and last lines, what people and the model said over
// 16 KB; single lines are cut at 2 KB. A block that does not show its whole text
// ends with a line that says where it is:
//
//	[whole: results/9cXkT2fQ.Bash.txt, 36.7 KB, 1207 lines]
//
// Marks are lines of their own:
//
//	===== COMPACTION 1 auto 2026-02-08T05:46:11Z, 155000 tokens before [08940314/00400] =====
//	===== REWIND to 00012 2026-02-08T05:46:11Z, 3 taken back [08940314/00420] =====
//	===== FORK of 79e9becd-…: 120 records are told there, by-id/79e9becd-… [08940314/00001] =====
//
// No text can pass for a heading or a mark: a line of a text that begins with
// "### " or "=====" gets a space before it. Control characters, escapes and
// invisible characters are gone, and binary data is a note such as
// "[image/png 34 KB]".
package render
