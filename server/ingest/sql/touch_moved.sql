-- Touches shape keys of the source $1 with a row that only one of the imports $2 and $3 has (0: no import). Other keys
-- cannot change if one import replaces the other or is reverted.
INSERT INTO touched (key, provider)
SELECT DISTINCT key, provider
FROM measurement
WHERE source = $1 AND standing < 4 AND (runs @> $2::bigint) <> (runs @> $3::bigint)
ON CONFLICT DO NOTHING
