-- By its owner $3; or stored by a server that took idempotency keys for those of one API key: by any of
-- the owner's.
WITH twin AS (
  SELECT id FROM batch WHERE owner = $3 AND idempotency_key = $2
  UNION
  SELECT id FROM batch WHERE api_key = $1 AND idempotency_key = $2
  UNION
  SELECT b.id FROM api_key k
  JOIN batch b ON b.api_key = k.id AND b.idempotency_key = $2 AND b.owner IS NULL
  WHERE k.owner = $3
)
SELECT b.digest, coalesce(b.receipt, '') AS receipt, o.receipt AS repeated
FROM twin
JOIN batch b ON b.id = twin.id
LEFT JOIN batch o ON o.id = b.repeats
ORDER BY b.api_key <> $1, b.id LIMIT 1
