// Package record writes what one terminal showed to plain files, and reads such
// files.
//
// # The folder of a terminal
//
// A terminal has a folder of its own, 0700, named by its id; its files are 0600
// from their first byte. They are the truth: who shows them never asks the
// process that writes them, and that one may be killed at any moment.
//
//	meta.json       what is known of the terminal now; replaced as a whole
//	part-0001.txt   the clean log; continued in part-0002.txt past 64 MiB
//	screen.txt      what is on the screen, replaced when that has changed
//	commands.jsonl  a line for every command that has ended
//	replay.cast     asciicast v2 of the first 16 MiB, where it is wanted
//
// A part begins with a header of [HeaderLen] bytes in [HeaderLines] lines
// between lines of dashes, the shape that agents know from Cursor: pid, cwd,
// last_command and last_exit_code, or while a command runs command and started_at.
// It is rewritten in place, with one write, when a command starts or ends or the
// folder changes, and keeps its length by that of the lines of dashes; what
// follows is only ever appended to. An older part keeps the header it had.
//
// # Places
//
// A line of commands.jsonl tells where the output of its command lies. Bytes are
// offsets in the file of the part, the header included, the second one after the
// end:
//
//	tail -c +$((b0+1)) part-0001.txt | head -c $((b1-b0))
//
// Lines are those that an editor shows: sed -n "$l0,$l1"p part-0001.txt. They are
// null for a command that printed nothing. Where the output goes on in another
// part, end_part is that one, and the second byte and line lie in it.
//
// # What is promised
//
// The text of the log is that of package grid, with secrets masked by line. A
// line that is not finished is written when it is, or in pieces once it is
// longer than 64 KiB. Where the disk is full, or the file cannot be written
// otherwise, up to 1 MiB is kept in memory and written when there is room again;
// of what is more the log says how much it was. Meanwhile meta.json tells the
// fault (it has room to do so without any on the disk). A part that somebody
// deletes is continued in the next one, a folder made anew.
package record
