-- Touches keys of the source $1 with a row that only one of two imports has: nothing else can change if one replaces
-- the other or is reverted. 0: no import.
INSERT INTO touched (key, provider)
SELECT DISTINCT key, provider
FROM measurement
WHERE source = $1 AND standing < 4 AND (runs @> $2::bigint) <> (runs @> $3::bigint)
ON CONFLICT DO NOTHING
