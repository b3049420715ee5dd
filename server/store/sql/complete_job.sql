UPDATE job SET state = 'done', finished = now(), lease_expires = NULL, run = $4
WHERE id = $1 AND agent = $2 AND epoch = $3 AND state = 'running'
RETURNING *
