SELECT name FROM build GROUP BY name ORDER BY max(put) DESC LIMIT $1
