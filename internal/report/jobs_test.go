package report

import "testing"

// TestPlaceNames: people's names of functions stand in a set of points, of C++ and Rust too.
func TestPlaceNames(t *testing.T) {
	for pp, want := range map[string]string{
		"yield,race=add+0x4+_ZN3lib3addEi+0x12":                                                            "yield,race=add+0x4+lib::add+0x12",
		"race=_ZN4core4sync6atomic11atomic_load17h6ef91b61e812134eE+0x37":                                  "race=core::sync::atomic::atomic_load+0x37",
		"race=_RNvMNtNtCsjrHSEGnQ3l9_3std6thread6scopedNtB2_9ScopeData29decrement_num_running_threads+0x0": "race=<std::thread::scoped::ScopeData>::decrement_num_running_threads+0x0",
		"race=_start+0x4": "race=_start+0x4",
	} {
		if got := jobName(pp); got != want {
			t.Errorf("%s is %q, want %q", pp, got, want)
		}
	}
}
