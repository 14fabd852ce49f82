package scenario

import (
	"context"

	"retrylab/lab/queue"
)

// Reset empties the subject's queue, so that it may play another scenario as if it were new. That is
// far quicker than a new subject, which makes its tables first. Jobs get other row numbers than
// a new subject's; no step shows them.
func (s *Reference) Reset(ctx context.Context, policy Policy) error {
	s.policy, s.claims, s.rejected = policy, map[string]queue.Claim{}, nil
	if s.main == nil {
		return nil
	}
	_, err := s.main.db.ExecContext(ctx, `DELETE FROM job`)
	return err
}

// Reusing is a maker that empties one subject of maker's for each further scenario, as [Reference.Reset]
// does: scenarios must be played one after the other. A subject that cannot be emptied is replaced. end
// closes the last one.
func Reusing(maker Maker) (reusing Maker, end func() error) {
	var made *Reference
	end = func() error {
		if made == nil {
			return nil
		}
		subject := made
		made = nil
		return subject.Close()
	}
	return func(ctx context.Context, policy Policy) (Subject, error) {
		if made != nil {
			if err := made.Reset(ctx, policy); err == nil {
				return staysOpen{made}, nil
			}
			// Only its own scenario could have left it so; what went wrong was told there.
			_ = end()
		}
		subject, err := maker(ctx, policy)
		if err != nil {
			return nil, err
		}
		reference, ok := subject.(*Reference)
		if !ok {
			return subject, nil
		}
		made = reference
		return staysOpen{made}, nil
	}, end
}

// staysOpen is a subject that somebody else closes.
type staysOpen struct{ *Reference }

func (staysOpen) Close() error { return nil }
