package settings

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

const prefix = "RELAY_"

// layer holds texts by known name.
type layer map[string]string

// under returns a new layer in which the names of over win.
func (l layer) under(over layer) layer {
	merged := make(layer, len(l)+len(over))
	for name, value := range l {
		merged[name] = value
	}
	for name, value := range over {
		merged[name] = value
	}
	return merged
}

// readFile reads lines of name = value; empty lines and those that start with # do not count.
func readFile(file io.Reader) (layer, error) {
	values := layer{}
	scanner := bufio.NewScanner(file)
	for number := 1; scanner.Scan(); number++ {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d: expected name = value", number)
		}
		name = strings.TrimSpace(name)
		if !known(name) {
			return nil, fmt.Errorf("line %d: unknown name %q", number, name)
		}
		values[name] = strings.TrimSpace(value)
	}
	return values, scanner.Err()
}

// readEnvironment takes the known names; others may belong to other programs.
func readEnvironment(environ []string) layer {
	values := layer{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if name = strings.ToLower(strings.TrimPrefix(name, prefix)); known(name) {
			values[name] = value
		}
	}
	return values
}
