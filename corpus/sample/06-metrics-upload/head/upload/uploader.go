// Package upload sends readings to the collector.
package upload

import (
	"context"
	"encoding/json"
	"log"
	"time"

	"stonecrop.example/agent/collect"
)

const (
	firstBatch = 500
	tries      = 5
)

// Uploader empties the buffer every Interval, in batches of the size that the collector asks for.
type Uploader struct {
	Buffer    *collect.Buffer
	Transport *Transport
	Interval  time.Duration

	batch   int
	refused map[string]bool
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
	if u.batch == 0 {
		u.batch = firstBatch
	}
	readings := u.wanted(u.Buffer.Take(u.batch))
	if len(readings) == 0 {
		return
	}
	body, err := json.Marshal(readings)
	if err != nil {
		log.Printf("encode: %v", err)
		return
	}
	receipt, err := u.send(ctx, body)
	if err != nil {
		log.Printf("send %d readings: %v", len(readings), err)
		for _, reading := range readings {
			u.Buffer.Add(reading)
		}
		return
	}
	u.learn(receipt)
}

// send tries a few times, since gateways on mobile links lose single requests.
func (u *Uploader) send(ctx context.Context, body []byte) (*Receipt, error) {
	var receipt *Receipt
	var err error
	for try := 0; try < tries; try++ {
		receipt, err = u.Transport.Post(ctx, body)
		if err == nil {
			return receipt, nil
		}
	}
	return nil, err
}

// wanted leaves out sensors that the collector rejected before.
func (u *Uploader) wanted(readings []collect.Reading) []collect.Reading {
	kept := readings[:0]
	for _, reading := range readings {
		if !u.refused[reading.Sensor] {
			kept = append(kept, reading)
		}
	}
	return kept
}

func (u *Uploader) learn(receipt *Receipt) {
	if receipt.NextBatch != 0 {
		u.batch = receipt.NextBatch
	}
	for _, rejection := range receipt.Rejected {
		log.Printf("sensor %s rejected: %s", rejection.Sensor, rejection.Reason)
		if u.refused == nil {
			u.refused = make(map[string]bool)
		}
		u.refused[rejection.Sensor] = true
	}
}
