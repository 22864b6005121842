package upload

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stonecrop.example/agent/collect"
)

func uploaderTo(t *testing.T, handler http.HandlerFunc) (*Uploader, *collect.Buffer) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	buffer := &collect.Buffer{Limit: 10}
	transport := &Transport{Address: server.URL, Client: server.Client(), Sleep: func(time.Duration) {}}
	return &Uploader{Buffer: buffer, Transport: transport}, buffer
}

func TestReadingsStayInTheBufferWhenTheCollectorRefuses(t *testing.T) {
	uploader, buffer := uploaderTo(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
	})
	buffer.Add(collect.Reading{Sensor: "s1", Value: 1})
	uploader.flush(context.Background())
	if got := len(buffer.Take(10)); got != 1 {
		t.Fatalf("buffer holds %d readings, want 1", got)
	}
}

func TestTheReceiptSetsTheNextBatchAndSilencesSensors(t *testing.T) {
	var received []collect.Reading
	uploader, buffer := uploaderTo(t, func(w http.ResponseWriter, r *http.Request) {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		received = nil
		if err := json.NewDecoder(unpacked).Decode(&received); err != nil {
			t.Error(err)
		}
		fmt.Fprint(w, `{"accepted": 1, "rejected": [{"sensor": "s9", "reason": "unknown"}], "next_batch": 3}`)
	})
	buffer.Add(collect.Reading{Sensor: "s1", Value: 1})
	buffer.Add(collect.Reading{Sensor: "s9", Value: 2})
	uploader.flush(context.Background())
	if uploader.batch != smallestBatch {
		t.Fatalf("next batch is %d, want %d", uploader.batch, smallestBatch)
	}
	buffer.Add(collect.Reading{Sensor: "s9", Value: 3})
	buffer.Add(collect.Reading{Sensor: "s2", Value: 4})
	uploader.flush(context.Background())
	if len(received) != 1 || received[0].Sensor != "s2" {
		t.Fatalf("collector received %v, want only s2", received)
	}
}
