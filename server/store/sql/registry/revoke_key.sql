UPDATE api_key SET revoked = now() WHERE id = $1 AND revoked IS NULL RETURNING id
