// Package record writes what one terminal showed to plain files, and reads such
// files.
//
// # The folder of a terminal
//
// A terminal has a folder of its own, 0700, named by its ID; its files are 0600
// from their first byte. The files are the only source: readers never ask the
// process that writes them, which may be killed at any moment.
//
//	meta.json       what is known of the terminal now; replaced as a whole
//	part-0001.txt   the clean log; continued in part-0002.txt past 64 MiB
//	screen.txt      what is on the screen, replaced when that has changed
//	commands.jsonl  a line for every command that has ended
//	replay.cast     asciicast v2 of the first 16 MiB, if wanted
//
// A part begins with a header of [HeaderLen] bytes in [HeaderLines] lines
// between lines of dashes, in the form that agents know from Cursor: pid, cwd,
// last_command and last_exit_code, or while a command runs command and
// started_at. It is rewritten in place, with one write, when a command starts
// or ends or the folder changes, and keeps its length by the length of the
// lines of dashes; what follows is only ever appended to. An older part keeps
// its last header.
//
// # Places
//
// A line of commands.jsonl says where the output of its command lies. Bytes are
// offsets in the file of the part, including the header; the second one is
// after the end:
//
//	tail -c +$((b0+1)) part-0001.txt | head -c $((b1-b0))
//
// Lines are those that an editor shows: sed -n "$l0,$l1"p part-0001.txt. They
// are null for a command that printed nothing. If the output continues in
// another part, end_part is that part, and the second byte and line lie in it.
//
// # Guarantees
//
// The text of the log is that of package grid, with secrets masked by line. A line
// is written when it is complete, or in pieces once it is longer than 64 KiB. If
// the disk is full, or the file cannot be written for another reason, up to 1 MiB
// is kept in memory and written when there is room again; of anything beyond that
// the log states the size. Meanwhile meta.json has the fault (it has room for that
// without any on the disk). A part that is deleted is continued in the next one,
// and a deleted folder is created again.
//
// # Order
//
// [Recorder.Write] takes the bytes of the terminal (recorder.go), text.go masks
// complete lines, log.go, command.go and journal.go, screen.go, replay.go and
// meta.go each write one kind of file, store.go in their order; [Load] and
// [Records] read the files again, [Terminal.Output] the output of a command,
// [Prune] deletes old ones.
package record
