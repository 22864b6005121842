package upload

import (
	"bytes"
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

// Post sends the body.
func (t *Transport) Post(ctx context.Context, body []byte) error {
	var last error
	for attempt := 0; attempt < 4; attempt++ {
		if attempt > 0 {
			t.Sleep(time.Duration(1<<attempt) * time.Second)
		}
		last = t.once(ctx, body)
		if last == nil {
			return nil
		}
		if status, ok := last.(*StatusError); ok && status.Permanent() {
			return last
		}
	}
	return last
}

func (t *Transport) once(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := t.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 512))
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return &StatusError{Code: response.StatusCode, Body: string(text)}
	}
	return nil
}
