-- Under the registry's lock. A new one belongs to the owner $2.
INSERT INTO source (name, owner) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING id, head, owner
