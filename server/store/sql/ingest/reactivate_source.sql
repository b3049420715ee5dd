-- The import before the one that goes comes back, unless a later one of the source is in force.
UPDATE run SET active = true
WHERE id = (SELECT id FROM run WHERE source = $1 AND reverted IS NULL
            ORDER BY started DESC, hash DESC LIMIT 1)
  AND NOT active
RETURNING id
