// Package collect keeps readings until they are sent.
package collect

import "sync"

// Reading is one measured value.
type Reading struct {
	Sensor string  `json:"sensor"`
	Unix   int64   `json:"unix"`
	Value  float64 `json:"value"`
}

// Buffer holds at most Limit readings; the oldest give way.
type Buffer struct {
	Limit int

	mu       sync.Mutex
	readings []Reading
}

// Add appends a reading.
func (b *Buffer) Add(r Reading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readings = append(b.readings, r)
	if over := len(b.readings) - b.Limit; over > 0 {
		b.readings = append([]Reading(nil), b.readings[over:]...)
	}
}

// Take removes and returns up to n of the oldest readings.
func (b *Buffer) Take(n int) []Reading {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > len(b.readings) {
		n = len(b.readings)
	}
	taken := append([]Reading(nil), b.readings[:n]...)
	b.readings = append([]Reading(nil), b.readings[n:]...)
	return taken
}
