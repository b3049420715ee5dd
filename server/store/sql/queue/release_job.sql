-- Handed back without blame.
UPDATE job SET state = 'queued', lease_expires = NULL, claimed = NULL
WHERE id = $1 AND instance = $2 AND epoch = $3 AND state = 'running'
RETURNING *
