package d1

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"retrylab/lab/retry"
)

// bindable is a parameter as it must be handed to the D1 driver so that D1 gets it unchanged, or an
// error when that is not possible.
func bindable(v any) (driver.Value, error) {
	value, err := driver.DefaultParameterConverter.ConvertValue(v)
	if err != nil {
		return nil, fmt.Errorf("d1: %w", err)
	}
	switch value := value.(type) {
	case int64:
		if value < -retry.Max || value > retry.Max {
			return nil, fmt.Errorf("d1: %d is no number that a double holds exactly", value)
		}
	case string:
		// Go's text goes to JavaScript through a TextDecoder, which swallows one byte order mark.
		if strings.HasPrefix(value, "\uFEFF") {
			return "\uFEFF" + value, nil
		}
	case nil, bool, float64, []byte:
	default:
		return nil, fmt.Errorf("d1: a %T cannot be a parameter", value)
	}
	return value, nil
}
