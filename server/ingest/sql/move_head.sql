-- Makes the latest import of the source that was not reverted the import in force.
WITH moved AS (
  UPDATE source
  SET head = (SELECT max(id) FROM run WHERE source = $1 AND reverted IS NULL)
  WHERE name = $1
  RETURNING head
)
UPDATE run r SET active = NOT r.active
FROM moved m
WHERE r.source = $1 AND r.active <> coalesce(r.id = m.head, false)
