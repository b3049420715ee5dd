SELECT digest, coalesce(receipt, '') FROM batch WHERE api_key = $1 AND idempotency_key = $2
