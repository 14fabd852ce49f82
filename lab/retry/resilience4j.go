package retry

import "strings"

// An Instance is a named retry policy as Resilience4j's Spring configuration describes one, with the
// defaults filled in.
type Instance struct {
	Name             string
	MaxAttempts      int64  // 1..Max; 3 unless given
	Backoff          Scaled // a wait of 500 ms unless given
	RetryExceptions  []string
	IgnoreExceptions []string
	NotCarried       []NotCarried // what was written for this instance and has no effect here
}

// A NotCarried is a key that was read and that has no effect on the policy.
type NotCarried struct {
	Path string // such as instances.orders.result-predicate
	Why  NotCarriedReason
}

// A NotCarriedReason is why a key has no effect.
type NotCarriedReason string

// Reasons.
const (
	NotCarriedUnknown NotCarriedReason = "unknown"      // no key of Resilience4j's retry module: a typing error?
	NotCarriedJava    NotCarriedReason = "java_class"   // names Java code
	NotCarriedEvents  NotCarriedReason = "no_events"    // about events and metrics that are not kept here
	NotCarriedAlways  NotCarriedReason = "always"       // giving up is always an error of its own here
	NotCarriedOff     NotCarriedReason = "switched_off" // its enable- key is not true
	NotCarriedOther   NotCarriedReason = "other_module" // of another module than retry
)

// Faults of a policy's text.
const (
	FaultNotDuration Fault = "not_duration" // neither like 500ms nor like PT0.5S
	FaultNotBoolean  Fault = "not_boolean"
	FaultNotMap      Fault = "not_map"
	FaultNotTexts    Fault = "not_texts" // a list of texts was wanted
	FaultTwice       Fault = "twice"     // both kebab and camel case
	FaultUndefined   Fault = "undefined" // no shared configuration has this name
	FaultCycle       Fault = "cycle"     // shared configurations that build on each other
	FaultTooMany     Fault = "too_many"
)

// A PolicyProblem is one fault of a policy that was read.
type PolicyProblem struct {
	Path  string // where, such as instances.orders.max-attempts
	Fault Fault
	Want  string // English: what would be right
}

// A PolicyError tells everything that is wrong with policies that were read, in a fixed order, up to 20
// problems.
type PolicyError struct {
	Problems []PolicyProblem // at least one
}

func (e *PolicyError) Error() string {
	var s strings.Builder
	s.WriteString("retry policy: ")
	for i, p := range e.Problems {
		if i > 0 {
			s.WriteString("; ")
		}
		s.WriteString(p.Path + ": " + strings.ReplaceAll(string(p.Fault), "_", " ") + ", wanted " + p.Want)
	}
	return s.String()
}

// ReadResilience4j reads the retry instances of a Resilience4j configuration, sorted by name, from plain
// values as a YAML or JSON reader gives them: maps (map[string]any or map[any]any), []any, texts,
// booleans and numbers. It may be the whole file, from the key resilience4j down or resilience4j.retry,
// or the part below that holds instances and configs. It also returns the keys around the instances that
// are not carried over; an Instance has its own.
//
// Keys may be kebab case or camel case. They are:
//
//   - max-attempts: whole, 1..Max, the first try included
//   - wait-duration: such as 500ms (ns, us, ms, s, m, h, d), PT0.5S (ISO 8601, days at most), or a
//     number of ms; a whole number of ms, 0..Max
//   - enable-exponential-backoff, exponential-backoff-multiplier (1 or more, 1.5 unless given),
//     exponential-max-wait-duration (at least 1 ms)
//   - enable-randomized-wait, randomized-wait-factor (0..1, 0.5 unless given): wait * (1 ± factor)
//   - retry-exceptions, ignore-exceptions: lists of names, for [Instance.Classify]
//   - base-config: the shared configuration that fills in what is not given; default is one for all
//
// A switch that is false, or not there, switches its values off; they are then not judged, and listed as
// not carried over. Where anything is wrong, in an instance or a shared configuration, the error is a
// [*PolicyError] and no instance is returned. More than 1000 entries in a map or a list, and a text of
// more than 1000 bytes, are refused.
func ReadResilience4j(v any) ([]Instance, []NotCarried, error) {
	var r policyReader
	instances := r.file(v)
	if len(r.problems) > 0 {
		return nil, nil, &PolicyError{r.problems}
	}
	return instances, r.around, nil
}

// Policy is the instance as a [Policy] for [Do], without what a configuration cannot hold: the caller
// adds Clock, and Jitter where the Backoff is random. matches is as for [Instance.Classify].
func (i Instance) Policy(matches func(err error, name string) bool) Policy {
	return Policy{MaxAttempts: i.MaxAttempts, Backoff: i.Backoff, Classify: i.Classify(matches)}
}

// Classify gives errors the class that the instance's lists say. matches reports whether err is what the
// Java name stands for; only the caller knows that. An error of IgnoreExceptions is unknown: it goes to
// the caller unchanged. One of RetryExceptions is retryable. Any other is what its mark says. As in
// Resilience4j the first list wins. Without lists, or with a nil matches, the result is nil, as a Policy
// takes it: the marks decide.
func (i Instance) Classify(matches func(err error, name string) bool) func(error) Class {
	if matches == nil || len(i.RetryExceptions)+len(i.IgnoreExceptions) == 0 {
		return nil
	}
	return func(err error) Class {
		for _, name := range i.IgnoreExceptions {
			if matches(err, name) {
				return ClassUnknown
			}
		}
		for _, name := range i.RetryExceptions {
			if matches(err, name) {
				return ClassRetryable
			}
		}
		class, _ := Judge(err)
		return class
	}
}
