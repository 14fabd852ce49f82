package retry

import (
	"math"
	"sort"
	"strings"
)

// Limits of a policy that is read: the text may come from anybody.
const (
	maxEntries    = 1000 // of a map or a list
	maxPolicyText = 1000 // bytes
	maxProblems   = 20
)

// A policyReader walks a configuration and gathers what is wrong with it.
type policyReader struct {
	configs  map[string]settings // shared ones by name
	problems []PolicyProblem
	around   []NotCarried
}

// A setting is one key of an instance or a shared configuration.
type setting struct {
	path  string
	value any
}

// settings are the keys of an instance or a shared configuration, without hyphens and in lower case, so
// that kebab and camel case meet.
type settings map[string]setting

// notCarried is why a key that is not read has no effect.
func notCarried(name string) NotCarriedReason {
	switch name {
	case "resultpredicate", "retryexceptionpredicate", "intervalbifunction", "consumeresultbeforeretryattempt", "ignoreclassbindingexceptions":
		return NotCarriedJava
	case "eventconsumerbuffersize":
		return NotCarriedEvents
	case "failaftermaxattempts":
		return NotCarriedAlways
	}
	return NotCarriedUnknown
}

// bad notes a problem. A shared configuration is read once for each instance that builds on it, but its
// problems are told once.
func (r *policyReader) bad(path string, fault Fault, want string) {
	p := PolicyProblem{path, fault, want}
	for _, q := range r.problems {
		if p == q {
			return
		}
	}
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, p)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// An entry is a key of a map with its value.
type entry struct {
	key   string
	value any
}

// entries are a map's entries, sorted by key. Null is an empty map.
func (r *policyReader) entries(path string, v any) []entry {
	var out []entry
	size := 0
	switch m := v.(type) {
	case nil:
	case map[string]any:
		if size = len(m); size <= maxEntries {
			for k, v := range m {
				out = append(out, entry{k, v})
			}
		}
	case map[any]any:
		if size = len(m); size <= maxEntries {
			for k, v := range m {
				if key, ok := k.(string); ok {
					out = append(out, entry{key, v})
				} else {
					r.bad(path, FaultNotText, "keys that are text")
				}
			}
		}
	default:
		r.bad(path, FaultNotMap, "a map")
	}
	if size > maxEntries {
		r.bad(path, FaultTooMany, "at most 1000 entries")
	}
	kept := out[:0]
	for _, e := range out {
		if len(e.key) > maxPolicyText {
			r.bad(join(path, e.key[:20]+"..."), FaultTooLong, "a key of at most 1000 bytes")
		} else {
			kept = append(kept, e)
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].key < kept[j].key })
	return kept
}

func find(in []entry, key string) *entry {
	for i := range in {
		if in[i].key == key {
			return &in[i]
		}
	}
	return nil
}

// file finds the retry module's part of a file and reads it.
func (r *policyReader) file(v any) []Instance {
	path, top := "", r.entries("", v)
	for depth := 0; find(top, "instances") == nil && find(top, "configs") == nil; depth++ {
		var down *entry
		for _, key := range []string{"resilience4j.retry", "resilience4j", "retry"} {
			if down == nil {
				down = find(top, key)
			}
		}
		if down == nil || depth == 2 {
			r.bad(join(path, "instances"), FaultMissing, "the instances by name")
			return nil
		}
		for _, e := range top {
			if e.key != down.key {
				r.around = append(r.around, NotCarried{join(path, e.key), NotCarriedOther})
			}
		}
		path = join(path, down.key)
		top = r.entries(path, down.value)
	}
	return r.module(path, top)
}

// module reads configs and instances.
func (r *policyReader) module(path string, top []entry) (out []Instance) {
	r.configs = map[string]settings{}
	var configs, instances []entry
	for _, e := range top {
		switch e.key {
		case "configs":
			configs = r.entries(join(path, e.key), e.value)
		case "instances":
			instances = r.entries(join(path, e.key), e.value)
		default:
			r.around = append(r.around, NotCarried{join(path, e.key), NotCarriedUnknown})
		}
	}
	for _, e := range configs {
		r.configs[e.key] = r.settings(join(path, "configs."+e.key), e.value)
	}
	for _, e := range configs {
		r.instance(e.key, r.configs[e.key]) // to judge it, also when nobody builds on it
	}
	for _, e := range instances {
		out = append(out, r.instance(e.key, r.settings(join(path, "instances."+e.key), e.value)))
	}
	return out
}

