INSERT INTO audit (api_key, action, detail) VALUES ($1, $2, $3)
