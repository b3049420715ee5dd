-- The import in force of the source $1, where it is also the latest and had the same, by the digest of what
-- came ($2), and the batch that has its receipt.
SELECT r.id, r.rows, coalesce(b.repeats, b.id) AS batch
FROM source s
JOIN run r ON r.id = s.head AND r.digest = $2
JOIN batch b ON b.run = r.id AND b.kind = 'import'
WHERE s.name = $1 AND NOT EXISTS (SELECT FROM run n WHERE n.source = $1 AND n.id > r.id)
ORDER BY b.id LIMIT 1
