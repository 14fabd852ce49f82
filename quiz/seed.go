package quiz

import "hash/fnv"

// splitmix64 is the generator of Steele, Lea and Flood ("Fast splittable pseudorandom number
// generators", 2014): the state after a step, mixed.
type splitmix64 uint64

func (s *splitmix64) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// random is a generator for a question: its name makes questions differ, and so does the seed.
func (q *Question) random(seed int64) *splitmix64 {
	name := fnv.New64a()
	name.Write([]byte(q.quiz.Name + "/" + q.ID))
	s := splitmix64(name.Sum64())
	s = splitmix64(s.next() ^ uint64(seed))
	return &s
}

// Index is the combination that a seed shows, 0 <= Index < Combinations. Any run of Combinations seeds
// shows each of them once.
func (q *Question) Index(seed int64) int64 {
	n := q.Combinations()
	offset := int64(q.random(0).next() % uint64(n))
	s := seed % n
	if s < 0 {
		s += n
	}
	// n is at most maxCombinations + 1, so the product is below 2^62.
	return (offset + s*stride(n)) % n
}

// stride is the number from n * 0.618 on that has no divisor in common with n: steps of the golden
// section spread evenly.
func stride(n int64) int64 {
	s := max(n*618/1000, 1)
	for gcd(s, n) != 1 {
		s++
	}
	return s
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Values are the given values of a seed's variant.
func (q *Question) Values(seed int64) Values { return q.combination(q.Index(seed)) }

// shuffle puts options in the order of a seed (Fisher and Yates).
func shuffle[T any](options []T, random *splitmix64) {
	for i := len(options) - 1; i > 0; i-- {
		j := random.next() % uint64(i+1)
		options[i], options[j] = options[j], options[i]
	}
}
