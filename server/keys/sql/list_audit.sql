SELECT id, at, api_key, owner, action, detail, request
FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2
