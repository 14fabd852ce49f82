package retry

// Layers is how many calls can reach the receiver when layers of retries are nested: the product of the
// tries of each layer, the first try included (SPEC.md section 7). Tries below 1 count as 1; a product
// above Max is Max. Without layers it is 1.
func Layers(tries ...int64) int64 {
	calls := int64(1)
	for _, n := range tries {
		n = max(n, 1)
		if n > Max/calls {
			return Max
		}
		calls *= n
	}
	return calls
}
