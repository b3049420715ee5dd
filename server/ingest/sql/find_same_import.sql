-- The current import of source $1, and the batch that has its receipt. One row if this import's content has the digest
-- $2. No row if retention_days deleted the receipt; the hub then reads the tree again.
SELECT r.id, r.rows, o.id AS batch, o.receipt
FROM source s
JOIN run r ON r.id = s.head AND r.digest = $2
JOIN batch b ON b.run = r.id AND b.kind = 'import'
JOIN batch o ON o.id = coalesce(b.repeats, b.id) AND o.receipt IS NOT NULL
WHERE s.name = $1 AND NOT EXISTS (SELECT FROM run n WHERE n.source = $1 AND n.id > r.id)
ORDER BY b.id LIMIT 1
