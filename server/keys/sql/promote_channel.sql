-- Inserts nothing if the channel already has this revision.
INSERT INTO channel_statement (channel, sequence, revision, back, owner)
SELECT $1::text, coalesce(max(sequence), 0) + 1, $2::bigint, max(sequence), $3::text
FROM channel_statement WHERE channel = $1
HAVING (array_agg(revision ORDER BY sequence DESC))[1] IS DISTINCT FROM $2
ON CONFLICT DO NOTHING RETURNING sequence
