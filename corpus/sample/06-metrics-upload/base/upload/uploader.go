// Package upload sends readings to the collector.
package upload

import (
	"context"
	"encoding/json"
	"log"
	"time"

	"stonecrop.example/agent/collect"
)

// Uploader empties the buffer every Interval.
type Uploader struct {
	Buffer    *collect.Buffer
	Transport *Transport
	Interval  time.Duration
}

// Run sends until the context ends.
func (u *Uploader) Run(ctx context.Context) {
	ticker := time.NewTicker(u.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			u.flush(ctx)
		}
	}
}

func (u *Uploader) flush(ctx context.Context) {
	readings := u.Buffer.Take(500)
	if len(readings) == 0 {
		return
	}
	body, err := json.Marshal(readings)
	if err != nil {
		log.Printf("encode: %v", err)
		return
	}
	if err := u.Transport.Post(ctx, body); err != nil {
		log.Printf("send %d readings: %v", len(readings), err)
		for _, reading := range readings {
			u.Buffer.Add(reading)
		}
	}
}
