package result

// Failure is the output of --json in place of a result where an error left none.
type Failure struct {
	// Schema is "landgo/1".
	Schema string        `json:"schema"`
	Error  FailureDetail `json:"error"`
}

// FailureDetail explains an error, as "landgo help errors" does.
type FailureDetail struct {
	// Kind is the error's name in the table of errors.
	Kind ErrorKind `json:"kind"`
	// Message says the fault and its place.
	Message string `json:"message"`
	// Cause says when the kind of error comes, Cure what to do about it.
	Cause string `json:"cause"`
	Cure  string `json:"cure"`
	// Status is the exit status.
	Status int `json:"status"`
}

// NewFailure is the failure for an error.
func NewFailure(err error) *Failure {
	p := Explain(KindOf(err))
	message := err.Error()
	if p.Kind == Fault {
		message = "internal error: " + message
	}
	return &Failure{Schema: Schema, Error: FailureDetail{Kind: p.Kind, Message: Printable(message), Cause: p.Cause, Cure: p.Cure, Status: p.Status}}
}
