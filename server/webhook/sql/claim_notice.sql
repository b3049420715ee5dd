-- Takes the oldest due notice. Another server takes it only after the pause, which doubles with each try.
-- Parameters: the first and the longest pause in milliseconds.
UPDATE notice SET tries = tries + 1, due = now() + least($2, $1 * 2 ^ tries) * interval '1 millisecond'
WHERE id = (SELECT id FROM notice WHERE due <= now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id, event, family, gfx, cu_num, count, to_json(about)::text, tries, made
