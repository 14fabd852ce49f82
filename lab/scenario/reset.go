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
