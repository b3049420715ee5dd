-- First of all, so that a twin with the same idempotency key waits here and then finds the receipt.
INSERT INTO batch (kind, api_key, idempotency_key, digest, run)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (api_key, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
RETURNING id
