WITH seen AS (
  UPDATE agent SET last_seen = now() WHERE name = $2
)
UPDATE job SET lease_expires = now() + $4 * interval '1 millisecond',
               progress = coalesce($5::json, progress)
WHERE id = $1 AND agent = $2 AND epoch = $3 AND state = 'running'
RETURNING *
