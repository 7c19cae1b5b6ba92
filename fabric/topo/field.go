package topo

import (
	"errors"
	"fmt"
)

// FieldError says what is wrong with one field of a spec. Field is the name as
// a scenario spells it ("nodes_per_leaf"), so that a loader can point at the
// line.
type FieldError struct {
	Field  string
	Reason string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

// checks gathers field errors.
type checks struct{ errs []error }

func (c *checks) add(field, format string, args ...any) {
	c.errs = append(c.errs, &FieldError{field, fmt.Sprintf(format, args...)})
}

// atLeast reports whether v >= low, and records an error if not.
func (c *checks) atLeast(field string, v, low int) bool {
	if v < low {
		c.add(field, "is %d, must be at least %d", v, low)
		return false
	}
	return true
}

func (c *checks) ok() bool { return len(c.errs) == 0 }

func join(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("topology: %w", errors.Join(errs...))
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