// settings reads the keys of one instance or shared configuration.
func (r *policyReader) settings(path string, v any) settings {
	s := settings{}
	for _, e := range r.entries(path, v) {
		name := strings.ToLower(strings.ReplaceAll(e.key, "-", ""))
		if _, twice := s[name]; twice {
			r.bad(join(path, e.key), FaultTwice, "the key in one spelling")
			continue
		}
		s[name] = setting{join(path, e.key), e.value}
	}
	return s
}

// inherit fills in what s does not give: from its base-config and what that builds on, and last from the
// shared configuration default, which is there for all.
func (r *policyReader) inherit(s settings) settings {
	all := settings{}
	seen := map[string]bool{}
	for {
		for name, set := range s {
			if _, given := all[name]; !given {
				all[name] = set
			}
		}
		name, base := "default", s["baseconfig"]
		if base.path != "" {
			if name = r.text(base.path, base.value); name == "" {
				return all
			}
		}
		next, defined := r.configs[name]
		switch {
		case !defined && base.path != "":
			r.bad(base.path, FaultUndefined, "the name of one of configs")
			return all
		case seen[name] && base.path != "":
			r.bad(base.path, FaultCycle, "configs that end in one without base-config")
			return all
		case !defined, seen[name]:
			return all
		}
		seen[name] = true
		s = next
	}
}

// instance reads one instance, or a shared configuration as if it were one.
func (r *policyReader) instance(name string, own settings) Instance {
	s := r.inherit(own)
	i := Instance{Name: name, MaxAttempts: 3, Backoff: Scaled{WaitMS: 500}}
	drop := func(why NotCarriedReason, names ...string) {
		for _, n := range names {
			if set, given := s[n]; given {
				i.NotCarried = append(i.NotCarried, NotCarried{set.path, why})
			}
		}
	}
	names := make([]string, 0, len(s))
	for n := range s {
		names = append(names, n)
	}
	sort.Strings(names) // problems come in a fixed order
	for _, n := range names {
		set := s[n]
		switch n {
		case "baseconfig", "enableexponentialbackoff", "exponentialbackoffmultiplier", "exponentialmaxwaitduration",
			"enablerandomizedwait", "randomizedwaitfactor":
		case "maxattempts":
			r.whole(set, 1, &i.MaxAttempts)
		case "waitduration":
			r.duration(set, 0, &i.Backoff.WaitMS)
		case "retryexceptions":
			i.RetryExceptions = r.texts(set)
		case "ignoreexceptions":
			i.IgnoreExceptions = r.texts(set)
		default:
			drop(notCarried(n), n)
		}
	}
	if r.isOn(s["enableexponentialbackoff"]) {
		i.Backoff.Multiplier = 1.5
		r.multiplier(s["exponentialbackoffmultiplier"], &i.Backoff.Multiplier)
		r.duration(s["exponentialmaxwaitduration"], 1, &i.Backoff.CapMS)
	} else {
		drop(NotCarriedOff, "exponentialbackoffmultiplier", "exponentialmaxwaitduration")
	}
	if r.isOn(s["enablerandomizedwait"]) {
		i.Backoff.Factor = 0.5
		r.fraction(s["randomizedwaitfactor"], &i.Backoff.Factor)
	} else {
		drop(NotCarriedOff, "randomizedwaitfactor")
	}
	sort.Slice(i.NotCarried, func(a, b int) bool { return i.NotCarried[a].Path < i.NotCarried[b].Path })
	return i
}

// The readers of single settings leave to as it is where the setting is not given or is bad.

