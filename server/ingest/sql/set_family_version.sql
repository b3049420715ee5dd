UPDATE family SET version = $2 WHERE id = $1
