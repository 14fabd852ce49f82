package d1

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	"testing"
	"time"
)

func TestAParameterArrivesUnchangedOrIsRefused(t *testing.T) {
	const max = 1<<53 - 1
	for _, test := range []struct {
		given any
		want  driver.Value // nil with refused, and for NULL
		ok    bool
	}{
		{nil, nil, true},
		{(*int64)(nil), nil, true},
		{sql.NullString{}, nil, true},
		{7, int64(7), true},
		{int64(max), int64(max), true},
		{int64(-max), int64(-max), true},
		{int64(max + 1), nil, false},
		{int64(-max - 1), nil, false},
		{uint64(1<<64 - 1), nil, false},
		{0.48, 0.48, true},
		{true, true, true},
		{[]byte{0, 255}, []byte{0, 255}, true},
		{"", "", true},
		{"pizza\x00", "pizza\x00", true},
		{"\uFEFFpizza", "\uFEFF\uFEFFpizza", true}, // the decoder swallows the first
		{"\uFEFF", "\uFEFF\uFEFF", true},
		{"pizza\uFEFF", "pizza\uFEFF", true},
		{time.Time{}, nil, false},
		{struct{}{}, nil, false},
	} {
		got, err := bindable(test.given)
		if (err == nil) != test.ok || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%T %#v: got %#v, %v", test.given, test.given, got, err)
		}
	}
}
