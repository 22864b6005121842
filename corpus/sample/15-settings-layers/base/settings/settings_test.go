package settings

import (
	"strings"
	"testing"
	"time"
)

func TestTheEnvironmentWinsOverTheFile(t *testing.T) {
	file := strings.NewReader("# relay\nupstream = a:1\nworkers = 8\n")
	s, err := Load(file, []string{"RELAY_WORKERS=16", "RELAY_OTHER=x", "HOME=/"})
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{Listen: ":8080", Upstream: "a:1", Timeout: 10 * time.Second, Workers: 16}
	if *s != want {
		t.Fatalf("got %+v, want %+v", *s, want)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"upstream":                     "line 1",
		"\ncolour = red":               `unknown name "colour"`,
		"upstream = a\nworkers = 0":    "workers",
		"upstream = a\ntimeout = soon": "timeout",
		"upstream = a\nverbose = 2":    "verbose",
		"listen = :1":                  "upstream",
	} {
		if _, err := Load(strings.NewReader(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}
