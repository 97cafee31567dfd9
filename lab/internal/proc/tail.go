package proc

import (
	"io"
	"os"
	"strings"
)

const (
	tailLines = 20
	tailBytes = 16 << 10
)

// Tail returns the last lines of a file, indented by two blanks, or a line that
// says why there are none.
func Tail(path string, lines int) string {
	text, err := lastBytes(path, tailBytes)
	if err != nil {
		return "  (cannot read the log: " + err.Error() + ")"
	}
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return "  (the log is empty)"
	}
	all := strings.Split(text, "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return "  " + strings.Join(all, "\n  ")
}

func lastBytes(path string, limit int64) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	if _, err := file.Seek(max(0, size-limit), io.SeekStart); err != nil {
		return "", err
	}
	data, err := io.ReadAll(file)
	return string(data), err
}
