-- Keys of the source $1 of which one of two imports has a row that the other lacks: where one takes the
-- other's place, or never came, nothing else can change. 0: no import.
INSERT INTO touched (key, provider)
SELECT DISTINCT key, provider
FROM measurement
WHERE source = $1 AND standing < 4 AND (runs @> $2::bigint) <> (runs @> $3::bigint)
ON CONFLICT DO NOTHING
