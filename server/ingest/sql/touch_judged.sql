INSERT INTO touched (key, provider)
SELECT DISTINCT t.key, t.provider FROM judged j JOIN tuned t ON t.key = j.key
ON CONFLICT DO NOTHING
