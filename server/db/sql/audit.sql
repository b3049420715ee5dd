INSERT INTO audit (api_key, action, detail, owner, request) VALUES ($1, $2, $3, $4, $5)
