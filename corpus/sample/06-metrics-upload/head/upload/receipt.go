package upload

import (
	"encoding/json"
	"fmt"
	"io"
)

const (
	smallestBatch = 10
	largestBatch  = 2000
)

// Rejection is a sensor whose readings the collector does not want.
type Rejection struct {
	Sensor string `json:"sensor"`
	Reason string `json:"reason"`
}

// Receipt is the collector's answer to a batch.
type Receipt struct {
	Accepted  int         `json:"accepted"`
	Rejected  []Rejection `json:"rejected"`
	NextBatch int         `json:"next_batch"`
}

// ReadReceipt decodes at most 64 KB; a batch size outside the allowed range is brought into it.
func ReadReceipt(source io.Reader) (*Receipt, error) {
	var receipt Receipt
	if err := json.NewDecoder(io.LimitReader(source, 64<<10)).Decode(&receipt); err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	if receipt.NextBatch != 0 {
		receipt.NextBatch = min(max(receipt.NextBatch, smallestBatch), largestBatch)
	}
	return &receipt, nil
}
