-- First of all, so that a twin with the same idempotency key waits here and then finds the receipt
-- (find_batch.sql). One index knows it by its owner, the other what servers of before have stored.
INSERT INTO batch (kind, api_key, idempotency_key, digest, run, owner)
SELECT $1::text, $2::bigint, $3::text, $4::text, $5::bigint, $6::text
WHERE $3::text IS NULL OR NOT EXISTS (
  SELECT FROM batch b
  JOIN api_key k ON k.id = b.api_key AND k.owner = $6
  WHERE b.idempotency_key = $3 AND b.owner IS NULL)
ON CONFLICT DO NOTHING
RETURNING id
