SELECT id, name FROM family ORDER BY name
