-- If two rotations run at the same time, one of them fails, because its number already exists.
INSERT INTO signing_key (id, public_key, rotation) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING RETURNING id
