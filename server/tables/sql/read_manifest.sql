SELECT manifest FROM build WHERE name = $1 AND sha256 = $2
