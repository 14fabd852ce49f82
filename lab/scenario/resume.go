package scenario

import (
	"context"
	"errors"

	"retrylab/lab/queue"
	"retrylab/lab/retry"
)

// Resume makes the reference on a database that is there already, with the claims that its workers
// hold: the live queue goes on after a reload. Closing it calls the database's Remove.
func Resume(ctx context.Context, database Database, policy Policy, claims map[string]queue.Claim) (*Reference, error) {
	s := &Reference{rules: ReferenceRules(), policy: policy, database: database, claims: claims}
	var err error
	if s.main, err = s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// SetPolicy changes the policy from the next step on.
func (s *Reference) SetPolicy(policy Policy) { s.policy = policy }

// Claimed is a worker's latest claim; ok is false when it never had one.
func (s *Reference) Claimed(worker string) (claim queue.Claim, ok bool) {
	claim, ok = s.claims[worker]
	return claim, ok
}

// Rejected says why the latest step was rejected; it is nil when it was not.
func (s *Reference) Rejected() *retry.RejectedError { return s.rejected }
