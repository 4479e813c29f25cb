package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Kinds of errors. A kind is the name of the Python exception that a cell sees; any Python identifier may be used, these
// are the ones the host knows.
const (
	KindValue         = "ValueError"
	KindType          = "TypeError"
	KindFileNotFound  = "FileNotFoundError"
	KindIsADirectory  = "IsADirectoryError"
	KindNotADirectory = "NotADirectoryError"
	KindFileExists    = "FileExistsError"
	KindPermission    = "PermissionError"
	KindUnicode       = "UnicodeError"
	KindTimeout       = "TimeoutError"
	KindLookup        = "LookupError"
	KindAttribute     = "AttributeError"
	KindRuntime       = "RuntimeError"
	KindConnection    = "ConnectionError" // a process that served the call ended
	KindCancelled     = "CancelledError"
	KindStale         = "StaleError" // the file changed since it was read
)

// Error is a failure that a program can test by its Kind and a model can act on: Message says what happened, why, and
// what to do next, in one or few lines. Data, if not nil, is given to a program as it is (JSON).
//
// Listing says that Message carries a listing to choose from: it is raised in a cell, but as the answer of a classic tool it is
// an ordinary text.
type Error struct {
	Kind    string
	Message string
	Data    json.RawMessage
	Listing bool
	cause   error
}

// Errorf makes an Error of the kind. A %w verb in the format keeps its cause for errors.Is and errors.As.
func Errorf(kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), cause: err}
}

// ListingErrorf makes an Error of the kind whose message carries a listing; data is the same for a program.
func ListingErrorf(kind string, data any, format string, args ...any) *Error {
	e := Errorf(kind, format, args...).WithData(data)
	e.Listing = true
	return e
}

// WithData adds data that a program may read; a value that cannot be marshalled is left out.
func (e *Error) WithData(v any) *Error {
	if data, err := json.Marshal(v); err == nil {
		e.Data = data
	}
	return e
}

func (e *Error) Error() string { return e.Message }

// Unwrap leads to the causes given with %w, if any.
func (e *Error) Unwrap() error { return e.cause }

// AsError turns any error into an Error; one that has no kind of its own becomes a RuntimeError.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		if err.Error() == e.Message {
			return e
		}
		return &Error{Kind: e.Kind, Message: err.Error(), Data: e.Data, Listing: e.Listing, cause: err}
	}
	return &Error{Kind: KindRuntime, Message: err.Error(), cause: err}
}

// IsKind reports whether err is an Error of the kind.
func IsKind(err error, kind string) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}
