package quiz

import (
	"context"
	"errors"
	"fmt"

	"retrylab/lab/memory"
	"retrylab/lab/mutant"
	"retrylab/lab/retry"
	"retrylab/lab/scenario"
)

// subjects keeps the subjects it has made: to make one takes far longer than to play a question's few
// steps on it.
type subjects struct {
	idle  map[string]*scenario.Reference
	order []string // of idle, the latest used last
}

const maxIdle = 24

// play plays a scenario on a subject as if it were new. Why steps were rejected, in their order, is added
// to why.
func (s *subjects) play(ctx context.Context, play *scenario.Scenario, name string, why *[]*retry.RejectedError) (scenario.Trace, error) {
	subject, err := s.take(ctx, name, play.Policy)
	if err != nil {
		return scenario.Trace{}, err
	}
	trace, err := scenario.PlayOn(ctx, play, listener{subject, subject, why})
	if err != nil || !trace.Pass {
		return trace, errors.Join(err, subject.Close())
	}
	return trace, s.give(name, subject)
}

func (s *subjects) take(ctx context.Context, name string, policy scenario.Policy) (*scenario.Reference, error) {
	if subject, ok := s.idle[name]; ok {
		s.forget(name)
		if err := subject.Reset(ctx, policy); err != nil {
			return nil, errors.Join(err, subject.Close())
		}
		return subject, nil
	}
	make, ok := mutant.Subject(name, memory.Home{})
	if !ok {
		return nil, fmt.Errorf("quiz: there is no subject %q", name)
	}
	subject, err := make(ctx, policy)
	if err != nil {
		return nil, err
	}
	return subject.(*scenario.Reference), nil
}

func (s *subjects) give(name string, subject *scenario.Reference) error {
	if s.idle == nil {
		s.idle = map[string]*scenario.Reference{}
	}
	s.idle[name] = subject
	s.order = append(s.order, name)
	if len(s.order) <= maxIdle {
		return nil
	}
	oldest := s.order[0]
	old := s.idle[oldest]
	s.forget(oldest)
	return old.Close()
}

func (s *subjects) forget(name string) {
	delete(s.idle, name)
	for i, n := range s.order {
		if n == name {
			s.order = append(s.order[:i], s.order[i+1:]...)
			return
		}
	}
}

func (s *subjects) close() error {
	var errs []error
	for _, subject := range s.idle {
		errs = append(errs, subject.Close())
	}
	s.idle, s.order = nil, nil
	return errors.Join(errs...)
}
