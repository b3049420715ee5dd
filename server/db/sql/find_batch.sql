SELECT b.digest, receipt_of(b) AS receipt, o.receipt AS repeated
FROM batch b
LEFT JOIN batch o ON o.id = b.repeats
WHERE b.owner = $1 AND b.idempotency_key = $2
