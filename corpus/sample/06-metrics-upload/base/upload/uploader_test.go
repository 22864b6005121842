package upload

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stonecrop.example/agent/collect"
)

func TestReadingsStayInTheBufferWhenTheCollectorRefuses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	buffer := &collect.Buffer{Limit: 10}
	buffer.Add(collect.Reading{Sensor: "s1", Value: 1})
	transport := &Transport{Address: server.URL, Client: server.Client(), Sleep: func(time.Duration) {}}
	(&Uploader{Buffer: buffer, Transport: transport}).flush(context.Background())
	if got := len(buffer.Take(10)); got != 1 {
		t.Fatalf("buffer holds %d readings, want 1", got)
	}
}
