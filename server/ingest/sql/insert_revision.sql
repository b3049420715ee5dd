INSERT INTO revision (number, change, kind, cause) VALUES ($1, $2, $3, $4) RETURNING token
