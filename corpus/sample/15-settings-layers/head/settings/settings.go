// Package settings reads what the relay is told at its start.
//
// A layer is a set of named texts (the file, the environment). Layers are laid over each other, later ones win, and
// the result is applied to the defaults by one field after another.
package settings

import (
	"fmt"
	"io"
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
	fromFile, err := readFile(file)
	if err != nil {
		return nil, err
	}
	s := &Settings{Listen: ":8080", Timeout: 10 * time.Second, Workers: 4}
	if err := s.apply(fromFile.under(readEnvironment(environ))); err != nil {
		return nil, err
	}
	if s.Upstream == "" {
		return nil, fmt.Errorf("upstream must be set")
	}
	return s, nil
}

func (s *Settings) apply(values layer) error {
	for _, f := range fields {
		value, ok := values[f.name]
		if !ok {
			continue
		}
		if err := f.set(s, value); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}
