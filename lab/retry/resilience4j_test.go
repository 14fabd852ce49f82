package retry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"retrylab/lab/retry"
)

func fromYAML(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func instances(t *testing.T, text string) ([]retry.Instance, []retry.NotCarried) {
	t.Helper()
	got, around, err := retry.ReadResilience4j(fromYAML(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return got, around
}

func TestAPolicyInKebabAndCamelCase(t *testing.T) {
	want := retry.Instance{
		Name: "orders", MaxAttempts: 5,
		Backoff:          retry.Scaled{WaitMS: 1000, Multiplier: 2, Factor: 0.25, CapMS: 30_000},
		RetryExceptions:  []string{"java.io.IOException", "java.util.concurrent.TimeoutException"},
		IgnoreExceptions: []string{"shop.BadOrder"},
	}
	for name, text := range map[string]string{
		"kebab": `
resilience4j:
  retry:
    instances:
      orders:
        max-attempts: 5
        wait-duration: 1s
        enable-exponential-backoff: true
        exponential-backoff-multiplier: 2
        exponential-max-wait-duration: PT30S
        enable-randomized-wait: true
        randomized-wait-factor: 0.25
        retry-exceptions: [java.io.IOException, java.util.concurrent.TimeoutException]
        ignore-exceptions: [shop.BadOrder]
`, "camel": `
resilience4j.retry:
  instances:
    orders:
      maxAttempts: 5
      waitDuration: 1000
      enableExponentialBackoff: true
      exponentialBackoffMultiplier: 2.0
      exponentialMaxWaitDuration: 30000ms
      enableRandomizedWait: true
      randomizedWaitFactor: 0.25
      retryExceptions: java.io.IOException, java.util.concurrent.TimeoutException
      ignoreExceptions: [shop.BadOrder]
`, "both, below retry": `
retry:
  instances:
    orders:
      max-attempts: 5
      waitDuration: PT1S
      enable-exponential-backoff: true
      exponentialBackoffMultiplier: 2
      exponential-max-wait-duration: 0.5m
      enableRandomizedWait: true
      randomized-wait-factor: 0.25
      retryExceptions: [java.io.IOException, java.util.concurrent.TimeoutException]
      ignore-exceptions: shop.BadOrder
`} {
		text = strings.Replace(text, "0.5m", "30s", 1)
		got, around := instances(t, text)
		if len(got) != 1 || !reflect.DeepEqual(got[0], want) || around != nil {
			t.Errorf("%s: %+v, %v", name, got, around)
		}
	}
}

func TestADefaultPolicyIsResilience4jsOwn(t *testing.T) {
	got, _ := instances(t, "instances: {a: {}, b: , c: {enable-exponential-backoff: true, enable-randomized-wait: true}}")
	want := []retry.Instance{
		{Name: "a", MaxAttempts: 3, Backoff: retry.Scaled{WaitMS: 500}},
		{Name: "b", MaxAttempts: 3, Backoff: retry.Scaled{WaitMS: 500}},
		{Name: "c", MaxAttempts: 3, Backoff: retry.Scaled{WaitMS: 500, Multiplier: 1.5, Factor: 0.5}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestASwitchThatIsFalseSwitchesItsValuesOff(t *testing.T) {
	for _, off := range []string{"enable-exponential-backoff: false, enable-randomized-wait: false, ", ""} {
		got, _ := instances(t, "instances: {a: {"+off+"exponential-backoff-multiplier: 0, exponential-max-wait-duration: soon, randomizedWaitFactor: 7}}")
		if got[0].Backoff != (retry.Scaled{WaitMS: 500}) {
			t.Errorf("%q: %+v", off, got[0].Backoff)
		}
		want := []retry.NotCarried{
			{"instances.a.exponential-backoff-multiplier", retry.NotCarriedOff},
			{"instances.a.exponential-max-wait-duration", retry.NotCarriedOff},
			{"instances.a.randomizedWaitFactor", retry.NotCarriedOff},
		}
		if !slices.Equal(got[0].NotCarried, want) {
			t.Errorf("%q: %v", off, got[0].NotCarried)
		}
	}
}

func TestSharedConfigurationsFillInWhatIsNotGiven(t *testing.T) {
	got, _ := instances(t, `
configs:
  default: {max-attempts: 4, wait-duration: 10ms, retry-exceptions: [A]}
  slow: {waitDuration: 2s, enable-randomized-wait: true}
  slower: {base-config: slow, wait-duration: 20s}
instances:
  a: {max-attempts: 2}
  b: {base-config: slow, max-attempts: 9}
  c: {baseConfig: slower, enable-randomized-wait: false, retry-exceptions: []}
  d: {base-config: default}
`)
	want := []retry.Instance{
		{Name: "a", MaxAttempts: 2, Backoff: retry.Scaled{WaitMS: 10}, RetryExceptions: []string{"A"}},
		{Name: "b", MaxAttempts: 9, Backoff: retry.Scaled{WaitMS: 2000, Factor: 0.5}, RetryExceptions: []string{"A"}},
		{Name: "c", MaxAttempts: 4, Backoff: retry.Scaled{WaitMS: 20_000}},
		{Name: "d", MaxAttempts: 4, Backoff: retry.Scaled{WaitMS: 10}, RetryExceptions: []string{"A"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestKeysThatAreNotCarriedOverAreTold(t *testing.T) {
	got, around := instances(t, `
server: {port: 80}
resilience4j:
  circuitbreaker: {instances: {a: {}}}
  retry:
    retry-aspect-order: 2
    instances:
      a:
        result-predicate: shop.Test
        retryExceptionPredicate: shop.Test
        interval-bi-function: shop.Wait
        consume-result-before-retry-attempt: shop.Eat
        ignoreClassBindingExceptions: true
        event-consumer-buffer-size: 10
        failAfterMaxAttempts: true
        max-attempt: 3
`)
	at := "resilience4j.retry.instances.a."
	want := []retry.NotCarried{
		{at + "consume-result-before-retry-attempt", retry.NotCarriedJava},
		{at + "event-consumer-buffer-size", retry.NotCarriedEvents},
		{at + "failAfterMaxAttempts", retry.NotCarriedAlways},
		{at + "ignoreClassBindingExceptions", retry.NotCarriedJava},
		{at + "interval-bi-function", retry.NotCarriedJava},
		{at + "max-attempt", retry.NotCarriedUnknown},
		{at + "result-predicate", retry.NotCarriedJava},
		{at + "retryExceptionPredicate", retry.NotCarriedJava},
	}
	if !slices.Equal(got[0].NotCarried, want) {
		t.Errorf("got %v", got[0].NotCarried)
	}
	if want := []retry.NotCarried{
		{"server", retry.NotCarriedOther}, {"resilience4j.circuitbreaker", retry.NotCarriedOther}, {"resilience4j.retry.retry-aspect-order", retry.NotCarriedUnknown},
	}; !slices.Equal(around, want) {
		t.Errorf("around: %v", around)
	}
}

func TestABadPolicyIsRefusedWithEveryFaultAndItsPlace(t *testing.T) {
	whole := ", wanted a whole number from 1 to 9007199254740991"
	duration := ", wanted a duration such as 500ms or PT0.5S, whole ms from 0 to 9007199254740991"
	for _, c := range []struct{ text, want string }{
		{`instances: {a: {max-attempts: true}}`, "instances.a.max-attempts: boolean" + whole},
		{`instances: {a: {max-attempts: .nan}}`, "instances.a.max-attempts: nan" + whole},
		{`instances: {a: {max-attempts: .inf}}`, "instances.a.max-attempts: infinite" + whole},
		{`instances: {a: {max-attempts: 2.5}}`, "instances.a.max-attempts: fraction" + whole},
		{`instances: {a: {max-attempts: 0}}`, "instances.a.max-attempts: too small" + whole},
		{`instances: {a: {max-attempts: -1}}`, "instances.a.max-attempts: too small" + whole},
		{`instances: {a: {max-attempts: 9007199254740992}}`, "instances.a.max-attempts: too large" + whole},
		{`instances: {a: {max-attempts: "3"}}`, "instances.a.max-attempts: text" + whole},
		{`instances: {a: {max-attempts: }}`, "instances.a.max-attempts: null" + whole},
		{`instances: {a: {max-attempts: [3]}}`, "instances.a.max-attempts: list" + whole},
		{`instances: {a: {max-attempts: {b: 3}}}`, "instances.a.max-attempts: map" + whole},
		{`instances: {a: {wait-duration: soon}}`, "instances.a.wait-duration: not duration" + duration},
		{`instances: {a: {wait-duration: -5ms}}`, "instances.a.wait-duration: too small" + duration},
		{`instances: {a: {wait-duration: -5}}`, "instances.a.wait-duration: too small" + duration},
		{`instances: {a: {wait-duration: 1.5}}`, "instances.a.wait-duration: fraction" + duration},
		{`instances: {a: {wait-duration: 100us}}`, "instances.a.wait-duration: fraction" + duration},
		{`instances: {a: {wait-duration: false}}`, "instances.a.wait-duration: boolean" + duration},
		{`instances: {a: {enable-exponential-backoff: true, exponential-max-wait-duration: 0s}}`, "instances.a.exponential-max-wait-duration: too small, wanted a duration such as 500ms or PT0.5S, whole ms from 1 to 9007199254740991"},
		{`instances: {a: {enable-exponential-backoff: "true"}}`, "instances.a.enable-exponential-backoff: not boolean, wanted true or false"},
		{`instances: {a: {enable-randomized-wait: 1}}`, "instances.a.enable-randomized-wait: not boolean, wanted true or false"},
		{`instances: {a: {enable-exponential-backoff: true, exponential-backoff-multiplier: 0}}`, "instances.a.exponential-backoff-multiplier: too small, wanted a number of 1 or more"},
		{`instances: {a: {enable-exponential-backoff: true, exponential-backoff-multiplier: .inf}}`, "instances.a.exponential-backoff-multiplier: infinite, wanted a number of 1 or more"},
		{`instances: {a: {enable-exponential-backoff: true, exponential-backoff-multiplier: true}}`, "instances.a.exponential-backoff-multiplier: boolean, wanted a number of 1 or more"},
		{`instances: {a: {enable-randomized-wait: true, randomized-wait-factor: 1.01}}`, "instances.a.randomized-wait-factor: too large, wanted a number from 0 to 1"},
		{`instances: {a: {retry-exceptions: {b: c}}}`, "instances.a.retry-exceptions: not texts, wanted a list of names"},
		{`instances: {a: {retry-exceptions: [7]}}`, "instances.a.retry-exceptions: not text, wanted text"},
		{`instances: {a: {retry-exceptions: [""]}}`, "instances.a.retry-exceptions: empty, wanted text"},
		{`instances: {a: {base-config: b}}`, "instances.a.base-config: undefined, wanted the name of one of configs"},
		{`instances: {a: {base-config: 5}}`, "instances.a.base-config: not text, wanted text"},
		{`instances: {a: {max-attempts: 3, maxAttempts: 3}}`, "instances.a.maxAttempts: twice, wanted the key in one spelling"},
		{`instances: {a: 5}`, "instances.a: not map, wanted a map"},
		{`instances: [a]`, "instances: not map, wanted a map"},
		{`instances: {5: {}}`, "instances: not text, wanted keys that are text"},
		{`configs: {a: {max-attempts: 0}}`, "configs.a.max-attempts: too small" + whole},
		{"configs: {a: {base-config: b}, b: {base-config: a}}\ninstances: {}", "configs.a.base-config: cycle, wanted configs that end in one without base-config; configs.b.base-config: cycle, wanted configs that end in one without base-config"},
		{"configs: {default: {max-attempts: 0}}\ninstances: {a: {}, b: {}}", "configs.default.max-attempts: too small" + whole},
		{`resilience4j: {retry: {instances: {a: {max-attempts: 0}}}}`, "resilience4j.retry.instances.a.max-attempts: too small" + whole},
		{`resilience4j: {retry: {}}`, "resilience4j.retry.instances: missing, wanted the instances by name"},
		{`{}`, "instances: missing, wanted the instances by name"},
		{`5`, ": not map, wanted a map; instances: missing, wanted the instances by name"},
		{`retry: {retry: {retry: {instances: {}}}}`, "retry.retry.instances: missing, wanted the instances by name"},
		{`instances: {a: {wait-duration: x, max-attempts: 0, retry-exceptions: 1, ignore-exceptions: 2, enable-randomized-wait: 3, enable-exponential-backoff: 4}}`,
			"instances.a.ignore-exceptions: not texts, wanted a list of names; instances.a.max-attempts: too small" + whole +
				"; instances.a.retry-exceptions: not texts, wanted a list of names; instances.a.wait-duration: not duration" + duration +
				"; instances.a.enable-exponential-backoff: not boolean, wanted true or false; instances.a.enable-randomized-wait: not boolean, wanted true or false"},
		{`instances: {a: {max-attempts: 0, wait-duration: x}, b: {max-attempts: 0}}`,
			"instances.a.max-attempts: too small" + whole + "; instances.a.wait-duration: not duration" + duration + "; instances.b.max-attempts: too small" + whole},
	} {
		got, around, err := retry.ReadResilience4j(fromYAML(t, c.text))
		var p *retry.PolicyError
		if got != nil || around != nil || !errors.As(err, &p) || err.Error() != "retry policy: "+c.want {
			t.Errorf("%s\n got %v\nwant retry policy: %s", c.text, err, c.want)
		}
	}
}

func TestAPolicyOfAnySizeIsReadOrRefused(t *testing.T) {
	many := map[string]any{}
	for i := range 1001 {
		many[fmt.Sprint("k", i)] = map[string]any{}
	}
	long := strings.Repeat("x", 1001)
	names := make([]any, 1001)
	for i := range names {
		names[i] = "x"
	}
	bad := map[string]any{}
	for i := range 30 {
		bad[fmt.Sprintf("i%02d", i)] = map[string]any{"max-attempts": 0}
	}
	for name, c := range map[string]struct {
		v    any
		want retry.Fault
		n    int
	}{
		"instances":     {map[string]any{"instances": many}, retry.FaultTooMany, 1},
		"keys":          {map[string]any{"instances": map[string]any{"a": many}}, retry.FaultTooMany, 1},
		"any keys":      {map[string]any{"instances": map[any]any{"a": toAny(many)}}, retry.FaultTooMany, 1},
		"a long name":   {map[string]any{"instances": map[string]any{long: nil}}, retry.FaultTooLong, 1},
		"a long base":   {map[string]any{"instances": map[string]any{"a": map[string]any{"base-config": long}}}, retry.FaultTooLong, 1},
		"a long text":   {map[string]any{"instances": map[string]any{"a": map[string]any{"retry-exceptions": long}}}, retry.FaultTooLong, 1},
		"a long item":   {map[string]any{"instances": map[string]any{"a": map[string]any{"retry-exceptions": []any{long}}}}, retry.FaultTooLong, 1},
		"exceptions":    {map[string]any{"instances": map[string]any{"a": map[string]any{"retry-exceptions": names}}}, retry.FaultTooMany, 1},
		"texts":         {map[string]any{"instances": map[string]any{"a": map[string]any{"retry-exceptions": make([]string, 5000)}}}, retry.FaultTooMany, 1},
		"many problems": {map[string]any{"instances": bad}, retry.FaultTooSmall, 20},
	} {
		_, _, err := retry.ReadResilience4j(c.v)
		var p *retry.PolicyError
		if !errors.As(err, &p) || len(p.Problems) != c.n || p.Problems[0].Fault != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func toAny(m map[string]any) map[any]any {
	out := map[any]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func TestNumbersOfEveryReaderAreJudgedByTheirValue(t *testing.T) {
	for _, n := range []any{5, int32(5), int64(5), uint(5), uint32(5), uint64(5), float32(5), 5.0, json.Number("5"), json.Number("5.0e0")} {
		got, _, err := retry.ReadResilience4j(map[string]any{"instances": map[any]any{"a": map[string]any{"max-attempts": n}}})
		if err != nil || got[0].MaxAttempts != 5 {
			t.Errorf("%T: %+v, %v", n, got, err)
		}
	}
	for _, n := range []any{math.NaN(), math.Inf(-1), uint64(math.MaxUint64), json.Number("5.0000000000000000001"), json.Number("x"), struct{}{}, []int{5}} {
		_, _, err := retry.ReadResilience4j(map[string]any{"instances": map[string]any{"a": map[string]any{"max-attempts": n}}})
		if err == nil {
			t.Errorf("%T %v was read", n, n)
		}
	}
	got, _, err := retry.ReadResilience4j(map[string]any{"instances": map[string]any{"a": map[string]any{"retry-exceptions": []string{"A", "B"}}}})
	if err != nil || !slices.Equal(got[0].RetryExceptions, []string{"A", "B"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  int64
		fault retry.Fault
	}{
		{"500ms", 500, ""}, {"500", 500, ""}, {"500MS", 500, ""}, {"+500ms", 500, ""}, {"0ms", 0, ""}, {"-0ms", 0, ""}, {"2s", 2000, ""}, {"3m", 180_000, ""},
		{"1h", 3_600_000, ""}, {"2d", 172_800_000, ""}, {"1000us", 1, ""}, {"5000000ns", 5, ""},
		{"9007199254740991ms", retry.Max, ""},
		{"PT0.5S", 500, ""}, {"pt0.5s", 500, ""}, {"PT0,5S", 500, ""}, {"PT.5S", 0, retry.FaultNotDuration}, {"PT5.S", 5000, ""}, {"PT1M", 60_000, ""}, {"PT2H3M4.005S", 7_384_005, ""},
		{"P1D", 86_400_000, ""}, {"P1DT2H", 93_600_000, ""}, {"PT0S", 0, ""}, {"+PT1S", 1000, ""}, {"PT1.500000000S", 1500, ""}, {"PT9007199254740.991S", retry.Max, ""},
		{"-1s", 0, retry.FaultTooSmall}, {"-PT1S", 0, retry.FaultTooSmall}, {"-9007199254740992ms", 0, retry.FaultTooSmall},
		{"1us", 0, retry.FaultFraction}, {"1500001ns", 0, retry.FaultFraction}, {"PT0.0005S", 0, retry.FaultFraction},
		{"9007199254740992ms", 0, retry.FaultTooLarge}, {"9007199254741s", 0, retry.FaultTooLarge}, {"99999999999999999999d", 0, retry.FaultTooLarge},
		{"PT9007199254740.992S", 0, retry.FaultTooLarge}, {"P104249991D", 9_007_199_222_400_000, ""}, {"P104249992D", 0, retry.FaultTooLarge},
		{"PT9007199254741S", 0, retry.FaultTooLarge}, {"P99999999999999999999D", 0, retry.FaultTooLarge}, {"P104249991DT24H", 0, retry.FaultTooLarge},
		{"", 0, retry.FaultNotDuration}, {"ms", 0, retry.FaultNotDuration}, {"5 ms", 0, retry.FaultNotDuration}, {"5w", 0, retry.FaultNotDuration}, {"1.5s", 0, retry.FaultNotDuration},
		{"1h30m", 0, retry.FaultNotDuration}, {"-", 0, retry.FaultNotDuration}, {"--5ms", 0, retry.FaultNotDuration}, {"٥ms", 0, retry.FaultNotDuration},
		{"P", 0, retry.FaultNotDuration}, {"PT", 0, retry.FaultNotDuration}, {"P1DT", 0, retry.FaultNotDuration}, {"P1H", 0, retry.FaultNotDuration}, {"PT1D", 0, retry.FaultNotDuration},
		{"P1M", 0, retry.FaultNotDuration}, {"P1Y", 0, retry.FaultNotDuration}, {"P1W", 0, retry.FaultNotDuration}, {"PT1M1H", 0, retry.FaultNotDuration}, {"PT1H1H", 0, retry.FaultNotDuration},
		{"PT-1S", 0, retry.FaultNotDuration}, {"PT1.5M", 0, retry.FaultNotDuration}, {"PT1.0000000001S", 0, retry.FaultNotDuration}, {"PT1S ", 0, retry.FaultNotDuration}, {"PTT1S", 0, retry.FaultNotDuration},
		{"PT1", 0, retry.FaultNotDuration}, {"PT1.5", 0, retry.FaultNotDuration}, {"-x", 0, retry.FaultNotDuration}, {"PTS", 0, retry.FaultNotDuration},
	} {
		got, _, err := retry.ReadResilience4j(map[string]any{"instances": map[string]any{"a": map[string]any{"wait-duration": c.text}}})
		var p *retry.PolicyError
		switch {
		case c.fault == "" && (err != nil || got[0].Backoff.WaitMS != c.want):
			t.Errorf("%q: %v, %+v, want %d", c.text, err, got, c.want)
		case c.fault != "" && (!errors.As(err, &p) || p.Problems[0].Fault != c.fault):
			t.Errorf("%q: %v, %+v, want %s", c.text, err, got, c.fault)
		}
	}
}

func TestAReadPolicyRuns(t *testing.T) {
	got, _ := instances(t, `instances: {a: {max-attempts: 4, wait-duration: 100ms, enable-exponential-backoff: true, exponential-backoff-multiplier: 3, retry-exceptions: [A], ignore-exceptions: [B]}}`)
	errA, errB := errors.New("A"), errors.New("B")
	matches := func(err error, name string) bool { return strings.Contains(err.Error(), name) }
	var c waiting
	p := got[0].Policy(matches)
	p.Clock = &c
	op, calls := failing(errA)
	if g := gaveUp(t, retry.Do(t.Context(), &p, op)); *calls != 4 || g.Reason != retry.ReasonExhausted || !slices.Equal(c.waits, []int64{100, 300, 900}) {
		t.Errorf("%v after %d calls, waits %v", g, *calls, c.waits)
	}
	for _, c := range []struct {
		err  error
		want retry.Class
	}{
		{errA, retry.ClassRetryable}, {errB, retry.ClassUnknown}, {errors.Join(errA, errB), retry.ClassUnknown}, {retry.Retryable(errB), retry.ClassUnknown},
		{errPlain, retry.ClassUnknown}, {retry.Permanent(errPlain), retry.ClassPermanent}, {retry.Permanent(errA), retry.ClassRetryable},
	} {
		if class := p.Classify(c.err); class != c.want {
			t.Errorf("%v is %v, want %v", c.err, class, c.want)
		}
	}
	if got[0].Classify(nil) != nil || (retry.Instance{}).Classify(matches) != nil {
		t.Error("lists that cannot be judged classify")
	}
}

func FuzzReadResilience4j(f *testing.F) {
	for _, s := range []string{
		`{"resilience4j":{"retry":{"configs":{"default":{"maxAttempts":4}},"instances":{"a":{"baseConfig":"default","wait-duration":"PT0.5S"}}}}}`,
		`{"instances":{"a":{"wait-duration":"500ms","enable-exponential-backoff":true,"exponential-backoff-multiplier":1e308,"exponential-max-wait-duration":5}}}`,
		`{"instances":{"a":{"enableRandomizedWait":true,"randomizedWaitFactor":1,"retry-exceptions":["x",""],"base-config":"a"}},"configs":{"a":{"base-config":"b"},"b":{"base-config":"a"}}}`,
		`{"instances":{"a":null,"b":[],"c":{"max-attempts":null,"maxAttempts":1}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if d.Decode(&v) != nil {
			t.Skip()
		}
		got, _, err := retry.ReadResilience4j(v)
		again, _, err2 := retry.ReadResilience4j(v)
		if !reflect.DeepEqual(got, again) || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("read twice: %v and %v", err, err2)
		}
		if err != nil {
			if got != nil || err.Error() == "" {
				t.Fatalf("%v with %v", err, got)
			}
			return
		}
		for _, i := range got {
			// What was read is a policy that Do accepts.
			p := i.Policy(nil)
			p.Clock, p.Jitter = &waiting{}, always(1)
			if err := p.Check(); err != nil {
				t.Fatalf("%+v: %v", i, err)
			}
			for _, attempt := range []int64{1, 2, 60, retry.Max} {
				if d, err := i.Backoff.Delay(attempt, 0, 1); err != nil || d < 0 || d > retry.Max {
					t.Fatalf("%+v waits %d, %v", i, d, err)
				}
			}
		}
	})
}

func TestProblemsComeInAFixedOrder(t *testing.T) {
	v := fromYAML(t, `instances: {a: {wait-duration: x, max-attempts: 0, retry-exceptions: 1, ignore-exceptions: 2}}`)
	_, _, first := retry.ReadResilience4j(v)
	for range 100 {
		if _, _, err := retry.ReadResilience4j(v); err.Error() != first.Error() {
			t.Fatalf("%v, and then %v", first, err)
		}
	}
}
