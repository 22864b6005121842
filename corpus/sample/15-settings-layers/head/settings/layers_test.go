package settings

import (
	"strings"
	"testing"
)

func TestLaterLayersWinAndEarlierOnesStayAsTheyWere(t *testing.T) {
	file := layer{"listen": ":1", "workers": "2"}
	merged := file.under(layer{"workers": "3", "verbose": "true"})
	if merged["listen"] != ":1" || merged["workers"] != "3" || merged["verbose"] != "true" {
		t.Fatalf("merged: %v", merged)
	}
	if file["workers"] != "2" || len(file) != 2 {
		t.Fatalf("the lower layer was changed: %v", file)
	}
}

func TestAValueMayHoldTheSign(t *testing.T) {
	values, err := readFile(strings.NewReader("upstream = host?a=b"))
	if err != nil || values["upstream"] != "host?a=b" {
		t.Fatalf("got %v, %v", values, err)
	}
}

func TestTheLastLineOfAFileWins(t *testing.T) {
	values, err := readFile(strings.NewReader("workers = 1\nworkers = 2"))
	if err != nil || values["workers"] != "2" {
		t.Fatalf("got %v, %v", values, err)
	}
}
