-- Under the registry's lock.
INSERT INTO source (name) VALUES ($1)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING id, head
