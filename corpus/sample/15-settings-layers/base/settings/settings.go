// Package settings reads what the relay is told at its start.
package settings

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Settings is everything that can be set.
type Settings struct {
	Listen   string
	Upstream string
	Timeout  time.Duration
	Workers  int
	Verbose  bool
}

// Load reads the file, then the environment as os.Environ returns it. Unknown names in the file are refused.
func Load(file io.Reader, environ []string) (*Settings, error) {
	s := &Settings{Listen: ":8080", Timeout: 10 * time.Second, Workers: 4}
	values := map[string]string{}
	scanner := bufio.NewScanner(file)
	number := 0
	for scanner.Scan() {
		number++
		line := strings.TrimSpace(scanner.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d: expected name = value", number)
		}
		name = strings.TrimSpace(name)
		switch name {
		case "listen", "upstream", "timeout", "workers", "verbose":
			values[name] = strings.TrimSpace(value)
		default:
			return nil, fmt.Errorf("line %d: unknown name %q", number, name)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "RELAY_") {
			continue
		}
		name = strings.ToLower(strings.TrimPrefix(name, "RELAY_"))
		switch name {
		case "listen", "upstream", "timeout", "workers", "verbose":
			values[name] = value
		}
	}
	if value, ok := values["listen"]; ok {
		s.Listen = value
	}
	if value, ok := values["upstream"]; ok {
		s.Upstream = value
	}
	if value, ok := values["timeout"]; ok {
		timeout, err := time.ParseDuration(value)
		if err != nil || timeout <= 0 {
			return nil, fmt.Errorf("timeout: %q is no positive duration", value)
		}
		s.Timeout = timeout
	}
	if value, ok := values["workers"]; ok {
		workers, err := strconv.Atoi(value)
		if err != nil || workers < 1 || workers > 256 {
			return nil, fmt.Errorf("workers: %q is no number from 1 to 256", value)
		}
		s.Workers = workers
	}
	if value, ok := values["verbose"]; ok {
		verbose, err := strconv.ParseBool(value)
		if err != nil {
			return nil, fmt.Errorf("verbose: %q is neither true nor false", value)
		}
		s.Verbose = verbose
	}
	if s.Upstream == "" {
		return nil, fmt.Errorf("upstream must be set")
	}
	return s, nil
}
