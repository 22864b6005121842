package upload

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// StatusError is an answer outside 2xx.
type StatusError struct {
	Code int
	Body string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("collector answered %d: %s", e.Code, e.Body)
}

// Permanent says that the same request will never be accepted.
func (e *StatusError) Permanent() bool {
	return e.Code >= 400 && e.Code < 500 && e.Code != http.StatusTooManyRequests
}

// Transport posts bodies to one address and repeats what failed in passing, up to four times with growing pauses.
type Transport struct {
	Address string
	Client  *http.Client
	Sleep   func(time.Duration)
}

// Post compresses the body, sends it and returns the receipt.
func (t *Transport) Post(ctx context.Context, body []byte) (*Receipt, error) {
	packed, err := pack(body)
	if err != nil {
		return nil, err
	}
	var last error
	for attempt := 0; attempt < 4; attempt++ {
		if attempt > 0 {
			t.Sleep(time.Duration(1<<attempt) * time.Second)
		}
		receipt, err := t.once(ctx, packed)
		if err == nil {
			return receipt, nil
		}
		last = err
		if status, ok := err.(*StatusError); ok && status.Permanent() {
			return nil, err
		}
	}
	return nil, last
}

func (t *Transport) once(ctx context.Context, packed []byte) (*Receipt, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Address, bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	response, err := t.Client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 512))
		return nil, &StatusError{Code: response.StatusCode, Body: string(text)}
	}
	receipt, err := ReadReceipt(response.Body)
	if err != nil {
		return nil, err
	}
	return receipt, response.Body.Close()
}

func pack(body []byte) ([]byte, error) {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	if _, err := writer.Write(body); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