func (r *policyReader) whole(s setting, lo int64, to *int64) {
	if n, fault := plainValue(s.value).Whole(lo, Max); fault != "" {
		r.bad(s.path, fault, WantWhole(lo, Max).String())
	} else {
		*to = n
	}
}

func (r *policyReader) fraction(s setting, to *float64) {
	if s.path == "" {
		return
	}
	if f, fault := plainValue(s.value).Jitter(); fault != "" {
		r.bad(s.path, fault, WantJitter().String())
	} else {
		*to = f
	}
}

func (r *policyReader) multiplier(s setting, to *float64) {
	if s.path == "" {
		return
	}
	v := plainValue(s.value)
	f, ok := v.Number()
	fault := v.fault()
	if ok {
		fault = multiplierFault(f)
		if f == 0 {
			fault = FaultTooSmall
		}
	}
	if fault != "" {
		r.bad(s.path, fault, "a number of 1 or more")
	} else {
		*to = f
	}
}

func (r *policyReader) duration(s setting, lo int64, to *int64) {
	if s.path == "" {
		return
	}
	v := plainValue(s.value)
	var ms int64
	var fault Fault
	if text, ok := v.Text(); ok {
		ms, fault = parseDuration(text)
		if fault == "" && ms < lo {
			fault = FaultTooSmall
		}
	} else {
		ms, fault = v.Whole(lo, Max)
	}
	if fault != "" {
		r.bad(s.path, fault, "a duration such as 500ms or PT0.5S, whole ms from "+WantWhole(lo, Max).String()[len("a whole number from "):])
	} else {
		*to = ms
	}
}

// isOn is whether a switch is true. One that is not given is false.
func (r *policyReader) isOn(s setting) bool {
	if s.path == "" {
		return false
	}
	on, ok := s.value.(bool)
	if !ok {
		r.bad(s.path, FaultNotBoolean, "true or false")
	}
	return on
}

// text is a text that is not empty, or "" after noting what is wrong with it.
func (r *policyReader) text(path string, v any) string {
	s, ok := v.(string)
	switch {
	case !ok:
		r.bad(path, FaultNotText, "text")
	case s == "":
		r.bad(path, FaultEmpty, "text")
	case len(s) > maxPolicyText:
		r.bad(path, FaultTooLong, "text of at most 1000 bytes")
		return ""
	}
	return s
}

// texts is a list of texts, or one text with commas between them, as Spring takes it.
func (r *policyReader) texts(s setting) (out []string) {
	const want = "a list of names"
	switch v := s.value.(type) {
	case string:
		if len(v) > maxPolicyText {
			r.bad(s.path, FaultTooLong, "text of at most 1000 bytes")
			return nil
		}
		for _, name := range strings.Split(v, ",") {
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, name)
			}
		}
	case []string:
		list := make([]any, min(len(v), maxEntries+1))
		for i := range list {
			list[i] = v[i]
		}
		return r.texts(setting{s.path, list})
	case []any:
		if len(v) > maxEntries {
			r.bad(s.path, FaultTooMany, "at most 1000 names")
			return nil
		}
		for _, one := range v {
			if name := r.text(s.path, one); name != "" {
				out = append(out, name)
			}
		}
	default:
		r.bad(s.path, FaultNotTexts, want)
	}
	return out
}

// plainValue is a value of a YAML or JSON reader, for the checking boundary.
func plainValue(v any) Value {
	switch v := v.(type) {
	case nil:
		return Null()
	case bool:
		return Boolean(v)
	case string:
		return Text(v)
	case int:
		return Int(int64(v))
	case int64:
		return Int(v)
	case int32:
		return Int(int64(v))
	case uint:
		return unsigned(uint64(v))
	case uint64:
		return unsigned(v)
	case uint32:
		return Int(int64(v))
	case float64:
		return Float(v)
	case float32:
		return Float(float64(v))
	case interface {
		Int64() (int64, error)
		String() string
	}: // such as a json.Number
		return ParsePlain(v.String())
	case []any:
		return List()
	case map[string]any, map[any]any:
		return Map()
	}
	return Text("")
}

func unsigned(n uint64) Value { return Int(int64(min(n, math.MaxInt64))) }
