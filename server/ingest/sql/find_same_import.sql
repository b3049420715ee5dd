-- The import in force of the source $1, if no later one exists and its content has the digest $2; and the batch with
-- its receipt.
SELECT r.id, r.rows, coalesce(b.repeats, b.id) AS batch
FROM source s
JOIN run r ON r.id = s.head AND r.digest = $2
JOIN batch b ON b.run = r.id AND b.kind = 'import'
WHERE s.name = $1 AND NOT EXISTS (SELECT FROM run n WHERE n.source = $1 AND n.id > r.id)
ORDER BY b.id LIMIT 1
