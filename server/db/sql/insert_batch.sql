-- The transaction's first statement. A second batch with the same idempotency key waits here, then finds the receipt
-- (find_batch.sql).
INSERT INTO batch (kind, api_key, idempotency_key, digest, run, owner)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING
RETURNING id
