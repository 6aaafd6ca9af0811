package result

import (
	"encoding/json"
	"math"
	"time"
)

// Amount is an estimated number. The explored share of a space can be so small
// that a quotient by it is beyond any number. Such an amount is infinite, and
// null in JSON, which has no other form for it.
type Amount float64

// Known reports whether the amount is a number.
func (a Amount) Known() bool { return !math.IsInf(float64(a), 0) && !math.IsNaN(float64(a)) }

// MarshalJSON implements json.Marshaler.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !a.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(a))
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Amount) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*a = Amount(math.Inf(1))
		return nil
	}
	return json.Unmarshal(text, (*float64)(a))
}

// Total is how much there is in all if this much is a share of it; 0 while the share
// isn't known.
func Total(part, share float64) Amount {
	if !(share > 0) { // NaN too
		return 0
	}
	return Amount(part / share)
}

// Rest is the rest of Total.
func Rest(part, share float64) Amount {
	if !(share > 0) {
		return 0
	}
	return Amount(part / share * max(0, 1-share))
}

// longest is the longest time that is reported as one: a time.Duration holds ten times as much.
const longest = 1e9

// Seconds is an amount of seconds as a time, at most some decades.
func (a Amount) Seconds() time.Duration {
	if a != a || a <= 0 {
		return 0
	}
	return time.Duration(min(float64(a), longest) * float64(time.Second))
}
