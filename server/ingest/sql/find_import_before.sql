SELECT s.id, max(r.id), s.owner
FROM source s
LEFT JOIN run r ON r.source = s.name AND r.reverted IS NULL AND r.id < $2
WHERE s.name = $1
GROUP BY s.id
