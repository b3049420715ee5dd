SELECT id, name, version FROM family ORDER BY name
