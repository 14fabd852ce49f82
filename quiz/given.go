package quiz

import (
	"math/bits"
	"strconv"

	"retrylab/lab/source"
)

// A Table is values that vary freely of each other: each combination of them is a variant.
type Table struct {
	Params []Param
}

// A Param is a given value by name, and what it may be: a list, or a range of whole numbers.
type Param struct {
	Name string
	node source.Node

	list       []source.Node
	from, step int64
	count      int64 // of a range
}

// Count is how many values there are.
func (p Param) Count() int64 {
	if p.list != nil {
		return int64(len(p.list))
	}
	return p.count
}

func (p Param) value(i int64) source.Node {
	if p.list != nil {
		return p.list[i]
	}
	n := p.node
	n.Kind, n.Entries, n.Plain, n.Text = source.Scalar, nil, true, strconv.FormatInt(p.from+i*p.step, 10)
	return n
}

// Count is how many combinations the table has; too many are maxCombinations + 1.
func (t Table) Count() int64 {
	count := int64(1)
	for _, p := range t.Params {
		hi, lo := bits.Mul64(uint64(count), uint64(p.Count()))
		if hi != 0 || lo > maxCombinations {
			return maxCombinations + 1
		}
		count = int64(lo)
	}
	return count
}

// Combinations is how many variants the question has, apart from the order of options. It is 1 or
// more.
func (q *Question) Combinations() int64 {
	if len(q.Given) == 0 {
		return 1
	}
	sum := int64(0)
	for _, t := range q.Given {
		sum = min(sum+t.Count(), maxCombinations+1)
	}
	return max(sum, 1)
}

// Values are the given values of one variant.
type Values []Value

// A Value is a given value by name, as it stands in the file.
type Value struct {
	Name string
	Node source.Node
}

// Get is the value of a name.
func (v Values) Get(name string) (source.Node, bool) {
	for _, value := range v {
		if value.Name == name {
			return value.Node, true
		}
	}
	return source.Node{}, false
}

// String is the values in one line, such as "attempt 3, cap_ms 250".
func (v Values) String() string {
	s := ""
	for i, value := range v {
		if i > 0 {
			s += ", "
		}
		s += value.Name + " " + value.Node.Text
	}
	return s
}

// combination is the values of combination i, 0 <= i < Combinations: the last name of a table varies
// fastest.
func (q *Question) combination(i int64) Values {
	for _, t := range q.Given {
		if count := t.Count(); i >= count {
			i -= count
			continue
		}
		values := make(Values, len(t.Params))
		for at := len(t.Params) - 1; at >= 0; at-- {
			p := t.Params[at]
			values[at] = Value{p.Name, p.value(i % p.Count())}
			i /= p.Count()
		}
		return values
	}
	return nil
}
