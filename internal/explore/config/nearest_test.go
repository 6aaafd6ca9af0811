package config

import "testing"

func TestDidYouMean(t *testing.T) {
	names := []string{"search", "self-check", "time", "timeouts"}
	for wrong, want := range map[string]string{
		"serach": "search", "tim": "time", "timeout": "timeouts", "selfcheck": "self-check", "xyz": "", "": "", "kernel": "",
	} {
		got := DidYouMean("%s", wrong, names)
		if want == "" && got != "" || want != "" && got != ", did you mean "+want+"?" {
			t.Errorf("DidYouMean(%q) = %q, want %q", wrong, got, want)
		}
	}
}
