package record

import (
	"os"
	"syscall"

	"ctxfs/fs/jsonscan"
	"ctxfs/providers/internal/clean"
)

// RecordsFile is the file of the records.
const RecordsFile = "commands.jsonl"

// journal writes the records of commands.
type journal struct {
	dir     *folder
	file    *os.File // nil until there is something to write
	n       int      // the number of the last command
	pending []byte
}

// add adds a record. If there has been no room for long, it is dropped.
func (j *journal) add(c *Record) {
	if len(j.pending) > maxPending {
		return
	}
	j.pending = append(j.pending, jsonLine(c)...)
}

// jsonLine returns a value as a line of JSON, with hidden characters escaped.
func jsonLine(value any) []byte {
	line, err := jsonscan.Line(value)
	if err != nil {
		panic(err) // all of it is ours
	}
	return clean.JSON(line)
}

// write writes what is pending.
func (j *journal) write() error {
	if len(j.pending) == 0 {
		return nil
	}
	if j.file != nil {
		var st syscall.Stat_t
		if syscall.Fstat(int(j.file.Fd()), &st) == nil && st.Nlink == 0 {
			_ = j.close()
		}
	}
	if j.file == nil {
		f, err := os.OpenFile(j.dir.file(RecordsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		j.file = f
	}
	n, err := j.file.Write(j.pending)
	j.pending = j.pending[:copy(j.pending, j.pending[n:])]
	return err
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	f := j.file
	j.file = nil
	return f.Close()
}
