-- Touches shape keys that several owners measured, because their times depend on the setting confirm_factor.
INSERT INTO touched (key, provider)
SELECT key, provider
FROM candidate
GROUP BY key, provider
HAVING min(owner) IS DISTINCT FROM max(owner) OR bool_or(owner IS NULL OR unconfirmed IS NOT NULL)
ON CONFLICT DO NOTHING
