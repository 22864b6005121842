package settings

import (
	"fmt"
	"strconv"
	"time"
)

// field is one name and how its text is checked and stored.
type field struct {
	name string
	set  func(*Settings, string) error
}

// fields is in the order in which mistakes are reported.
var fields = []field{
	{"listen", func(s *Settings, value string) error {
		s.Listen = value
		return nil
	}},
	{"upstream", func(s *Settings, value string) error {
		s.Upstream = value
		return nil
	}},
	{"timeout", func(s *Settings, value string) error {
		timeout, err := time.ParseDuration(value)
		if err != nil || timeout <= 0 {
			return fmt.Errorf("%q is no positive duration", value)
		}
		s.Timeout = timeout
		return nil
	}},
	{"workers", func(s *Settings, value string) error {
		workers, err := strconv.Atoi(value)
		if err != nil || workers < 1 || workers > 256 {
			return fmt.Errorf("%q is no number from 1 to 256", value)
		}
		s.Workers = workers
		return nil
	}},
	{"verbose", func(s *Settings, value string) error {
		verbose, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		s.Verbose = verbose
		return nil
	}},
}

func known(name string) bool {
	for _, f := range fields {
		if f.name == name {
			return true
		}
	}
	return false
}
